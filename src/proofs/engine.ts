import * as Hash from "ox/Hash";
import * as Secp256k1 from "ox/Secp256k1";
import type { Hex } from "../protocol/index.ts";
import { yieldToEventLoop } from "../timing/index.ts";
import { bytesToHex, hexToBytes } from "./fields.ts";

/** The two primitives that a verifier needs. */
export type Engine = {
  /** WebAssembly or JavaScript. */
  name: "wasm" | "js";
  /** The hash, 32 bytes. */
  keccak256(bytes: Uint8Array): Uint8Array;
  /**
   * The address, in lower case, whose key signed the 32-byte digest; undefined when the signature is not valid.
   * `signature` is 65 bytes r‖s‖v with v one of 0, 1, 27 and 28. A high s is accepted.
   */
  recoverAddress(digest: Uint8Array, signature: Uint8Array): Hex | undefined;
};

/** What an engine is built on: signatures as recovery id‖r‖s, public keys uncompressed in 65 bytes. */
export type Primitives = {
  keccak256(bytes: Uint8Array): Uint8Array;
  recoverPublicKey(signature: Uint8Array, digest: Uint8Array): Uint8Array;
};

const RECOVERY_IDS = new Map([
  [0, 0],
  [1, 1],
  [27, 0],
  [28, 1],
]);

let loading: Promise<Engine> | undefined;

/** The fastest engine that passes its self-test. Loaded once, when first needed. */
export function loadEngine(): Promise<Engine> {
  loading ??= fastestEngine();
  return loading;
}

/** WebAssembly. Where it is not available or gives wrong results, JavaScript, with a process warning. */
export async function fastestEngine(load = loadWasmPrimitives): Promise<Engine> {
  try {
    return await createWasmEngine(load);
  } catch {
    process.emitWarning(
      "WebAssembly cannot be used to check proofs here, so JavaScript is used: about fifteen times slower, with the same results.",
      "CrecWarning",
    );
    return createJsEngine();
  }
}

/**
 * WebAssembly: about fifteen times as fast as JavaScript.
 * @throws {Error} when the modules cannot be compiled here, or give wrong results.
 */
export async function createWasmEngine(load = loadWasmPrimitives): Promise<Engine> {
  const engine = createEngine("wasm", await load());
  selfTest(engine);
  return engine;
}

/** Imported only when needed: the two modules take some milliseconds to compile. */
export async function loadWasmPrimitives(): Promise<Primitives> {
  const [secp256k1, hash] = await Promise.all([
    import("ox/wasm/Secp256k1").then((module) => module.engine()),
    import("ox/wasm/Hash").then((module) => module.engine()),
  ]);
  return { keccak256: hash.keccak256, recoverPublicKey: secp256k1.recoverPublicKey };
}

/** Plain JavaScript: works wherever Node.js does. */
export function createJsEngine(): Engine {
  return createEngine("js", {
    keccak256: (bytes) => Hash.keccak256(bytes, { as: "Bytes" }),
    recoverPublicKey: (signature, digest) =>
      Secp256k1.recoverPublicKey({
        payload: digest,
        signature: {
          yParity: signature[0] ?? 0,
          r: bytesToHex(signature.subarray(1, 33)),
          s: bytesToHex(signature.subarray(33)),
        },
        as: "Bytes",
      }),
  });
}

function createEngine(name: Engine["name"], { keccak256, recoverPublicKey }: Primitives): Engine {
  return {
    name,
    keccak256,
    recoverAddress(digest, signature) {
      // The primitives accept digests of any length.
      const recoveryId = RECOVERY_IDS.get(signature[64] ?? -1);
      if (digest.length !== 32 || signature.length !== 65 || recoveryId === undefined) return undefined;
      const recidFirst = new Uint8Array(65);
      recidFirst[0] = recoveryId;
      recidFirst.set(signature.subarray(0, 64), 1);
      try {
        const publicKey = recoverPublicKey(recidFirst, digest);
        return bytesToHex(keccak256(publicKey.subarray(1)).subarray(12));
      } catch {
        return undefined;
      }
    },
  };
}

/** The hash of no bytes, a signature by another implementation, and one that no key can have made. */
const KNOWN = {
  emptyHash: "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
  digest: "0x01777ddfde40cc8e2a0782ec663044e73c8f0ec34cd80d5495c49bb9f6c5ad0b",
  signature:
    "0xe44303fae903f1abcbf9be73079d255d39dbde2726b34b67316c473d315303f6630344f1b1a43ce8923508d59b62ef79524b007668d2bf70107259cc7ec923d81b",
  signer: "0xfd6ab8e89a6fd82c3ad1181abed3571db02968b1",
  impossible: new Uint8Array(65),
} as const;

function selfTest(engine: Engine): void {
  const digest = hexToBytes(KNOWN.digest) ?? new Uint8Array();
  const signature = hexToBytes(KNOWN.signature) ?? new Uint8Array();
  const passes =
    bytesToHex(engine.keccak256(new Uint8Array())) === KNOWN.emptyHash &&
    engine.recoverAddress(digest, signature) === KNOWN.signer &&
    engine.recoverAddress(digest, KNOWN.impossible) === undefined;
  if (!passes) throw new Error("The WebAssembly engine failed its self-test.");
}

/** Proofs that are checked before the event loop runs again: about 2 ms. */
const PROOFS_PER_RUN = 8;

let left = PROOFS_PER_RUN;
let pause: Promise<void> | undefined;

/**
 * Called before each proof, by all verifiers of the process. Without it, many proofs in a row would keep timers and
 * sockets waiting until the last of them is checked: a loop of awaits alone does not let the event loop run.
 */
export async function yieldRegularly(): Promise<void> {
  while (left === 0) {
    pause ??= yieldToEventLoop().then(() => {
      left = PROOFS_PER_RUN;
      pause = undefined;
    });
    await pause;
  }
  left -= 1;
}
