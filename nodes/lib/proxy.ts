import type { Node } from "node-red";

/** Node-RED's own `http proxy` config node. */
export type ProxyNode = Node<{ username?: string; password?: string }> & { url?: string; noproxy?: string[] };

/**
 * The proxy for an address, with its user where it has one; undefined where the address is reached directly. Where
 * none is chosen, what `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` say, as Node-RED's own nodes do.
 */
export function proxyFor(node: ProxyNode | null, address: string): string | undefined {
  if (!node) return "environment";
  if (!node.url || !URL.canParse(node.url) || !URL.canParse(address)) return undefined;
  const { hostname, host } = new URL(address);
  const direct = (node.noproxy ?? []).some((entry) => {
    const name = entry.trim().replace(/^\*?\./, "");
    return name === hostname || name === host || (name !== "" && hostname.endsWith(`.${name}`));
  });
  if (direct) return undefined;
  const proxy = new URL(node.url);
  if (node.credentials?.username) {
    proxy.username = encodeURIComponent(node.credentials.username);
    proxy.password = encodeURIComponent(node.credentials.password ?? "");
  }
  return proxy.href;
}
