import type { Node } from "node-red";

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
