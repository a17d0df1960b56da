import * as Address from "ox/Address";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import { ArgumentError, CrecError } from "../errors.ts";
import type { Address as AddressText, Hex } from "../protocol/index.ts";
import { recoverSigner } from "./signature.ts";
import type { LocalSigner } from "./signer.ts";
import { signCall } from "./signer.ts";

/** A signer with a secp256k1 key in this process. */
export type LocalEcdsaSigner = LocalSigner & { kind: "ecdsa"; address: AddressText };

const PRIVATE_KEY = /^(?:0x)?([0-9a-f]{64})$/i;

/**
 * Signs with a secp256k1 key held in this process: 65 bytes r‖s‖v with low s and v 27 or 28, always the same for the
 * same digest (RFC 6979). Each signature is verified before it is returned.
 *
 * @throws ArgumentError `INVALID_PRIVATE_KEY`. No error message contains the key.
 * @example
 * const signer = localEcdsaSigner(generatePrivateKey());
 * signer.address; // → "0x…"
 */
export function localEcdsaSigner(privateKey: string): LocalEcdsaSigner {
  const key = readPrivateKey(privateKey);
  const address = addressOf(key);
  return {
    kind: "ecdsa",
    address,
    async sign(request) {
      signCall(request, undefined, "digest");
      const { digest } = request;
      const signed = Secp256k1.sign({ payload: digest, privateKey: key, extraEntropy: false });
      const signature = Signature.toHex(signed);
      if (recoverSigner(digest, signature) !== address) {
        throw new CrecError(
          "SIGNATURE_MISMATCH",
          "The signature does not belong to the signer's own address. Nothing was sent.",
        );
      }
      return signature;
    },
  };
}

/**
 * A new key from the system's random source: 32 bytes as hex. Keep it secret.
 * @example
 * const privateKey = generatePrivateKey();
 */
export function generatePrivateKey(): Hex {
  return Secp256k1.randomPrivateKey();
}

function readPrivateKey(privateKey: string): Hex {
  const digits = typeof privateKey === "string" ? PRIVATE_KEY.exec(privateKey.trim())?.[1] : undefined;
  if (digits === undefined) throw invalidKey();
  return `0x${digits}`;
}

function addressOf(key: Hex): AddressText {
  try {
    return Address.checksum(Address.fromPublicKey(Secp256k1.getPublicKey({ privateKey: key })));
  } catch {
    // No cause: it might contain the key.
    throw invalidKey();
  }
}

function invalidKey(): ArgumentError {
  return new ArgumentError(
    "privateKey",
    "privateKey must be a secp256k1 key: 32 bytes as 64 hex digits. Generate a key if you do not have one.",
    { code: "INVALID_PRIVATE_KEY" },
  );
}
