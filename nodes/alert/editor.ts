import type { EditedNode } from "../common/editor/api.ts";
import { warnOfMissingDecimals } from "../common/editor/calls/decimals.ts";
import { fieldAt } from "../common/editor/conditions/fields.ts";
import { formConditions, offerFields } from "../common/editor/conditions/form-conditions.ts";
import type { ConditionRows } from "../common/editor/conditions/rows.ts";
import { partOf } from "../common/editor/form-fields.ts";
import { hintUnder, inputOf } from "../common/editor/form-rows.ts";
import type { NodeForm } from "../common/editor/node-form.ts";
import { liveCheck, TYPED } from "../common/editor/while-open.ts";
import { isOn } from "../common/shared/field-rules.ts";
import { isChosen } from "../common/shared/variables.ts";
import { NODE } from "./fields.ts";

/** What the sentence depends on, beside the conditions. */
const FIELDS = [
  ...[
    "match",
    "when",
    "times",
    "sumField",
    "sumFrom",
    "sumValue",
    "limit",
    "limitIs",
    "limitUnit",
    "factor",
    "least",
    "within",
    "compared",
  ],
  ...["absentFor", "forEach", "forEachField", "forEachValue", "quiet", "recovers", "endsWhen"],
] as const;

const PLACE = /\{\{([^{}]*)\}\}/g;
const conditions = formConditions();
const endConditions = formConditions("endConditions");

export const form: NodeForm = {
  label: (node) => String(node.title ?? "").replaceAll(/\{\{[^{}]*\}\}/g, "…"),
  checks: { conditions: conditions.check, endConditions: endConditions.check },
  opened(node) {
    const contract = inputOf("contract");
    const rows = conditions.open(node, partOf(NODE, "conditions"), { contract, startsWithOne: true });
    const none = node._("alert.error.endConditions");
    endConditions.open(node, partOf(NODE, "endConditions"), { contract, none });
    warnOfMissingDecimals(node);
    offerFields(inputOf("sumField"), rows.groups, ({ kind }) => kind === "number");
    offerFields(inputOf("forEachField"), rows.groups);
    warnOfMissingChannel(node);
    showSummary(node, rows);
    showPreview(node, rows);
  },
  cancelled() {
    conditions.cancelled();
    endConditions.cancelled();
  },
  saved(node) {
    conditions.saved(node);
    endConditions.saved(node);
  },
};

/** Only the channel can tell an outage from an absence. */
function warnOfMissingChannel(node: EditedNode): void {
  const channel = inputOf("channel");
  const hint = hintUnder(inputOf("absentFor"));
  const show = (): void => hint.say(isChosen(channel.val()) ? "" : node._("alert.hint.absence-channel"));
  channel.on("change", show);
  show();
}

/** Reads the rule back in one sentence, as the form is filled in now. */
function showSummary(node: EditedNode, rows: ConditionRows): void {
  const part = partOf(NODE, "summary").addClass("form-tips").css("margin-bottom", "12px");
  // A person who hears the form should hear the sentence once typing pauses, not at each key.
  const look = liveCheck<string>(
    part,
    () => Promise.resolve(summary(node, valueIn, rows.texts())),
    (sentence = "") => {
      if (part.text() !== sentence) part.text(sentence);
    },
  );
  for (const name of FIELDS) inputOf(name).on(TYPED, () => look.soon());
  rows.onChange(() => look.soon());
  look.now();
}

/** The value of a field of the form, or what the node uses where it is empty. */
function valueIn(name: (typeof FIELDS)[number]): string {
  const field = inputOf(name);
  if (field.is("[type=checkbox]")) return String(field.prop("checked"));
  return (
    String(field.val() ?? "").trim() ||
    String(("default" in NODE.fields[name] && NODE.fields[name].default) || "")
  );
}

function summary(
  node: EditedNode,
  value: (name: (typeof FIELDS)[number]) => string,
  conditions: readonly string[],
): string {
  const text = (key: string, values?: Record<string, unknown>) => node._(`alert.summary.${key}`, values);
  const and = text(value("match") === "any" ? "or" : "and");
  const where = conditions.length === 0 ? "" : text("where", { conditions: conditions.join(and) });
  const kind = value("when");
  const isAtMost = kind === "sum" && value("limitIs") === "atMost";
  const usual = NODE.fields.when.options.includes(kind as never) ? `when.${kind}` : "when.each";
  const when = text(isAtMost ? "when.sum-atMost" : usual, {
    where,
    ...{ times: value("times"), field: sumText(value), limit: value("limit") || "…" },
    ...{ unit: value("limitUnit") === "token" ? text("tokens") : text("smallest") },
    ...{ factor: value("factor"), least: value("least"), compared: value("compared") },
    time: kind === "absence" ? value("absentFor") : value("within"),
  });
  const key = keyText(node, value);
  const quiet = value("quiet");
  const isQuiet = quiet !== "" && !/^0+(?:\.0+)?\s*\w?$/.test(quiet);
  return [
    when,
    key === "" ? "" : text("for-each", { key }),
    isQuiet ? text("quiet", { time: quiet }) : "",
    isOn(NODE.fields.recovers, value("recovers")) ? text(endText(value)) : "",
    text("end"),
  ].join("");
}

function keyText(node: EditedNode, value: (name: (typeof FIELDS)[number]) => string): string {
  switch (value("forEach")) {
    case "contract":
      return node._("alert.forEach.contract");
    case "field":
      return shortPath(value("forEachField")) || "…";
    case "expression":
      return value("forEachValue") || "…";
    default:
      return "";
  }
}

function endText(value: (name: (typeof FIELDS)[number]) => string): string {
  return value("when") === "each" && value("endsWhen") === "conditions" ? "recovers-conditions" : "recovers";
}

function sumText(value: (name: (typeof FIELDS)[number]) => string): string {
  return value("sumFrom") === "expression" ? value("sumValue") || "…" : shortPath(value("sumField"));
}

/** As a person calls it: `value` of `params.value`. */
function shortPath(path: string): string {
  return path.replace(/^params\./, "");
}

/** Shows title and text as a person would read them, and reports a field that the contract's events do not have. */
function showPreview(node: EditedNode, rows: ConditionRows): void {
  const part = partOf(NODE, "preview").addClass("crec-hint").css("margin-bottom", "12px");
  const look = liveCheck<{ read: string; unknown: string[] }>(
    part,
    () => {
      const texts = ["title", "text"].map((name) => String(inputOf(name).val() ?? "").trim());
      return Promise.resolve({
        read: texts.filter(Boolean).map(asRead).join(" · "),
        unknown: texts.flatMap((text) => pathsIn(text)).filter((path) => isUnknown(rows, path)),
      });
    },
    (shown) => {
      const { read = "", unknown = [] } = shown ?? {};
      part.empty().toggle(read !== "");
      if (read !== "")
        $("<div>")
          .text(node._("alert.preview.reads", { text: read }))
          .appendTo(part);
      if (unknown[0] !== undefined)
        $('<div class="crec-problem">')
          .text(node._("alert.preview.unknown", { path: unknown[0] }))
          .appendTo(part);
    },
  );
  inputOf("title")
    .add(inputOf("text"))
    .on(TYPED, () => look.soon());
  rows.onChange(() => look.soon());
  look.now();
}

/** Each field by its name, since there is no event yet. */
function asRead(text: string): string {
  return text.replaceAll(PLACE, (_all, path: string) => `‹${path.trim().replace(/^params\./, "")}›`);
}

function pathsIn(text: string): string[] {
  return [...text.matchAll(PLACE)].map(([, path = ""]) => path.trim());
}

/** Only a parameter can be known to be missing, and only by an ABI. */
function isUnknown(rows: ConditionRows, path: string): boolean {
  const hasEvents = rows.groups().some(({ event }) => event !== undefined);
  if (!hasEvents || !path.startsWith("params.")) return false;
  const [, name = ""] = path.split(/[.[\]]/);
  const isPart = rows
    .groups()
    .some(({ fields }) => fields.some((field) => field.path.startsWith(`params.${name}.`)));
  return !isPart && fieldAt(rows.groups(), `params.${name}`) === undefined;
}
