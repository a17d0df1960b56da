import type { NodeAPI, NodeDef } from "node-red";
import type { Signer } from "../../src/index.ts";
import type { SignerCredentials, SignerNode, SignerRef } from "../lib/runtime/config-nodes.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import { nodeError } from "../lib/shared/errors.ts";
import { unsetVariable } from "../lib/shared/variables.ts";
import { registerSignerKeys } from "./signer-keys.ts";

export type SignerDef = NodeDef & {
  /** Shown in the form; what signs is the key in the credentials. */
  address?: string;
};

export default function register(RED: NodeAPI): void {
  function ConstructSigner(this: SignerNode, def: SignerDef): void {
    RED.nodes.createNode(this, def);
    this.signer = openSigner(this.credentials?.privateKey);
  }
  RED.nodes.registerType<SignerNode, SignerDef, object, SignerCredentials>("crec-signer", ConstructSigner, {
    credentials: { privateKey: { type: "password" } },
  });
  registerSignerKeys(RED);
}

function openSigner(privateKey: string | undefined): SignerRef {
  let signer: Promise<Signer> | undefined;
  return {
    problem: privateKey
      ? unsetVariable(privateKey)
      : nodeError(
          "SIGNER_INCOMPLETE",
          "The signer has no key. Open the signer and generate one, or type it in.",
        ),
    signer: () => {
      signer ??= loadLibrary().then(({ localEcdsaSigner }) => localEcdsaSigner(privateKey ?? ""));
      return signer;
    },
  };
}
