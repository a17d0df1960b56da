import { describeContractNetwork } from "../lib/editor/contract-network.ts";
import { inputOf } from "../lib/editor/form-fields.ts";
import { warnOfMissingDecimals } from "../lib/editor/missing-decimals.ts";
import type { NodeForm } from "../lib/editor/node-form.ts";

export const form: NodeForm = {
  checks: {
    expectContract(node) {
      const isChosen = Boolean(node.contract) && node.contract !== "_ADD_";
      return node.expectContract && !isChosen ? node._("verify-event.error.contract") : undefined;
    },
  },
  opened(node) {
    warnOfMissingDecimals(node);
    describeContractNetwork(inputOf("connection"), (connection) => connection);
    showSignedBy();
  },
};

/** Shown if the connection has other signer sets, or if a set was chosen before. */
function showSignedBy(): void {
  const [connection, signedBy] = [$("#node-input-connection"), $("#node-input-signedBy")];
  const show = (): void => {
    const families = RED.nodes.node(String(connection.val() ?? ""))?.families;
    const hasFamilies = Array.isArray(families) && families.length > 0;
    $("#crec-verify-event-signedBy-row").toggle(hasFamilies || (signedBy.val() ?? "") !== "");
  };
  connection.add(signedBy).on("change", show);
  show();
}
