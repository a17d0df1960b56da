import type { AlertSettings, AlertWhen } from "../../src/index.ts";
import type { ContractRef } from "../common/fields/config-nodes.ts";
import type { FieldReader, FormContext } from "../common/fields/field-reader.ts";
import type { Library } from "../common/library.ts";
import type { ConditionDef } from "../common/shared/stored-values.ts";
import { durationMs } from "../common/shared/times.ts";
import { NODE } from "./fields.ts";

export type AlertFields = FieldReader<typeof NODE>;

/** What the code of one alert works with. */
export type AlertContext = FormContext<typeof NODE>;

type DurationField = "within" | "compared" | "absentFor" | "quiet" | "confirmWithin" | "slack";

type TextField = DurationField | "sumField" | "limit" | "forEachField";

/** Block times of a key that count exactly. */
const MOST_MARKS = 10_000;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** What the form says about when to alert. @throws INVALID_FIELD, MISSING_VALUE, VARIABLE_MISSING */
export function alertSettings(fields: AlertFields): AlertSettings {
  return {
    when: whenOf(fields),
    quietMs: duration(fields, "quiet"),
    recovers: fields.flag("recovers"),
    summarizes: fields.flag("summarizes"),
    slackMs: duration(fields, "slack"),
    confirmWithinMs: fields.flag("takenBack") ? duration(fields, "confirmWithin") : undefined,
    maxKeys: fields.number("maxKeys"),
    maxMarks: MOST_MARKS,
  };
}

function whenOf(fields: AlertFields): AlertWhen {
  const kind = fields.choice("when");
  switch (kind) {
    case "each":
      return { kind };
    case "count":
      return { kind, times: fields.number("times"), withinMs: duration(fields, "within") };
    case "sum":
      return { kind, withinMs: duration(fields, "within"), ...limitOf(fields) };
    case "rate":
      return {
        kind,
        factor: fields.number("factor"),
        least: fields.number("least"),
        withinMs: duration(fields, "within"),
        comparedMs: duration(fields, "compared"),
      };
    case "absence":
      return { kind, forMs: duration(fields, "absentFor") };
  }
}

/** What the rule compares and counts: not its limits, times and texts, which may change while an alert is open. */
export function fingerprintOf(fields: AlertFields, contract: ContractRef | undefined): string {
  const { settings } = fields;
  const [when, forEach] = [fields.choice("when"), fields.choice("forEach")];
  const { conditions, endConditions, forEachValue = "" } = settings;
  const ends =
    when === "each" && fields.choice("endsWhen") === "conditions"
      ? [fields.choice("endMatch"), shapesOf(endConditions)]
      : [];
  return JSON.stringify([
    when,
    when === "sum" ? [sumOf(fields), fields.choice("limitUnit"), fields.choice("limitIs")] : [],
    [
      forEach,
      forEach === "field" ? textOf(fields, "forEachField") : forEach === "expression" ? forEachValue : "",
    ],
    fields.flag("recovers"),
    contract === undefined ? "" : `${contract.chainSelector} ${contract.address.toLowerCase()}`,
    [fields.choice("match"), shapesOf(conditions), ends],
  ]);
}

/** What rows compare, without the limits that they compare with. */
function shapesOf(rows: unknown): unknown[] {
  return (Array.isArray(rows) ? (rows as ConditionDef[]) : []).map((row) =>
    row.kind === "expression"
      ? [row.value, row.not === true]
      : [row.field, row.is, row.not === true, ...(row.field === "name" ? [row.value] : [])],
  );
}

/** @throws INVALID_FIELD where a field that the form asks for is not the path of one, VARIABLE_MISSING */
export function checkPaths(fields: AlertFields, { parseFieldPath }: Pick<Library, "parseFieldPath">): void {
  const isSum = fields.choice("when") === "sum" && fields.choice("sumFrom") === "field";
  const sums = isSum ? (["sumField"] as const) : [];
  const keys = fields.choice("forEach") === "field" ? (["forEachField"] as const) : [];
  for (const name of [...sums, ...keys]) {
    const text = textOf(fields, name);
    try {
      parseFieldPath(text, name);
    } catch {
      throw fields.wrong(name, text, "alert.error.path");
    }
  }
}

function limitOf(fields: AlertFields) {
  const limit = required(fields, "limit");
  if (!DECIMAL.test(limit)) throw fields.wrong("limit", limit);
  const inTokens = fields.choice("limitUnit") === "token";
  return {
    field: sumOf(fields),
    limit,
    is: fields.choice("limitIs"),
    ...(inTokens ? { unit: "token" as const } : {}),
  };
}

/** What is added up: a field, or an expression. */
export function sumOf(fields: AlertFields): string {
  const { sumValue = "" } = fields.settings;
  return fields.choice("sumFrom") === "field" ? textOf(fields, "sumField") : String(sumValue);
}

/** @throws MISSING_VALUE, VARIABLE_MISSING */
export function required(fields: AlertFields, name: "limit" | "forEachField"): string {
  const text = textOf(fields, name);
  if (text === "") throw fields.missing(name);
  return text;
}

/** The text of a field; of an empty one, the default. @throws VARIABLE_MISSING */
export function textOf(fields: AlertFields, name: TextField): string {
  const { default: usual = "" } = NODE.fields[name] as { default?: string };
  return fields.text(name) || usual;
}

function duration(fields: AlertFields, name: DurationField): number {
  // Only `quiet` has no default: empty means no quiet time.
  const text = textOf(fields, name) || "0s";
  const ms = durationMs(text);
  if (ms === undefined) throw fields.wrong(name, text);
  return ms;
}
