import type { NodeAPI } from "node-red";
import type { SignerNode } from "../../../nodes/common/fields/config-nodes.ts";
import { formContext } from "../../../nodes/common/fields/field-reader.ts";
import { NODE, type SignerDef } from "../../../nodes/signer/fields.ts";
import type { Address, Signer } from "../../../src/index.ts";
import { notTried } from "./not-tried.ts";

/** A signer without a key. It notes what it would sign, and never signs: no key service is asked. */
export function registerSigner(RED: NodeAPI): void {
  function ConstructSigner(this: SignerNode, def: SignerDef): void {
    RED.nodes.createNode(this, def);
    const { settings } = formContext(RED, this, NODE, def).fields;
    const address = String(settings.address ?? "").trim() || undefined;
    const isRsa = settings.kind === "local-rsa" || Boolean(settings.publicKey);
    const signer = signerWithoutKey(isRsa ? "rsa" : "ecdsa", address as Address | undefined);
    this.signer = {
      problem: undefined,
      // With a key service, the node would wait for a person.
      custodian: undefined,
      mayAskPerson: false,
      knownAddress: async () => address,
      signer: async () => signer,
    };
  }
  RED.nodes.registerType("crec-signer", ConstructSigner);
}

function signerWithoutKey(kind: Signer["kind"], address: Address | undefined): Signer {
  return {
    kind,
    ...(address === undefined ? {} : { address }),
    sign: async ({ digest, typedData }) => {
      const { id, account, deadline, transactions } = typedData.message;
      const { chainId } = typedData.domain;
      const calls = transactions.length === 1 ? "1 call" : `${transactions.length} calls`;
      throw await notTried({
        kind: "operation",
        text: `sign and send an operation of ${calls}`,
        request: {
          ...{ digest, chainId: String(chainId), walletOperationId: String(id), address: account },
          deadline: Number(deadline),
          transactions: transactions.map(({ to, value, data }) => ({ to, value: String(value), data })),
        },
      });
    },
  };
}
