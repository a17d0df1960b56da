import { createHash } from "node:crypto";
import { PUBLIC_BASE_URL, PUBLIC_GRAPHQL_URL } from "../../../src/protocol/limits.ts";
import { isReference } from "../../lib/shared/variables.ts";
import type { TlsOptions } from "../tls.ts";
import { canonicalUrl } from "./canonical-url.ts";

/** What a connection says, as it is written in the flow and as Node-RED hands it over. */
export type Setting = { written: string; resolved: string };

/** Where a key would go. */
export type Destination = {
  baseUrl: Setting;
  /** Empty where there is no account URL. */
  graphqlUrl: Setting;
  /** The proxy chosen for these addresses, without its password; undefined where the environment says it. */
  proxy?: Setting | undefined;
  tls?: TlsOptions | undefined;
};

/**
 * All that a key is sent to, for comparing. An `https:` address is reached end to end, whatever is on the way, as long
 * as its certificate has to be one of the world's authorities for its name.
 */
export function addressesOf({ baseUrl, graphqlUrl, proxy, tls }: Destination): string[] {
  const addresses = [baseUrl, graphqlUrl].flatMap(({ resolved }) =>
    resolved === "" ? [] : canonicalUrl(resolved),
  );
  const through = proxy?.resolved ?? "environment";
  return [...addresses, ...trustOf(tls), ...(isReadable({ addresses, tls }) ? [`proxy: ${through}`] : [])];
}

/** Whether a proxy could read what passes. */
function isReadable({
  addresses,
  tls,
}: {
  addresses: readonly string[];
  tls?: TlsOptions | undefined;
}): boolean {
  return trustOf(tls).length > 0 || addresses.some((address) => address.startsWith("http:"));
}

/** In what a TLS configuration lets somebody else be the service. */
function trustOf({ ca, servername, rejectUnauthorized }: TlsOptions = {}): string[] {
  const authority = ca && createHash("sha256").update(ca).digest("hex").slice(0, 16);
  return [
    ...(rejectUnauthorized === false ? ["TLS: any certificate"] : []),
    ...(authority ? [`TLS: the authority ${authority}`] : []),
    ...(servername ? [`TLS: the name ${servername}`] : []),
  ];
}

/**
 * The first address that a key from this machine's environment must not go to: one that is neither from there, nor of
 * the public service. An imported flow could otherwise name a variable beside an address of its own.
 */
export function strayAddress(
  { baseUrl, graphqlUrl, proxy, tls }: Destination,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const isMeant = ({ written, resolved }: Setting) =>
    resolved === "" ||
    [PUBLIC_BASE_URL, PUBLIC_GRAPHQL_URL].some(
      (address) => canonicalUrl(address) === canonicalUrl(resolved),
    ) ||
    isFrom(environment, { written, resolved });
  const addresses = [baseUrl.resolved, graphqlUrl.resolved].map(canonicalUrl);
  const asked =
    proxy && isReadable({ addresses, tls }) ? [baseUrl, graphqlUrl, proxy] : [baseUrl, graphqlUrl];
  return asked.find((setting) => !isMeant(setting))?.resolved;
}

/** Whether a setting is a variable of the environment itself: a flow can set variables, too. */
function isFrom(
  environment: Readonly<Record<string, string | undefined>>,
  { written, resolved }: Setting,
): boolean {
  return isReference(written) && environment[written.slice(2, -1)]?.trim() === resolved;
}
