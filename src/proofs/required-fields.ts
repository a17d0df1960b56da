import { type Fields, isObject } from "./fields.ts";
import { Rejection } from "./reasons.ts";

/** @throws {Rejection} `malformed_event`, with `name` in its sentence. */
export function object(value: unknown, name: string): Fields {
  if (!isObject(value)) throw new Rejection("malformed_event", `${name} is not an object`);
  return value;
}

/** @throws {Rejection} `malformed_event` */
export function text(value: unknown, name: string): string {
  if (typeof value !== "string") throw new Rejection("malformed_event", `${name} is not text`);
  return value;
}

/**
 * Ids are compared as numbers: decimal digits without leading zeros.
 * @throws {Rejection} `malformed_event`
 */
export function integer(value: unknown, name: string): string {
  const digits = Number.isSafeInteger(value) ? String(value) : value;
  if (typeof digits !== "string" || !/^\d+$/.test(digits)) {
    throw new Rejection("malformed_event", `${name} is not an integer`);
  }
  return digits.replace(/^0+(?=\d)/, "");
}
