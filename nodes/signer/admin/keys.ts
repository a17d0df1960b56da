import type { Signer } from "../../../src/index.ts";
import { answerForms, fieldsOf } from "../../common/admin/answer.ts";
import type { NodeRedContext } from "../../common/context.ts";
import type { SignerNode } from "../../common/fields/config-nodes.ts";
import { loadLibrary } from "../../common/library.ts";
import { nodeError, toCodedError } from "../../common/shared/errors.ts";
import type { NewKey, SignerKey } from "../../common/shared/form-types.ts";
import { openSigner } from "../open-signer.ts";
import { testedSigner } from "./tested-signer.ts";

/**
 * `POST /crec/signer/generate`: a new key, which the form keeps until it is deployed into the credentials.
 * `POST /crec/signer/address`: the address or the public key for the settings in the form.
 * `GET /crec/signer/address/:id`: the same of a deployed signer with a key in Node-RED. A stored key is never sent.
 */
export function registerKeys(context: NodeRedContext): void {
  answerForms(
    context.RED,
    "post",
    "/crec/signer/generate",
    "crec.write",
    async ({ body }): Promise<NewKey> => {
      const { generatePrivateKey, generateRsaPrivateKey, localEcdsaSigner, localRsaSigner } =
        await loadLibrary();
      if (fieldsOf(body).kind === "local-rsa") {
        const privateKey = await generateRsaPrivateKey();
        return { privateKey, ...keyOf(localRsaSigner(privateKey)) };
      }
      const privateKey = generatePrivateKey();
      return { privateKey, ...keyOf(localEcdsaSigner(privateKey)) };
    },
  );
  answerForms(
    context.RED,
    "post",
    "/crec/signer/address",
    "crec.write",
    async ({ body }): Promise<SignerKey> => {
      const { values, way, conceal } = testedSigner(context, fieldsOf(body));
      try {
        const signer = await openSigner(values, way);
        await signer.close?.();
        return keyOf(signer);
      } catch (thrown) {
        const { code, message } = toCodedError(thrown);
        throw nodeError(code, conceal(message), thrown);
      }
    },
  );
  answerForms(
    context.RED,
    "get",
    "/crec/signer/address/:id",
    "crec.read",
    async ({ params }): Promise<SignerKey> => {
      const { signer } = (context.RED.nodes.getNode(params.id ?? "") ?? {}) as Partial<SignerNode>;
      // A question of the form must not make a key service work: what that has is asked for by a button.
      if (signer === undefined || signer.problem || signer.custodian !== undefined) return { address: "" };
      return keyOf(await signer.signer());
    },
  );
}

export function keyOf({ address, publicKey }: Pick<Signer, "address" | "publicKey">): SignerKey {
  return { address: address ?? "", ...(publicKey ? { publicKey } : {}) };
}
