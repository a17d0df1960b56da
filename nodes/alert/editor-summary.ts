import type { EditedNode } from "../common/editor/api.ts";
import type { ConditionRows } from "../common/editor/conditions/rows.ts";
import { inputOf, partOf } from "../common/editor/form-fields.ts";
import { liveCheck, TYPED } from "../common/editor/live-check.ts";
import { isOn } from "../common/shared/field-rules.ts";
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

/** Reads the rule back in one sentence, as the form is filled in now. */
export function showSummary(node: EditedNode, rows: ConditionRows): void {
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
