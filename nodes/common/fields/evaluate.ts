import type { NodeAPI } from "node-red";
import type { NodeContext, Translate } from "../context.ts";
import type { CrecMessage } from "../messages/message.ts";
import { type CodedError, messageOf, translatedError } from "../shared/errors.ts";
import { requireSet } from "../shared/variables.ts";

/** What reads the inputs of a node. */
export type Evaluating = Omit<NodeContext, "closed">;

/** A typed input as a form stores it, with the name that errors give it: a label, or a path such as `calls[0].to`. */
export type TypedValue = {
  label: string;
  value: string;
  type: string;
  /** Of an amount every digit counts: a number that may be rounded is refused. */
  isAmount?: boolean;
};

/**
 * The value of a typed input for this message.
 * @throws VARIABLE_MISSING, or INVALID_FIELD when an expression cannot be evaluated
 */
export async function evaluate(
  { RED, node, t }: Evaluating,
  msg: CrecMessage,
  { label, value, type }: TypedValue,
): Promise<unknown> {
  // In an expression `${NAME}` can mean something else.
  if (type !== "jsonata") requireSet(value);
  // Node-RED reads an empty number as 0.
  if (type === "num" && value.trim() === "") return undefined;
  return new Promise((resolve, reject) => {
    const refuse = (why: string, cause?: unknown) => {
      const words = { label, why, from: `${type} ${value}` };
      reject(translatedError("INVALID_FIELD", t("common.error.not-evaluated", words), cause));
    };
    RED.util.evaluateNodeProperty(value, type, node, msg, (error, result) => {
      // It would be awaited, and one that never settles would hold the message forever.
      if (!error && isThenable(result)) refuse("it is a promise, await it in a function node");
      else if (!error) resolve(result);
      // `crec.event` of a message without `crec`: that is empty, and the node says what it needs.
      else if (type === "msg" && error instanceof TypeError) resolve(undefined);
      else {
        refuse(error.message.replace(/[.\s]+$/, ""), error);
      }
    });
  });
}

/**
 * As `evaluate`; undefined only where the form leaves the field empty. What a message or variable should give and does
 * not must never count as "nothing was asked for".
 * @throws MISSING_VALUE, VARIABLE_MISSING, INVALID_FIELD
 */
export async function evaluatePresent(
  context: Evaluating,
  msg: CrecMessage,
  typed: TypedValue,
): Promise<unknown> {
  const found = await evaluate(context, msg, typed);
  if (!isNothing(found)) return found;
  if (isLeftEmpty(typed)) return undefined;
  throw missingValue(context.t, typed);
}

/**
 * As `evaluatePresent`, for a whole object that a service could read as "everything" where there is none: blank text,
 * as of a variable that is not set, is nothing too. JSON that was typed into the form stays as it is.
 * @throws MISSING_VALUE, VARIABLE_MISSING, INVALID_FIELD
 */
export async function evaluateWhole(
  context: Evaluating,
  msg: CrecMessage,
  typed: TypedValue,
): Promise<unknown> {
  if (isLeftEmpty(typed)) return undefined;
  const found = await evaluate(context, msg, typed);
  const isBlank = typeof found === "string" && found.trim() === "";
  if (typed.type === "json" || !(isNothing(found) || isBlank)) return found;
  throw missingValue(context.t, typed);
}

/** Whether a value is none at all, whatever type is expected. */
export function isNothing(value: unknown): boolean {
  return value === undefined || value === null || Number.isNaN(value);
}

function isLeftEmpty({ value }: TypedValue): boolean {
  return value.trim() === "";
}

/** A message can hold anything: where even the look throws, the value is refused as what it is. */
function isThenable(value: unknown): boolean {
  try {
    return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
  } catch {
    return false;
  }
}

/** Text, or `undefined` where it is empty; numbers become text. @throws INVALID_FIELD, VARIABLE_MISSING */
export async function evaluateText(
  context: Evaluating,
  msg: CrecMessage,
  typed: TypedValue,
): Promise<string | undefined> {
  const { label } = typed;
  const found = await evaluate(context, msg, typed);
  if (found === undefined || found === null || found === "") return undefined;
  if (typeof found === "number") return exactText(context.t, label, found, typed.isAmount);
  if (typeof found === "string") return found;
  throw translatedError("INVALID_FIELD", context.t("common.error.not-text", { label, kind: kindOf(found) }));
}

/** Text; undefined only where the form leaves the field empty. @throws MISSING_VALUE, INVALID_FIELD, VARIABLE_MISSING */
export async function evaluateOptional(
  context: Evaluating,
  msg: CrecMessage,
  typed: TypedValue,
): Promise<string | undefined> {
  return isLeftEmpty(typed) ? undefined : evaluateRequired(context, msg, typed);
}

/** @throws MISSING_VALUE, INVALID_FIELD, VARIABLE_MISSING */
export async function evaluateRequired(
  context: Evaluating,
  msg: CrecMessage,
  typed: TypedValue,
): Promise<string> {
  const text = await evaluateText(context, msg, typed);
  if (text !== undefined && text.trim() !== "") return text;
  throw missingValue(context.t, typed);
}

/** The error about an empty value that is needed. */
export function missingValue(t: Translate, { label, type, value }: TypedValue): CodedError {
  const key = type === "str" ? "common.error.empty" : "common.error.empty-from";
  return translatedError("MISSING_VALUE", t(key, { label, from: `${type}.${value}` }));
}

/**
 * A number beyond what numbers hold exactly may already be another one; of an amount also a fraction of 16 digits or more.
 * @throws INVALID_FIELD
 */
export function exactText(t: Translate, label: string, value: number, isAmount = false): string {
  const digits = value.toExponential().replace(/e.*|\D/g, "").length;
  const isExact = Number.isInteger(value) || !isAmount || digits < 16;
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER && isExact) return String(value);
  const key = Number.isFinite(value) ? "common.error.rounded" : "common.error.not-number";
  throw translatedError("INVALID_FIELD", t(key, { label }));
}

/** From a flow written by hand anything may come: a misspelt option is refused. @throws INVALID_FIELD naming the options */
export function optionOf<const T extends string>(
  t: Translate,
  label: string,
  value: unknown,
  options: readonly T[],
  shown: (value: unknown) => string = shownValue,
): T {
  const option = options.find((one) => one === value);
  if (option !== undefined) return option;
  const words = { label, value: shown(value), options: options.filter(Boolean).join(", ") };
  throw translatedError("INVALID_FIELD", t("common.error.option", words));
}

const LONGEST_SHOWN = 100;

/** A value as an error shows it. */
export function shownValue(value: unknown): string {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

/** What a value is, in a sentence. */
export function kindOf(value: unknown): string {
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** A JSONata expression that is parsed once, for any number of messages. It rejects with the error of the expression. */
type PreparedExpression = (msg: CrecMessage) => Promise<unknown>;

/** @throws INVALID_FIELD where it is not JSONata; `label` names it */
export function prepareExpression(context: Evaluating, label: string, text: string): PreparedExpression {
  const expression = parsed(context, label, text);
  return (msg) =>
    new Promise((resolve, reject) => {
      context.RED.util.evaluateJSONataExpression(expression, msg, (error, result) => {
        if (error) reject(error);
        else resolve(result);
      });
    });
}

function parsed(
  { RED, node, t }: Evaluating,
  label: string,
  text: string,
): ReturnType<NodeAPI["util"]["prepareJSONataExpression"]> {
  try {
    return RED.util.prepareJSONataExpression(text, node);
  } catch (error) {
    const why = messageOf(error).replace(/[.\s]+$/, "");
    const words = { label, why, from: `jsonata ${text}` };
    throw translatedError("INVALID_FIELD", t("common.error.not-evaluated", words), error);
  }
}
