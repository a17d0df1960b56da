import { isObject } from "../common/shared/collections.ts";

/** Why a value cannot be sent as a JSON object: it is something else, or a number in it was rounded. */
type JsonProblem = "not-object" | "rounded-number";

/** An object, or the JSON text of one. */
export function jsonProblem(value: unknown): JsonProblem | undefined {
  const object = parsed(value);
  if (!isObject(object)) return "not-object";
  return hasRoundedNumber(object) ? "rounded-number" : undefined;
}

const ERRORS: Readonly<Record<JsonProblem, string>> = {
  "not-object": "wallet.error.configuration",
  "rounded-number": "wallet.error.rounded-number",
};

/** The catalog's key of the sentence about a wallet's configuration; `undefined` where it can be sent. */
export function configurationError(value: unknown): string | undefined {
  const problem = jsonProblem(value);
  return problem && ERRORS[problem];
}

/** The object itself; undefined where it cannot be sent. */
export function jsonObject(value: unknown): Record<string, unknown> | undefined {
  const object = parsed(value);
  return isObject(object) && !hasRoundedNumber(object) ? object : undefined;
}

function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** An integer beyond 2^53 may have been rounded; infinity would be sent as `null`. */
function hasRoundedNumber(object: object): boolean {
  const left: unknown[] = [object];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === "number" && (!Number.isFinite(value) || isUnsafe(value))) return true;
    if (typeof value !== "object" || value === null) continue;
    for (const inner of Object.values(value)) left.push(inner);
  }
  return false;
}

function isUnsafe(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}
