import { hexToBytes, keccak256, toHex } from "viem";
import { sign as signInJavaScript } from "viem/accounts";
import type { Hex } from "../../../src/protocol/index.ts";

/** Signs a digest of 32 bytes: r‖s‖v in 65 bytes of hex, with v 27 or 28. */
type Sign = (digest: Uint8Array, privateKey: Hex) => Promise<Hex>;

/**
 * The quickest way to sign that this machine has: every log is signed by several oracles at each confidence.
 * WebAssembly, checked once against plain JavaScript, which takes twenty times as long.
 */
export async function quickestSign(): Promise<Sign> {
  try {
    const sign = await signByWebAssembly();
    const [digest, key] = [hexToBytes(keccak256("0x01")), keccak256("0x02")];
    if ((await sign(digest, key)) === (await signPlainly(digest, key))) return sign;
  } catch {
    // No WebAssembly here.
  }
  return signPlainly;
}

const signPlainly: Sign = (digest, privateKey) =>
  signInJavaScript({ hash: toHex(digest), privateKey, to: "hex" });

/** The digest as it is, and the same signature each time. */
const SIGNING = { extraEntropy: false, prehash: false } as const;

async function signByWebAssembly(): Promise<Sign> {
  const { engine } = await import("ox/wasm/Secp256k1");
  const secp256k1 = await engine();
  return async (digest, privateKey) => {
    const [recovery = 0, ...rest] = secp256k1.sign(digest, hexToBytes(privateKey), SIGNING);
    return toHex(Uint8Array.from([...rest, 27 + recovery]));
  };
}
