import { ArgumentError } from "../../errors.ts";

const VISIBLE = /^[\x21-\x7e]+$/;

/**
 * An option that becomes part of a header or an address, without the spaces around it: visible ASCII only.
 *
 * @param what Says in the error what the option must be.
 * @throws {ArgumentError} naming the option
 */
export function visibleText(text: string, path: string, what: string): string {
  const trimmed = typeof text === "string" ? text.trim() : "";
  if (VISIBLE.test(trimmed)) return trimmed;
  throw new ArgumentError(path, `${path} must be ${what}.`);
}
