/** The codes of forms for a failure on the way through a proxy; each has its text in the catalogs of errors. */
export type ProxyFault = "PROXY_UNREACHABLE" | "PROXY_REFUSED" | "PROXY_CERTIFICATE";

/** Whether a call failed at the proxy, by the hop that the library names; undefined where it did not. */
export function proxyFault({ code, hop }: { code?: unknown; hop?: unknown }): ProxyFault | undefined {
  if (hop === "tunnel") return "PROXY_REFUSED";
  if (hop !== "proxy") return undefined;
  return code === "TLS_ERROR" ? "PROXY_CERTIFICATE" : "PROXY_UNREACHABLE";
}
