import type { Abi, CompiledConditions, Condition } from "../../../src/index.ts";
import {
  COMPARISONS_OF_AMOUNTS,
  COMPARISONS_WITHOUT_VALUE,
  type Comparison,
} from "../../../src/protocol/index.ts";
import type { Translate } from "../context.ts";
import {
  type Evaluating,
  evaluate,
  exactText,
  kindOf,
  prepareExpression,
  type TypedValue,
} from "../fields/evaluate.ts";
import type { Library } from "../library.ts";
import { errorText } from "../messages/error-texts.ts";
import type { CrecMessage } from "../messages/message.ts";
import { nodeError, toCodedError, translatedError } from "../shared/errors.ts";
import type { ConditionDef } from "../shared/stored-values.ts";
import { splitNames } from "../shared/text.ts";

/** `isMissing`: the result is false, and the field is not there, which shows nothing. */
export type RowResult = { result: boolean | undefined; reason?: string; isMissing?: boolean };

/** A row, ready for messages. */
export type Row = {
  /** Whether neither the message nor the context gives its values: it is decided without a wait. */
  isFixed: boolean;
  /** `decimals`: those of the contract that the message is about. */
  check(msg: CrecMessage, decimals: number | undefined): RowResult | Promise<RowResult>;
};

type RowReading = { context: Evaluating; library: Library; abi: Abi | undefined };
type FieldDef = Extract<ConditionDef, { kind: "field" }>;
type ExpressionDef = Extract<ConditionDef, { kind: "expression" }>;

/** Prepared once for each number of decimals. */
type Compiled = (decimals: number | undefined) => CompiledConditions;

/** @throws INVALID_FIELD, VARIABLE_MISSING for a row that is wrong for each message */
export async function readRow(reading: RowReading, row: ConditionDef, number: number): Promise<Row> {
  const label = reading.context.t("common.error.condition-label", { number });
  try {
    if (row.kind === "field") return await fieldRow(reading, row, label);
    return expressionRow(reading, row, label);
  } catch (error) {
    const { code, message } = toCodedError(error);
    if (code !== "INVALID_ARGUMENT") throw error;
    throw nodeError("INVALID_FIELD", withLabel(label, message), error);
  }
}

async function fieldRow(reading: RowReading, row: FieldDef, label: string): Promise<Row> {
  const typed = [
    { label, value: row.value ?? "", type: row.type || "str" },
    { label, value: row.to ?? "", type: row.toType || "str" },
  ];
  const wanted = COMPARISONS_WITHOUT_VALUE.includes(row.is) ? 0 : row.is === "between" ? 2 : 1;
  const readers = typed.slice(0, wanted).map((one) => rowValueReader(reading.context, one, row.is));
  return readers.some(({ varies }) => varies)
    ? varyingRow(reading, row, readers, label)
    : fixedRow(reading, row, await valuesOf(readers, {}), label);
}

function fixedRow(
  reading: RowReading,
  row: FieldDef,
  values: readonly string[] | { reason: string },
  label: string,
): Row {
  if ("reason" in values) throw translatedError("INVALID_FIELD", withLabel(label, values.reason));
  const compiled = compiledFor(reading, row, values);
  // A wrong row is reported with the first message, whatever that is about.
  compiled(undefined);
  return {
    isFixed: true,
    check: ({ payload }, decimals) => decided(compiled(decimals), payload, label),
  };
}

function varyingRow(
  reading: RowReading,
  row: FieldDef,
  readers: readonly RowValueReader[],
  label: string,
): Row {
  let last: { values: readonly string[]; compiled: Compiled } | undefined;
  const check = async (msg: CrecMessage, decimals: number | undefined): Promise<RowResult> => {
    const values = await valuesOf(readers, msg);
    if ("reason" in values) return { result: undefined, reason: values.reason };
    if (values.length === 0) return inEmptyList(reading, row, msg);
    // A long list is prepared again only when it has changed.
    if (last === undefined || !isSame(last.values, values)) {
      last = { values, compiled: compiledFor(reading, row, values) };
    }
    try {
      return decided(last.compiled(decimals), msg.payload, label);
    } catch (error) {
      return { result: undefined, reason: withLabel(label, errorText(error)) };
    }
  };
  return { isFixed: false, check };
}

/** Nothing is one of no values. Also then a field that is missing is neither one of them nor not one of them. */
function inEmptyList({ library }: RowReading, { field, not }: FieldDef, { payload }: CrecMessage): RowResult {
  return { result: not === true && library.matchEvent([{ field, is: "exists" }], payload) };
}

function compiledFor({ library, abi }: RowReading, row: FieldDef, values: readonly string[]): Compiled {
  const known = new Map<number | undefined, CompiledConditions>();
  // A form may keep a unit from another comparison.
  const unit = COMPARISONS_OF_AMOUNTS.includes(row.is) ? row.unit || undefined : undefined;
  return (ofContract) => {
    const decimals = unit === undefined ? undefined : ofContract;
    const amount = {
      ...(unit === undefined ? {} : { unit }),
      ...(decimals === undefined ? {} : { decimals }),
    };
    const found =
      known.get(decimals) ?? library.compileConditions([{ ...conditionOf(row, values), ...amount }], abi);
    known.set(decimals, found);
    return found;
  };
}

function conditionOf({ field, is, not }: FieldDef, values: readonly string[]): Condition {
  const [value, to] = values;
  return {
    field,
    is,
    ...(is === "oneOf" ? { value: values } : value === undefined ? {} : { value }),
    ...(is === "between" && to !== undefined ? { to } : {}),
    ...(not === true ? { not } : {}),
  };
}

function expressionRow({ context }: RowReading, { value, not = false }: ExpressionDef, label: string): Row {
  const evaluate = prepareExpression(context, label, value);
  const check = async (msg: CrecMessage): Promise<RowResult> => {
    try {
      const found = await evaluate(msg);
      if (typeof found === "boolean") return { result: found !== not };
      // As for a field that is missing.
      if (found === undefined) return { result: false, isMissing: true };
      return {
        result: undefined,
        reason: context.t("common.error.condition-result", { label, kind: kindOf(found) }),
      };
    } catch (error) {
      return { result: undefined, reason: withLabel(label, errorText(error)) };
    }
  };
  return { isFixed: false, check };
}

async function valuesOf(
  readers: readonly RowValueReader[],
  msg: CrecMessage,
): Promise<readonly string[] | { reason: string }> {
  const values: string[] = [];
  for (const reader of readers) {
    const found = await reader.read(msg);
    if ("reason" in found) return found;
    values.push(...found);
  }
  return values;
}

function decided(compiled: CompiledConditions, payload: unknown, label: string): RowResult {
  const result = compiled(payload);
  if (result !== undefined) return { result, isMissing: !result && !compiled.ends(payload) };
  const [row] = compiled.explain(payload).rows;
  return { result, reason: withLabel(label, row?.reason ?? "") };
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, index) => text === b[index]);
}

/** The library's sentence begins with the path of the one row that it was given. */
function withLabel(label: string, sentence: string): string {
  const bare = sentence.replaceAll("conditions[0].", "");
  return bare.includes(label) ? bare : `${label}: ${bare}`;
}

/** The values of a row for a message, or a sentence that says why they are missing. */
type RowValues = string[] | { reason: string };

/** A typed value of a row. */
type RowValueReader = {
  /** Whether it depends on the message or the context. */
  varies: boolean;
  read(msg: CrecMessage): Promise<RowValues>;
};

/** These do not depend on the message, and are read once. */
const FIXED: readonly string[] = ["str", "num", "bool", "env"];

/** @throws INVALID_FIELD for an expression that is not JSONata */
function rowValueReader(context: Evaluating, typed: TypedValue, is: Comparison): RowValueReader {
  const { label, type, value } = typed;
  const valueFor =
    type === "jsonata"
      ? prepareExpression(context, label, value)
      : (msg: CrecMessage) => evaluate(context, msg, typed);
  const read = async (msg: CrecMessage): Promise<RowValues> => {
    const found = await valueFor(msg);
    const list = is === "oneOf" ? listOf(found) : [found];
    const texts = list?.map((one) => textOf(context.t, label, one));
    if (texts?.every((text) => text !== undefined)) return texts;
    return { reason: context.t("common.error.condition-value", { label, from: `${type} ${value}` }) };
  };
  if (FIXED.includes(type)) return { varies: false, read };
  // The next message may have what this one lacks.
  return {
    varies: true,
    read: (msg) => read(msg).catch((error: unknown) => ({ reason: errorText(error) })),
  };
}

/** A list, or text with commas between; undefined if it is missing. */
function listOf(found: unknown): readonly unknown[] | undefined {
  if (found === undefined || found === null || found === "") return undefined;
  if (typeof found === "string") return splitNames(found);
  return Array.isArray(found) ? found : [found];
}

/** An entry of a list of contacts stands for its address. @throws INVALID_FIELD for a number that may be rounded */
function textOf(t: Translate, label: string, found: unknown): string | undefined {
  if (typeof found === "string") return found;
  if (typeof found === "number") return exactText(t, label, found);
  if (typeof found === "bigint" || typeof found === "boolean") return String(found);
  const { address } = (found ?? {}) as { address?: unknown };
  return typeof address === "string" ? address : undefined;
}
