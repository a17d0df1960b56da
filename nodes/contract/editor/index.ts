import type { EditedNode } from "../../common/editor/api.ts";
import { hintUnder, inputOf, problemUnder } from "../../common/editor/form-rows.ts";
import { type Offered, offeredIn } from "../../common/editor/lookups/abi.ts";
import { checkAddress } from "../../common/editor/lookups/read-contract.ts";
import type { NodeForm } from "../../common/editor/node-form.ts";
import { liveCheck, TYPED } from "../../common/editor/while-open.ts";
import type { AbiChoice, EventChoice, FunctionChoice } from "../../common/shared/form-types.ts";
import { abiButtons } from "./abis.ts";
import { readButton, readWhenSaved } from "./read.ts";

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

/** As many sentences as there is room for. */
const MOST_SENTENCES = 3;

/** Shows what the ABI offers, or what is wrong with it, also before the first deploy. */
function checkAbi(node: EditedNode, field: JQuery): void {
  const found = hintUnder(field);
  const unusable = hintUnder(field);
  const problem = problemUnder(field);
  const choice = hintUnder(field);
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
      choice.say("", functions.choices && selectAbi(node, field, functions.choices));
      unusable.say(unusableIn(node, functions.unusable ?? []));
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

function unusableIn(node: EditedNode, sentences: readonly string[]): string {
  if (sentences.length === 0) return "";
  const more = sentences.length - MOST_SENTENCES;
  const shown = sentences.slice(0, MOST_SENTENCES).join(" ");
  return node._("contract.found.unusable", { sentences: more > 0 ? `${shown} … +${more}` : shown });
}

/** Puts the chosen one of several ABIs in the place of the text that holds them all. */
function selectAbi(node: EditedNode, field: JQuery, choices: readonly AbiChoice[]): JQuery {
  const label = node._("contract.label.standards");
  const select = $("<select>")
    .attr("aria-label", label)
    .append($("<option>").val("").text(node._("common.choose")));
  for (const [index, { name, functions, events }] of choices.entries()) {
    const counts = node._("contract.found.both", { functions, events });
    select.append($("<option>").val(String(index)).text(`${name} (${counts})`));
  }
  select.on("change", () => {
    const chosen = choices[Number(select.val() || Number.NaN)];
    if (chosen) field.val(chosen.abi).trigger("change");
  });
  return $("<span>").text(`${label}: `).append(select);
}
