import type { NodeAPI } from "node-red";
import { answerForms } from "../../lib/admin/answer.ts";
import type { FleetNode } from "../../lib/runtime/fleet.ts";
import type { SecretsReport } from "../../lib/shared/form-types.ts";

/** `GET /crec/fleet/:id/secrets`: whether what is stored must be entered again. Never what is stored. */
export function registerSecretsReport(RED: NodeAPI): void {
  answerForms(RED, "get", "/crec/fleet/:id/secrets", "crec.read", ({ params }): SecretsReport => {
    const { fleet } = (RED.nodes.getNode(params.id ?? "") ?? {}) as Partial<FleetNode>;
    return { needsConfirmation: fleet?.problem?.code === "KEY_NEEDS_CONFIRMATION" };
  });
}
