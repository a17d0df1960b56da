import type { NodeAPI } from "node-red";
import { answerForms, fieldsOf } from "../lib/admin/answer.ts";
import type { SignerNode } from "../lib/runtime/config-nodes.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import type { KeyAddress, NewKey } from "../lib/shared/form-types.ts";

/**
 * `POST /crec/signer/generate`: a new key, which the form keeps until it is deployed into the credentials.
 * `POST /crec/signer/address`: the address of a key that was typed in.
 * `GET /crec/signer/address/:id`: the address of a deployed signer. A stored key is never sent.
 */
export function registerSignerKeys(RED: NodeAPI): void {
  answerForms(RED, "post", "/crec/signer/generate", "crec.write", async (): Promise<NewKey> => {
    const { generatePrivateKey, localEcdsaSigner } = await loadLibrary();
    const privateKey = generatePrivateKey();
    return { privateKey, address: localEcdsaSigner(privateKey).address };
  });
  answerForms(RED, "post", "/crec/signer/address", "crec.write", async ({ body }): Promise<KeyAddress> => {
    const { privateKey } = fieldsOf(body);
    const { localEcdsaSigner } = await loadLibrary();
    return { address: localEcdsaSigner(typeof privateKey === "string" ? privateKey : "").address };
  });
  answerForms(
    RED,
    "get",
    "/crec/signer/address/:id",
    "crec.read",
    async ({ params }): Promise<KeyAddress> => {
      const node = RED.nodes.getNode(params.id ?? "") as Partial<SignerNode> | null;
      return { address: (await node?.signer?.signer())?.address ?? "" };
    },
  );
}
