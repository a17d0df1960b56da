import type { EditedNode } from "../lib/editor/api.ts";
import { describeContractNetwork } from "../lib/editor/contract-network.ts";
import { inputOf } from "../lib/editor/form-fields.ts";
import { warnOfMissingDecimals } from "../lib/editor/missing-decimals.ts";
import type { NodeForm } from "../lib/editor/node-form.ts";
import { configName, eventsIn } from "../lib/editor/node-label.ts";

/** The entry that Node-RED adds for no config node. */
const NONE = "_ADD_";

export const form: NodeForm = {
  label: (node) => {
    const events = eventsIn(node, "expectEvents");
    const contract = node.expectContract ? configName(node.contract) : "";
    const key = `${events ? "events" : ""}${contract ? "contract" : ""}`;
    return key ? node._(`verify-event.label-of.${key}`, { events, contract }) : "";
  },
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
    restrictToChosen(node);
  },
};

/** A person who chooses a contract expects its events only. The box can be unticked, for the names of the ABI alone. */
function restrictToChosen(node: EditedNode): void {
  const [contract, only] = [inputOf("contract"), inputOf("expectContract")];
  const chosen = (): string => String(contract.val() ?? "").replace(NONE, "");
  let before = String(node.contract ?? "");
  contract.on("change", () => {
    // Node-RED also reports a change when the form opens.
    if (chosen() === before) return;
    if (before === "" || chosen() === "") only.prop("checked", chosen() !== "").trigger("change");
    before = chosen();
  });
}

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
