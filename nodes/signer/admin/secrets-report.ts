import type { NodeAPI } from "node-red";
import { answerForms } from "../../common/admin/answer.ts";
import type { SignerNode } from "../../common/fields/config-nodes.ts";
import type { SecretsReport } from "../../common/shared/form-types.ts";

/** `GET /crec/signer/:id/secrets`: whether what is stored must be entered again. Never what is stored. */
export function registerSecretsReport(RED: NodeAPI): void {
  answerForms(RED, "get", "/crec/signer/:id/secrets", "crec.read", ({ params }): SecretsReport => {
    const { signer } = (RED.nodes.getNode(params.id ?? "") ?? {}) as Partial<SignerNode>;
    return { needsConfirmation: signer?.problem?.code === "KEY_NEEDS_CONFIRMATION" };
  });
}
