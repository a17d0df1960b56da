import { createHash } from "node:crypto";
import { PUBLIC_BASE_URL, PUBLIC_GRAPHQL_URL } from "../../../src/protocol/limits.ts";
import { isFrom, type Setting } from "../../lib/runtime/keys/from-environment.ts";
import type { TlsOptions } from "../tls.ts";
import { canonicalUrl } from "./canonical-url.ts";

/** Where a key would be sent. */
export type Destination = {
  baseUrl: Setting;
  /** Empty without an account URL. */
  graphqlUrl: Setting;
  /** The chosen proxy, without its password; undefined where the environment decides. */
  proxy?: Setting | undefined;
  tls?: TlsOptions | undefined;
};

/**
 * Everything that can read a key which is sent, for comparing. A proxy cannot read what goes to an `https:` address, as
 * long as the certificate must come from a public authority for that name.
 */
export function addressesOf({ baseUrl, graphqlUrl, proxy, tls }: Destination): string[] {
  const addresses = [baseUrl, graphqlUrl].flatMap(({ resolved }) =>
    resolved === "" ? [] : canonicalUrl(resolved),
  );
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
function trustOf({ ca, servername, rejectUnauthorized }: TlsOptions = {}): string[] {
  const authority = ca && createHash("sha256").update(ca).digest("hex").slice(0, 16);
  return [
    ...(rejectUnauthorized === false ? ["TLS: any certificate"] : []),
    ...(authority ? [`TLS: the authority ${authority}`] : []),
    ...(servername ? [`TLS: the name ${servername}`] : []),
  ];
}

/**
 * The first address that a key from the environment must not be sent to: one that is neither from the environment, nor
 * of the public service. Otherwise an imported flow could name a variable together with its own address.
 */
export function strayAddress(
  { baseUrl, graphqlUrl, proxy, tls }: Destination,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const isAllowed = ({ written, resolved }: Setting) =>
    resolved === "" ||
    [PUBLIC_BASE_URL, PUBLIC_GRAPHQL_URL].some(
      (address) => canonicalUrl(address) === canonicalUrl(resolved),
    ) ||
    isFrom(environment, { written, resolved });
  const addresses = [baseUrl.resolved, graphqlUrl.resolved].map(canonicalUrl);
  const asked =
    proxy && isReadable({ addresses, tls }) ? [baseUrl, graphqlUrl, proxy] : [baseUrl, graphqlUrl];
  return asked.find((setting) => !isAllowed(setting))?.resolved;
}
