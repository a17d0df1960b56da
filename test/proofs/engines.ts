import { createJsEngine, createWasmEngine, type Engine } from "../../src/proofs/engine.ts";
import type { Verifier, VerifyConfig } from "../../src/proofs/index.ts";
import { createVerifierOn } from "../../src/proofs/verify.ts";

/** Makes verifiers on one engine, as `createVerifier` does on the fastest. */
export type VerifierOf = (config: VerifyConfig) => Verifier;

/** Whatever is said of the verifier holds on each engine. */
export function onEachEngine(title: string, suite: (verifierOf: VerifierOf) => void): void {
  for (const [name, verifierOf] of Object.entries(onEngine)) {
    describe(`${title}, on ${name}`, () => suite(verifierOf));
  }
}

export const onEngine = {
  WebAssembly: on(createWasmEngine()),
  JavaScript: on(Promise.resolve(createJsEngine())),
} satisfies Record<string, VerifierOf>;

function on(engine: Promise<Engine>): VerifierOf {
  return (config) => createVerifierOn(() => engine, config);
}

/** An engine that tells how much work it was given. */
export type Counted = { engine: Engine; recovered: number; hashedBytes: number };

export function counted(engine: Engine): Counted {
  const counts: Counted = {
    engine: {
      name: engine.name,
      keccak256(bytes) {
        counts.hashedBytes += bytes.length;
        return engine.keccak256(bytes);
      },
      recoverAddress(digest, signature) {
        counts.recovered += 1;
        return engine.recoverAddress(digest, signature);
      },
    },
    recovered: 0,
    hashedBytes: 0,
  };
  return counts;
}

/** An engine that remembers each recovered signer, for tests that verify the same signatures many times. */
export function remembering(engine: Engine): Engine {
  const known = new Map<string, ReturnType<Engine["recoverAddress"]>>();
  return {
    ...engine,
    recoverAddress(digest, signature) {
      const key = Buffer.concat([digest, signature]).toString("hex");
      if (!known.has(key)) known.set(key, engine.recoverAddress(digest, signature));
      return known.get(key);
    },
  };
}
