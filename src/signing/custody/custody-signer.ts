import { type ProxySettings, proxyKind, type TlsSettings, tlsKind } from "../../http/index.ts";
import { type Kinds, milliseconds, optional } from "../../options/index.ts";
import type { Signer } from "../signer.ts";

/** What the signers of all key services can be given. */
export type CustodyOptions = {
  /** How long one signature may take, with the approval of people, in milliseconds. @default differs by key service */
  timeoutMs?: number | undefined;
  /** TLS settings for the key service, not for a proxy. @default those of Node.js */
  tls?: TlsSettings | undefined;
  /** A proxy, or its URL, or `"environment"`. @default none */
  proxy?: string | ProxySettings | undefined;
};

export const CUSTODY: Kinds<CustodyOptions> = {
  timeoutMs: optional(milliseconds),
  tls: optional(tlsKind),
  proxy: optional(proxyKind),
};

/** A signer whose key stays in a key service. */
export type CustodySigner = Signer & {
  /** The key service, as people call it. */
  custodian: string;
  timeoutMs: number;
  /** Ends its connections and whatever it waits for. */
  close(): Promise<void>;
};
