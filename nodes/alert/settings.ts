import type { AlertSettings, AlertWhen } from "../../src/index.ts";
import type { FieldReader } from "../lib/runtime/field-reader.ts";
import { durationMs } from "../lib/shared/durations.ts";
import { NODE } from "./fields.ts";

export type AlertFields = FieldReader<typeof NODE>;

type DurationField = "within" | "compared" | "absentFor" | "quiet" | "confirmWithin" | "slack";

type TextField = DurationField | "sumField" | "limit" | "forEachField";

/** Events in a window beyond these are not remembered. */
const MOST_MARKS = 10_000;
const DECIMAL = /^\d+(?:\.\d+)?$/;

/** What the form says about when to alert. @throws INVALID_FIELD, MISSING_VALUE, VARIABLE_MISSING */
export function alertSettings(fields: AlertFields, decimals: number | undefined): AlertSettings {
  return {
    when: whenOf(fields, decimals),
    quietMs: textOf(fields, "quiet") === "" ? 0 : duration(fields, "quiet"),
    recovers: fields.flag("recovers"),
    slackMs: textOf(fields, "slack") === "" ? 0 : duration(fields, "slack"),
    confirmWithinMs: fields.flag("takenBack") ? duration(fields, "confirmWithin") : undefined,
    maxKeys: fields.number("maxKeys"),
    maxMarks: MOST_MARKS,
  };
}

function whenOf(fields: AlertFields, decimals: number | undefined): AlertWhen {
  const kind = fields.choice("when");
  switch (kind) {
    case "each":
      return { kind };
    case "count":
      return { kind, times: fields.number("times"), withinMs: duration(fields, "within") };
    case "sum":
      return { kind, withinMs: duration(fields, "within"), ...limitOf(fields, decimals) };
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

function limitOf(fields: AlertFields, decimals: number | undefined) {
  const limit = required(fields, "limit");
  if (!DECIMAL.test(limit)) throw fields.wrong("limit", limit);
  const inTokens = fields.choice("limitUnit") === "token";
  return {
    field: required(fields, "sumField"),
    limit,
    ...(inTokens ? { unit: "token" as const } : {}),
    ...(inTokens && decimals !== undefined ? { decimals } : {}),
  };
}

/** @throws MISSING_VALUE, VARIABLE_MISSING */
export function required(
  fields: AlertFields,
  name: "limit" | "sumField" | "forEachField" | DurationField,
): string {
  const text = textOf(fields, name);
  if (text === "") throw fields.missing(name);
  return text;
}

/** A flow that was written by hand may leave out what has a default. */
export function textOf(fields: AlertFields, name: TextField): string {
  const { default: usual = "" } = NODE.fields[name] as { default?: string };
  return fields.settings[name] === undefined ? usual : fields.text(name);
}

function duration(fields: AlertFields, name: DurationField): number {
  const text = required(fields, name);
  const ms = durationMs(text);
  if (ms === undefined) throw fields.wrong(name, text);
  return ms;
}
