import { describeContractNetwork } from "../lib/editor/contract-network.ts";
import { offerEventNames } from "../lib/editor/event-names.ts";
import { inputOf } from "../lib/editor/form-fields.ts";
import type { NodeForm } from "../lib/editor/node-form.ts";
import { TEXT_TYPES } from "../lib/shared/fields.ts";

export const form: NodeForm = {
  checks: {
    expectContract(node) {
      const isChosen = Boolean(node.contract) && node.contract !== "_ADD_";
      return node.expectContract && !isChosen ? node._("verify-event.error.contract") : undefined;
    },
  },
  opened(node) {
    const [connection, channel, contract] = [inputOf("connection"), inputOf("channel"), inputOf("contract")];
    offerEventNames(node, {
      ...{ name: "expectEvents", types: TEXT_TYPES.slice(1), isList: true },
      channels: () => channelsOf(String(connection.val() ?? ""), String(channel.val() ?? "")),
      contract: () => String(contract.val() ?? ""),
      depends: connection.add(channel).add(contract),
    });
    describeContractNetwork(inputOf("connection"), (connection) => connection);
    showSignedBy();
  },
};

/** The chosen channel, else all of the connection. */
function channelsOf(connection: string, channel: string): string[] {
  if (channel !== "" && channel !== "_ADD_") return [channel];
  const channels: string[] = [];
  RED.nodes.eachConfig((config) => {
    if (config.type === "crec-channel" && config.connection === connection) channels.push(config.id);
  });
  return channels;
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
