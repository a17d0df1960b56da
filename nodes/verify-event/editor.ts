import type { EditedNode } from "../common/editor/api.ts";
import { describeContractNetwork } from "../common/editor/calls/contract-select.ts";
import { warnOfMissingDecimals } from "../common/editor/calls/decimals.ts";
import { inputOf } from "../common/editor/form-rows.ts";
import { offerEventNames } from "../common/editor/lookups/event-names.ts";
import type { NodeForm } from "../common/editor/node-form.ts";
import { configName, eventsIn } from "../common/editor/node-label.ts";
import { TEXT_TYPES } from "../common/shared/common-fields.ts";
import { ADD_NEW, isChosen } from "../common/shared/variables.ts";

export const form: NodeForm = {
  label: (node) => {
    const events = eventsIn(node, "expectEvents");
    const contract = node.expectContract ? configName(node.contract) : "";
    const key = `${events ? "events" : ""}${contract ? "contract" : ""}`;
    return key ? node._(`verify-event.label-of.${key}`, { events, contract }) : "";
  },
  checks: {
    expectContract(node) {
      return node.expectContract && !isChosen(node.contract)
        ? node._("verify-event.error.contract")
        : undefined;
    },
  },
  opened(node) {
    warnOfMissingDecimals(node);
    const [connection, channel, contract] = [inputOf("connection"), inputOf("channel"), inputOf("contract")];
    offerEventNames(node, {
      ...{ name: "expectEvents", types: TEXT_TYPES.slice(1), isList: true },
      channels: () => channelsOf(String(connection.val() ?? ""), String(channel.val() ?? "")),
      contract: () => String(contract.val() ?? ""),
      depends: connection.add(channel).add(contract),
    });
    describeContractNetwork(inputOf("connection"), (connection) => connection);
    showSignedBy();
    restrictToChosen(node);
  },
};

/** The chosen channel, else all of the connection. */
function channelsOf(connection: string, channel: string): string[] {
  if (isChosen(channel)) return [channel];
  const channels: string[] = [];
  RED.nodes.eachConfig((config) => {
    if (config.type === "crec-channel" && config.connection === connection) channels.push(config.id);
  });
  return channels;
}

/** A person who chooses a contract expects its events only. The box can be unticked, for the names of the ABI alone. */
function restrictToChosen(node: EditedNode): void {
  const [contract, only] = [inputOf("contract"), inputOf("expectContract")];
  const chosen = (): string => String(contract.val() ?? "").replace(ADD_NEW, "");
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
