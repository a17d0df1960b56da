import { ArgumentError } from "../errors.ts";

/** An ABI that cannot be read: `ABI_INVALID`. */
export function invalid(path: string, message: string, cause?: unknown): ArgumentError {
  return new ArgumentError(path, message, { code: "ABI_INVALID", cause });
}
