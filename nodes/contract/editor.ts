import { type Offered, offeredIn } from "../lib/editor/abi.ts";
import type { EditedNode } from "../lib/editor/api.ts";
import { checkAddress } from "../lib/editor/check-address.ts";
import { inputOf } from "../lib/editor/form-fields.ts";
import { hintUnder, problemUnder } from "../lib/editor/form-rows.ts";
import { liveCheck, TYPED } from "../lib/editor/live-check.ts";
import type { NodeForm } from "../lib/editor/node-form.ts";
import type { EventChoice, FunctionChoice } from "../lib/shared/form-types.ts";
import { abiButtons } from "./editor-abis.ts";
import { readButton, readWhenSaved } from "./editor-read.ts";

export const form: NodeForm = {
  label: (node) => String(node.address || "") || node._("contract.title"),
  opened: (node) => {
    checkAddress(node, inputOf("address"));
    abiButtons(node);
    checkAbi(node, inputOf("abi"));
    readButton(node);
  },
  saved: readWhenSaved,
};

/** Shows what the ABI offers, or what is wrong with it, also before the first deploy. */
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
