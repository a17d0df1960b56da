import { createHash } from "node:crypto";
import type { NodeAPI } from "node-red";
import { storedValue } from "../fields/flow-settings.ts";
import type { TlsOptions } from "../fields/proxy-and-tls.ts";
import { canonicalUrl } from "../shared/text.ts";
import { isReference } from "../shared/variables.ts";

/** A setting of a node: as it is stored in the flow, and with its variable resolved. */
export type Setting = { written: string; resolved: string };

/** A setting of a deployed node, which the form may leave to a default. */
export function storedSetting(RED: NodeAPI, id: string, field: string, resolved: string): Setting {
  const stored = storedValue(RED.nodes, id, field);
  return { written: (typeof stored === "string" ? stored : resolved).trim(), resolved };
}

/** Whether a setting is a variable of the environment. A flow can set variables too: those do not count. */
export function isFrom(
  environment: Readonly<Record<string, string | undefined>>,
  { written, resolved }: Setting,
): boolean {
  return isReference(written) && environment[written.slice(2, -1)]?.trim() === resolved;
}

/** Under any name: a flow can rename a variable of the environment. */
export function isInEnvironment(key: string): boolean {
  return Object.values(process.env).some((value) => value?.trim() === key);
}

/** Where a secret would be sent. */
export type Destination = {
  /** Empty ones are not used. */
  urls: readonly Setting[];
  /** The chosen proxy, without its password; undefined where the environment decides. */
  proxy?: Setting | undefined;
  tls?: TlsOptions | undefined;
};

/**
 * Everything that can read a secret which is sent, for comparing. A proxy cannot read what goes to an `https:` address, as
 * long as the certificate must come from a public authority for that name.
 */
export function addressesOf({ urls, proxy, tls }: Destination): string[] {
  const addresses = urls.flatMap(({ resolved }) => (resolved === "" ? [] : canonicalUrl(resolved)));
  const through = proxy?.resolved ?? "environment";
  return [...addresses, ...trustOf(tls), ...(isReadable({ addresses, tls }) ? [`proxy: ${through}`] : [])];
}

/** Whether a proxy could read the requests. */
function isReadable({
  addresses,
  tls,
}: {
  addresses: readonly string[];
  tls?: TlsOptions | undefined;
}): boolean {
  return trustOf(tls).length > 0 || addresses.some((address) => address.startsWith("http:"));
}

/** The settings of a TLS configuration that let another server pass as the service. */
export function trustOf({ ca, pfx, servername, rejectUnauthorized }: TlsOptions = {}): string[] {
  const given = ca ?? pfx;
  const authority = given && createHash("sha256").update(given).digest("hex").slice(0, 16);
  return [
    ...(rejectUnauthorized === false ? ["TLS: any certificate"] : []),
    ...(authority ? [`TLS: the authority ${authority}`] : []),
    ...(servername ? [`TLS: the name ${servername}`] : []),
  ];
}

/**
 * What sentences say of an address that a secret from the environment must not be sent to. A variable of a flow looks like
 * one of the environment.
 */
export function notFromEnvironment({ written, resolved }: Setting): string {
  return isReference(written)
    ? `the address ${written} comes from a variable that the flow sets (in a subflow, a group, a tab or its global environment variables), not from the environment of this machine`
    : `${resolved} does not come from the environment`;
}

/**
 * The first address that a secret from the environment must not be sent to: one that is neither from the environment, nor
 * the provider's own. Otherwise an imported flow could name a variable together with its own address.
 */
export function strayAddress(
  { urls, proxy, tls }: Destination,
  environment: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): Setting | undefined {
  const isAllowed = ({ written, resolved }: Setting) =>
    resolved === "" ||
    known.some((address) => canonicalUrl(address) === canonicalUrl(resolved)) ||
    isFrom(environment, { written, resolved });
  const addresses = urls.map(({ resolved }) => canonicalUrl(resolved));
  const asked = proxy && isReadable({ addresses, tls }) ? [...urls, proxy] : urls;
  return asked.find((setting) => !isAllowed(setting));
}
