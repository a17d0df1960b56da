import type { NodeAPI } from "node-red";
import {
  type ProxyNode,
  proxyOf,
  type TlsNode,
  type TlsOptions,
  tlsOptions,
} from "../common/fields/proxy-and-tls.ts";
import { addressesOf, type Destination, type Setting } from "../common/keys/destination.ts";
import type { KeyService } from "./key-services.ts";
import type { SignerValues } from "./values.ts";

/** How a signer reaches its key service. */
export type TransportOptions = { tls: TlsOptions | undefined; proxy: ProxyNode | null };

/** @param ids of the chosen config nodes; empty for none */
export function transportOptions(
  nodes: NodeAPI["nodes"],
  ids: { tls?: string | undefined; proxy?: string | undefined },
): TransportOptions {
  return {
    tls: tlsOptions(ids.tls ? (nodes.getNode(ids.tls) as TlsNode | null) : null),
    proxy: ids.proxy ? (nodes.getNode(ids.proxy) as ProxyNode | null) : null,
  };
}

/** The same for the library. */
export function clientOptions({ tls, proxy }: TransportOptions) {
  return { ...(tls ? { tls } : {}), proxy: proxyOf(proxy) };
}

/** @param written what the flow stores in a field, before variables are replaced */
export function destinationOf(
  service: KeyService,
  values: SignerValues,
  { tls, proxy }: TransportOptions,
  written: (resolved: string, field: string, id?: string) => string,
): Destination {
  const setting = (resolved: string, field: string, id?: string): Setting => {
    return { written: written(resolved, field, id), resolved };
  };
  const typed = values.text(service.addressField);
  const address = typed || service.defaultAddress(values);
  return {
    urls: [typed === "" ? { written: address, resolved: address } : setting(address, service.addressField)],
    ...(proxy ? { proxy: setting(proxy.url ?? "", "url", proxy.id) } : {}),
    tls,
  };
}

/** Everything that can read the secrets of a signer, for comparing. */
export function receiversOf(service: KeyService, values: SignerValues, destination: Destination): string[] {
  return [...addressesOf(destination), ...(service.inside?.(values) ?? [])];
}

/** The addresses that what the environment holds may be sent to, whatever the flow says. */
export function ownAddresses(service: KeyService, values: SignerValues): string[] {
  return [service.defaultAddress(values), ...(service.otherAddresses ?? [])].filter((one) => one !== "");
}
