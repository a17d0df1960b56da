import { extensionNamed } from "../../../src/protocol/index.ts";
import type { EditedNode } from "../../common/editor/api.ts";
import { describeContractNetwork } from "../../common/editor/calls/contract-select.ts";
import { hintUnder, inputOf } from "../../common/editor/form-rows.ts";
import type { NodeForm } from "../../common/editor/node-form.ts";
import { eventsIn } from "../../common/editor/node-label.ts";
import { atPresent } from "../../common/editor/values/validate.ts";
import { type EventSource, eventsField } from "./events.ts";
import { warnOfMissingContract } from "./exists.ts";

export const form: NodeForm = {
  label: (node) => {
    const events = eventsIn(node, "events");
    return events ? node._("create-watcher.label-of", { events }) : "";
  },
  checks: {
    // With a contract, an empty address is the contract's own.
    address: (node, value) => {
      const isMissing = !isByContract(node) && String(value ?? "").trim() === "";
      return isMissing ? node._("common.error.address") : undefined;
    },
  },
  opened(node) {
    describeContractNetwork(inputOf("channel"), connectionOf);
    const events = eventsField(node, inputOf("contract"), () => sourceOf(node));
    const hint = hintUnder(inputOf("address"));
    const adapt = (): void => {
      hint.say(isByContract(node) ? node._("create-watcher.hint.address") : "");
      events.update();
    };
    inputOf("source").add(inputOf("extension")).on("change", adapt);
    adapt();
    warnOfMissingContract(node, () => connectionOf(String(inputOf("channel").val() ?? "")));
  },
};

function isByContract(node: EditedNode): boolean {
  const source = atPresent(node, "source");
  return source !== "service" && source !== "extension";
}

function sourceOf(node: EditedNode): EventSource {
  if (isByContract(node)) return "contract";
  return extensionNamed(atPresent(node, "source") === "extension" && atPresent(node, "extension"));
}

function connectionOf(channel: string): string {
  return String(RED.nodes.node(channel)?.connection ?? "");
}
