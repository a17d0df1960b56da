import * as Signature from "ox/Signature";
import { ArgumentError } from "../../errors.ts";
import { type ProxySettings, proxyKind, type TlsSettings, tlsKind } from "../../http/index.ts";
import { type Kinds, milliseconds, optional } from "../../options/index.ts";
import type { Address, Hex } from "../../protocol/index.ts";
import { canonicalSignature, recoverSigner } from "../signature.ts";
import type { Signer } from "../signer.ts";

const VISIBLE = /^[\x21-\x7e]+$/;

/**
 * An option that becomes part of a header or an address, without the spaces around it: visible ASCII only.
 *
 * @param what Says in the error what the option must be.
 * @throws {ArgumentError} naming the option
 */
export function visibleText(text: string, path: string, what: string): string {
  const trimmed = typeof text === "string" ? text.trim() : "";
  if (VISIBLE.test(trimmed)) return trimmed;
  throw new ArgumentError(path, `${path} must be ${what}.`);
}

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

/**
 * The 65 bytes that wallets take, for r and s of a key service that tells no v, or none that can be relied on; undefined
 * where they are no signature of this digest by this address.
 */
export function recoveredSignature(
  { r, s }: { r: Hex; s: Hex },
  digest: Hex,
  address: Address,
): Hex | undefined {
  for (const yParity of [0, 1]) {
    try {
      const signature = canonicalSignature(Signature.toHex({ r, s, yParity }));
      if (recoverSigner(digest, signature) === address) return signature;
    } catch {
      // Not every r belongs to a point of both parities.
    }
  }
  return undefined;
}
