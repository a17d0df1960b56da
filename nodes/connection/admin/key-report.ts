import type { Node, NodeAPI } from "node-red";
import { answerForms } from "../../lib/admin/answer.ts";
import type { ConnectionNode } from "../../lib/runtime/config-nodes.ts";
import type { KeyReport } from "../../lib/shared/form-types.ts";
import { environmentKeyOf } from "../key/environment-key.ts";
import { typedFor } from "../key/key-problem.ts";

/** `GET /crec/connection/:id/key`: whether the deployed key must be entered again, and its addresses. Never the key. */
export function registerKeyReport(RED: NodeAPI): void {
  answerForms(RED, "get", "/crec/connection/:id/key", "crec.read", ({ params: { id = "" } }): KeyReport => {
    const { connection } = (RED.nodes.getNode(id) ?? {}) as Partial<ConnectionNode> & Partial<Node>;
    const addresses = typedFor(RED, id);
    const given = connection && environmentKeyOf(RED, id);
    return {
      needsConfirmation: connection?.problem?.code === "KEY_NEEDS_CONFIRMATION",
      ...(given ? { variable: given.variable } : {}),
      ...(addresses ? { typedFor: addresses.filter((address) => /^https?:/.test(address)) } : {}),
    };
  });
}
