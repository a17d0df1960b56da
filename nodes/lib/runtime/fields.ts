import type { Node, NodeAPI } from "node-red";
import { nodeError } from "../shared/errors.ts";
import { requireSet } from "../shared/variables.ts";
import type { CrecMessage } from "./message.ts";

/** A typed input as the editor stores it: the text, and where to look the value up. */
export type Field = { label: string; value: string | undefined; type: string | undefined };

/**
 * What a field comes to for this message.
 * @throws VARIABLE_MISSING, or INVALID_FIELD when an expression cannot be evaluated
 */
export async function readField(RED: NodeAPI, node: Node, msg: CrecMessage, field: Field): Promise<unknown> {
  // In an expression the same signs can mean something else.
  if (field.type !== "jsonata") requireSet(field.value ?? "");
  return new Promise((resolve, reject) => {
    RED.util.evaluateNodeProperty(field.value ?? "", field.type ?? "str", node, msg, (error, result) => {
      if (!error) resolve(result);
      // `crec.event` of a message without `crec`: what is not there is empty, and the node says what it misses.
      else if (field.type === "msg" && error instanceof TypeError) resolve(undefined);
      else reject(notWorkedOut(field, error));
    });
  });
}

/** A field that must come to text, or `undefined` where it is empty. Numbers become text. */
export async function readText(
  RED: NodeAPI,
  node: Node,
  msg: CrecMessage,
  field: Field,
): Promise<string | undefined> {
  const value = await readField(RED, node, msg, field);
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "number") return numberText(value, `"${field.label}"`);
  if (typeof value === "string") return value;
  throw nodeError("INVALID_FIELD", `"${field.label}" must be text, but it came to ${kindOf(value)}.`);
}

/**
 * A number as text. One beyond what a number holds exactly may not be what it was any more.
 * @throws INVALID_FIELD
 */
export function numberText(value: number, what: string): string {
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value);
  const why = Number.isFinite(value)
    ? "is a number so large that it may already be rounded; give it as text"
    : "is no number";
  throw nodeError("INVALID_FIELD", `${what} ${why}.`);
}

/** A text field that must not be empty. */
export async function requireText(RED: NodeAPI, node: Node, msg: CrecMessage, field: Field): Promise<string> {
  const text = await readText(RED, node, msg, field);
  if (text !== undefined && text.trim() !== "") return text;
  const place =
    field.type === undefined || field.type === "str"
      ? "Fill it in"
      : `It was looked for in ${field.type}.${field.value}`;
  throw nodeError("MISSING_VALUE", `"${field.label}" is empty. ${place}.`);
}

/**
 * A number of seconds to wait, in milliseconds. Asked for before anything is sent, since nobody would wait for
 * what had been started.
 */
export function waitMs(value: string | number | undefined, seconds: number): number {
  const given = value === undefined || value === "" ? seconds : Number(value);
  if (given > 0 && Number.isFinite(given)) return given * 1000;
  throw nodeError("INVALID_FIELD", `"Wait at most" must be a number of seconds above 0, not "${value}".`);
}

/**
 * One of the choices of a form; `undefined` where nothing is chosen, for what is usual. From the environment or an
 * edited flow file anything may come, and what is misspelt must not count as the usual.
 * @throws INVALID_FIELD naming the choices
 */
export function oneOf<const T extends string>(
  label: string,
  value: unknown,
  choices: readonly T[],
): T | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const choice = choices.find((one) => one === value);
  if (choice !== undefined) return choice;
  const named = choices.filter((one) => one !== "").join(", ");
  const among = choices.length === 1 ? `${named} or empty` : `one of ${named}`;
  throw nodeError("INVALID_FIELD", `"${label}" must be ${among}, not "${value}".`);
}

function notWorkedOut({ label, type, value }: Field, error: Error): Error {
  const why = error.message.replace(/[.\s]+$/, "");
  const text = `"${label}" cannot be worked out: ${why}. Check ${type} ${value} in the node's form, and what the message holds.`;
  return nodeError("INVALID_FIELD", text, error);
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}
