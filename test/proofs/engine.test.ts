import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import fc from "fast-check";
import * as Hash from "ox/Hash";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import should from "should";
import {
  createJsEngine,
  createWasmEngine,
  fastestEngine,
  loadEngine,
  loadWasmPrimitives,
  type Primitives,
} from "../../src/proofs/engine.ts";
import { hexToBytes } from "../../src/proofs/fields.ts";
import { sized } from "../support/variants.ts";

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

describe("the engines of the verifier", () => {
  it("are WebAssembly where it works, loaded once", async () => {
    should((await loadEngine()).name).equal("wasm");
    should(loadEngine()).equal(loadEngine());
  });

  it("agree on every hash", async () => {
    const [wasm, js] = [await createWasmEngine(), createJsEngine()];
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (input) => {
        should(wasm.keccak256(input)).deepEqual(js.keccak256(input));
      }),
    );
  });

  it("agree on the signer of valid signatures, with v starting at 0 or at 27", async () => {
    const [wasm, js] = [await createWasmEngine(), createJsEngine()];
    for (let round = 0; round < 50; round++) {
      const digest = new Uint8Array(randomBytes(32));
      const privateKey = Secp256k1.randomPrivateKey();
      const signature = hexToBytes(Signature.toHex(Secp256k1.sign({ payload: digest, privateKey })));
      if (signature === undefined) throw new Error("no signature");
      const publicKey = Secp256k1.getPublicKey({ privateKey, as: "Bytes" });
      const address = `0x${Hash.keccak256(publicKey.subarray(1), { as: "Hex" }).slice(26)}`;
      const fromZero = signature.with(64, (signature[64] ?? 0) - 27);
      for (const engine of [wasm, js]) {
        should(engine.recoverAddress(digest, signature)).equal(address);
        should(engine.recoverAddress(digest, fromZero)).equal(address);
      }
    }
  });

  it("agree on any 65 bytes, also where no signer can be recovered", async () => {
    const [wasm, js] = [await createWasmEngine(), createJsEngine()];
    const edge = fc.constantFrom(
      new Uint8Array(32),
      new Uint8Array(32).fill(255),
      new Uint8Array(32).with(31, 1),
    );
    const half = fc.oneof({ weight: 3, arbitrary: bytes(32) }, { weight: 1, arbitrary: edge });
    fc.assert(
      fc.property(bytes(32), half, half, fc.constantFrom(0, 1, 27, 28), (digest, r, s, v) => {
        const signature = Uint8Array.of(...r, ...s, v);
        should(wasm.recoverAddress(digest, signature)).equal(js.recoverAddress(digest, signature));
      }),
      { numRuns: sized(100, 300) },
    );
  });

  it("take only 32-byte digests, 65-byte signatures and four values of v", async () => {
    for (const engine of [await createWasmEngine(), createJsEngine()]) {
      const good = new Uint8Array(65).fill(1);
      should(engine.recoverAddress(new Uint8Array(32).fill(1), good)).be.a.String();
      should(engine.recoverAddress(new Uint8Array(31).fill(1), good)).be.undefined();
      should(engine.recoverAddress(new Uint8Array(33).fill(1), good)).be.undefined();
      should(engine.recoverAddress(new Uint8Array(32).fill(1), good.subarray(0, 64))).be.undefined();
      for (const v of [2, 26, 29, 255]) {
        should(engine.recoverAddress(new Uint8Array(32).fill(1), good.with(64, v))).be.undefined();
      }
    }
  });
});

describe("the self-test of the WebAssembly engine", () => {
  const wrong: Record<string, (right: Primitives) => Primitives> = {
    "hashes wrongly": (right) => ({ ...right, keccak256: (bytes) => right.keccak256(bytes).with(31, 0) }),
    "recovers another key": (right) => ({
      ...right,
      recoverPublicKey: (signature, digest) => right.recoverPublicKey(signature, digest).reverse(),
    }),
    "recovers a key from anything": (right) => ({
      ...right,
      recoverPublicKey(signature, digest) {
        try {
          return right.recoverPublicKey(signature, digest);
        } catch {
          return new Uint8Array(65).fill(4);
        }
      },
    }),
    "cannot be loaded": () => {
      throw new Error("no memory");
    },
  };
  for (const [how, spoil] of Object.entries(wrong)) {
    it(`falls back to JavaScript with a warning when WebAssembly ${how}`, async () => {
      const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
      const engine = await fastestEngine(async () => spoil(await loadWasmPrimitives()));
      should(engine.name).equal("js");
      should(await warned).have.properties({ name: "CrecWarning" });
      should((await warned).message).match(/JavaScript/);
    });
  }

  it("gives the same results without WebAssembly, with one warning", async () => {
    const program = `
      WebAssembly.compile = () => Promise.reject(new Error("switched off"));
      const { verifyEvent } = await import("./src/index.ts");
      const { caseNamed, configOf } = await import("./test/proofs/fixtures.ts");
      for (const name of ["watcher.event, all 7", "three strangers"]) {
        const result = await verifyEvent(caseNamed(name).event, configOf());
        console.log(result.verified ? result.signers.length : result.reason);
      }`;
    const cwd = new URL("../..", import.meta.url);
    const args = ["--input-type=module", "--eval", program];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd });
    should(stdout).equal("7\nthreshold_not_met\n");
    should(stderr.match(/CrecWarning/g)).have.length(1);
  });
});
