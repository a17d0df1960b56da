import { type Offered, offeredIn } from "../lib/editor/abi.ts";
import type { EditedNode } from "../lib/editor/api.ts";
import { checkAddress } from "../lib/editor/check-address.ts";
import { hintUnder, problemUnder } from "../lib/editor/form-rows.ts";
import { liveCheck, TYPED } from "../lib/editor/live-check.ts";
import { describeUnder, lookUp } from "../lib/editor/lookup.ts";
import { forms } from "../lib/editor/register.ts";
import { ADDRESS, both, DIGITS, filled, matching } from "../lib/editor/validate.ts";
import type { EventChoice, FunctionChoice } from "../lib/shared/form-types.ts";

const PLACES = /^(?:[0-9]|[1-6][0-9]|7[0-7])$/;

forms.registerType("crec-contract", {
  category: "config",
  defaults: {
    name: { value: "" },
    connection: { value: "", type: "crec-connection", required: false },
    chainSelector: {
      value: "",
      validate: both(filled("contract.error.network"), matching(DIGITS, "contract.error.network")),
    },
    address: {
      value: "",
      validate: both(filled("common.error.address"), matching(ADDRESS, "common.error.address")),
    },
    abi: { value: "", validate: filled("contract.error.abi") },
    decimals: { value: "", validate: matching(PLACES, "contract.error.decimals") },
  },
  label() {
    return this.name || String(this.address || "") || this._("contract.label.contract");
  },
  oneditprepare() {
    const connection = () => String($("#node-config-input-connection").val() ?? "");
    const network = $("#node-config-input-chainSelector");
    network.autoComplete({ minLength: 0, search: lookUp("networks", connection) });
    const described = describeUnder(this, network, "networks", connection, "contract.error.network-unknown");
    $("#node-config-input-connection").on("change", () => described.now());
    checkAddress(this, $("#node-config-input-address"));
    checkAbi(this, $("#node-config-input-abi"));
    hintUnder($("#node-config-input-decimals")).say(this._("contract.hint.decimals"));
  },
});

/** Says what an ABI offers, or what is wrong with it, also before the first deploy. */
function checkAbi(node: EditedNode, field: JQuery): void {
  const found = hintUnder(field);
  const problem = problemUnder(field);
  const check = liveCheck<[Offered<FunctionChoice>, Offered<EventChoice>]>(
    field,
    () => {
      const abi = String(field.val() ?? "");
      return Promise.all([
        offeredIn<FunctionChoice>(node, "functions", node.id, abi),
        offeredIn<EventChoice>(node, "events", node.id, abi),
      ]);
    },
    ([functions, events] = [{}, {}]) => {
      problem.say(functions.problem ?? "");
      if (!functions.found || !events.found) return found.say("");
      const counts = { functions: functions.found.length, events: events.found.length };
      found.say(
        counts.functions + counts.events > 0
          ? node._("contract.found.both", counts)
          : node._("contract.found.none"),
      );
    },
  );
  field.on(TYPED, () => check.soon());
  check.now();
}
