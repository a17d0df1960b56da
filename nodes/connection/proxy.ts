import type { Node, NodeAPI } from "node-red";
import type { ProxySettings } from "../../src/index.ts";
import { type CodedError, nodeError } from "../lib/shared/errors.ts";
import { unsetVariable } from "../lib/shared/variables.ts";

/** Node-RED's own `http proxy` config node. */
export type ProxyNode = Node<{ username?: string; password?: string }> & { url?: string; noproxy?: string[] };

/** The proxy chosen in a form; without one, what the environment says, as Node-RED's own nodes do. */
export function proxyOf(node: ProxyNode | null): ProxySettings | "environment" {
  if (!node) return "environment";
  const { url = "", noproxy: except = [], credentials } = node;
  const { username, password = "" } = credentials ?? {};
  if (!username) return { url: withScheme(url), except };
  const proxy = new URL(withScheme(url));
  proxy.username = encodeURIComponent(username);
  proxy.password = encodeURIComponent(password);
  return { url: proxy.href, except };
}

/** What is wrong with a chosen proxy. One that cannot be used is never left out: what it is there for would be, too. */
export function proxyProblem(RED: NodeAPI, id: string | undefined): CodedError | undefined {
  if (!id) return undefined;
  const node = RED.nodes.getNode(id) as ProxyNode | null;
  if (!node) {
    const message =
      "The proxy chosen in the connection is not there, or is disabled. Choose another one, or none.";
    return nodeError("PROXY_MISSING", message);
  }
  const url = (node.url ?? "").trim();
  const unset = unsetVariable({ url });
  if (unset) return unset;
  if (URL.canParse(withScheme(url)) && /^https?:$/.test(new URL(withScheme(url)).protocol)) return undefined;
  const message = "The proxy chosen in the connection has no usable address. It looks like http://host:port.";
  return nodeError("PROXY_INCOMPLETE", message);
}

/** As it is usually written down: `host:port`. */
function withScheme(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url.trim()) ? url.trim() : `http://${url.trim()}`;
}
