import type { Node } from "node-red";

/** Node-RED's `tls-config` node, which writes its settings into an options object. */
export type TlsNode = Node & { addTLSOptions(options: TlsOptions): TlsOptions };

export type TlsOptions = {
  ca?: string | Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
  passphrase?: string;
  servername?: string;
  rejectUnauthorized?: boolean;
};

export function tlsOptions(node: TlsNode | null): TlsOptions | undefined {
  return node?.addTLSOptions({});
}
