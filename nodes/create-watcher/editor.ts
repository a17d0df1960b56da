import type { EditedNode } from "../lib/editor/api.ts";
import { describeContractNetwork } from "../lib/editor/contract-network.ts";
import { inputOf } from "../lib/editor/form-fields.ts";
import { hintUnder } from "../lib/editor/form-rows.ts";
import type { NodeForm } from "../lib/editor/node-form.ts";
import { eventsIn } from "../lib/editor/node-label.ts";
import { atPresent } from "../lib/editor/validate.ts";
import { eventsField } from "./editor-events.ts";
import { warnOfMissingContract } from "./editor-exists.ts";

export const form: NodeForm = {
  label: (node) => {
    const events = eventsIn(node, "events");
    return events ? node._("create-watcher.label-of", { events }) : "";
  },
  checks: {
    // With a contract, an empty address is the contract's own.
    address: (node, value) => {
      const isMissing = isByService(node) && String(value ?? "").trim() === "";
      return isMissing ? node._("common.error.address") : undefined;
    },
  },
  opened(node) {
    describeContractNetwork(inputOf("channel"), connectionOf);
    const events = eventsField(node, inputOf("contract"), () => isByService(node));
    const hint = hintUnder(inputOf("address"));
    const adapt = (): void => {
      hint.say(isByService(node) ? "" : node._("create-watcher.hint.address"));
      events.update();
    };
    inputOf("source").on("change", adapt);
    adapt();
    warnOfMissingContract(node, () => connectionOf(String(inputOf("channel").val() ?? "")));
  },
};

function isByService(node: EditedNode): boolean {
  return atPresent(node, "source") === "service";
}

function connectionOf(channel: string): string {
  return String(RED.nodes.node(channel)?.connection ?? "");
}
