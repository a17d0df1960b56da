import type { NodeAPI } from "node-red";
import type { Signer } from "../../src/index.ts";
import type { SignerCredentials, SignerNode, SignerRef } from "../lib/runtime/config-nodes.ts";
import { fieldReader } from "../lib/runtime/field-reader.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import { nodeError } from "../lib/shared/errors.ts";
import { unsetVariable } from "../lib/shared/variables.ts";
import { NODE, type SignerDef } from "./fields.ts";
import { registerSignerKeys } from "./signer-keys.ts";

export default function register(RED: NodeAPI): void {
  function ConstructSigner(this: SignerNode, def: SignerDef): void {
    RED.nodes.createNode(this, def);
    // Only for its warning about settings that a newer version stored.
    fieldReader(RED, this, NODE, def);
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
          "The signer's private key is missing. Open the signer and generate a key, or enter one.",
        ),
    custodian: undefined,
    signer: () => {
      signer ??= loadLibrary().then(({ localEcdsaSigner }) => localEcdsaSigner(privateKey ?? ""));
      return signer;
    },
  };
}
