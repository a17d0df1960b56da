import type { Node } from "node-red";
import type { ProxySettings } from "../../../src/index.ts";
import { type CodedError, nodeError } from "../shared/errors.ts";
import { unsetVariable } from "../shared/variables.ts";
import { notUsable } from "./config-nodes.ts";
import type { FlowNodes } from "./flow-settings.ts";

/** Node-RED's own `http proxy` config node. */
export type ProxyNode = Node<{ username?: string; password?: string }> & { url?: string; noproxy?: string[] };

/** The proxy chosen in a form; without one, that of the environment, as in Node-RED's own nodes. */
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

/** What is wrong with a chosen proxy. A proxy that cannot be used is never bypassed. */
export function proxyProblem(
  nodes: FlowNodes,
  id: string | undefined,
  owner: "connection" | "signer" = "connection",
): CodedError | undefined {
  if (!id) return undefined;
  const node = nodes.getNode(id) as ProxyNode | null;
  if (!node) return notUsable(nodes, id, `proxy of the ${owner}`, "PROXY_INCOMPLETE");
  const url = (node.url ?? "").trim();
  const unset = unsetVariable({ url });
  if (unset) return unset;
  if (URL.canParse(withScheme(url)) && /^https?:$/.test(new URL(withScheme(url)).protocol)) return undefined;
  const message = `The address of the ${owner}'s proxy is missing or wrong. Enter an address such as http://host:port.`;
  return nodeError("PROXY_INCOMPLETE", message);
}

/** The address is often `host:port` only. */
function withScheme(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url.trim()) ? url.trim() : `http://${url.trim()}`;
}

/** Node-RED's `tls-config` node, which writes its settings into an options object. */
export type TlsNode = Node & { addTLSOptions(options: TlsOptions): TlsOptions };

export type TlsOptions = {
  ca?: string | Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
  /** A PKCS #12 file, in place of these three: its other certificates are trusted as authorities. */
  pfx?: Buffer;
  passphrase?: string;
  servername?: string;
  rejectUnauthorized?: boolean;
};

export function tlsOptions(node: TlsNode | null): TlsOptions | undefined {
  return node?.addTLSOptions({});
}
