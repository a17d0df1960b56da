import type { EditedNode } from "../../common/editor/api.ts";
import { partOf } from "../../common/editor/form-fields.ts";
import { inputOf } from "../../common/editor/form-rows.ts";
import { listed } from "../../common/editor/lookups/lookup.ts";
import { liveCheck, TYPED } from "../../common/editor/while-open.ts";
import { splitNames } from "../../common/shared/text.ts";
import { isChosen } from "../../common/shared/variables.ts";
import { NODE } from "../fields.ts";

/** Says in one sentence what the node sends, as the form is filled in now. */
export function showSummary(node: EditedNode): void {
  const part = partOf(NODE, "summary").addClass("form-tips").css("margin-bottom", "12px");
  const [channel, confidence, events] = [inputOf("channel"), inputOf("confidence"), inputOf("contractEvent")];
  let levels: string[] | undefined;
  const show = (): void => {
    const { what, isContractEvents } = subject(node, events);
    const verified = inputOf("verify").is(":checked") ? node._("events-in.summary.verified", { what }) : what;
    part.text(
      isContractEvents
        ? node._("events-in.summary.sends", { what: verified, how: level(node, confidence, levels) })
        : node._("events-in.summary.sends-unfiltered", { what: verified }),
    );
  };
  const look = liveCheck(
    channel,
    () => {
      const id = String(channel.val() ?? "");
      return isChosen(id) ? listed("levels", id) : undefined;
    },
    (answer) => {
      const isKnown = answer !== undefined && answer.problem === undefined && !answer.undeployed;
      levels = isKnown ? answer.choices.map(({ value }) => value) : undefined;
      show();
    },
  );
  channel.on("change", () => look.now());
  const ticks = NODE.fields.types.options.map((type) => tickOf(type));
  for (const field of [confidence, inputOf("verify"), ...ticks]) field.on("change", show);
  events.on(TYPED, show);
  show();
  look.now();
}

function subject(node: EditedNode, events: JQuery): { what: string; isContractEvents: boolean } {
  const types = NODE.fields.types.options.filter((type) => tickOf(type).is(":checked"));
  const names =
    events.typedInput("type") === "str" ? splitNames(String(events.typedInput("value") ?? "")) : [];
  if (names.length > 0)
    return {
      what: node._("events-in.summary.named-events", { names: names.join(", ") }),
      isContractEvents: true,
    };
  if (types.length === 1 && types[0] === "watcher.event")
    return { what: node._("events-in.summary.contract-events"), isContractEvents: true };
  const what =
    types.length === 0
      ? node._("events-in.summary.all")
      : node._("events-in.summary.types", { types: types.join(", ") });
  return { what, isContractEvents: false };
}

function level(node: EditedNode, confidence: JQuery, levels: readonly string[] | undefined): string {
  const chosen = String(confidence.val() ?? "") || "any";
  if (chosen !== "highest") return node._(`events-in.summary.${chosen}`);
  if (levels === undefined || levels.length === 0) return node._("events-in.summary.highest");
  const stated = levels.filter((one) => one !== "");
  return stated.length === 0
    ? node._("events-in.summary.highest-unknown")
    : node._("events-in.summary.highest-known", { levels: stated.join(", ") });
}

function tickOf(type: string): JQuery {
  return partOf(NODE, `types-${type.replaceAll(".", "-")}`);
}
