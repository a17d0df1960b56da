// What is known of an error after `isCrecError`. Lint compiles this file, and complains of a directive that is not needed: each stands
// above a mistake. Nothing runs it.
import { type CrecError, isCrecError, NotFoundError } from "../../../src/index.ts";

export function run(error: unknown): string {
  // @ts-expect-error
  if (error.code === "A") return "";
  if (!isCrecError(error)) return String(error);
  const known: CrecError = error;
  if (error instanceof NotFoundError) return String(error.status);
  const json: Record<string, unknown> = error.toJSON();
  // @ts-expect-error
  error.status;
  return `${known.code} ${error.message} ${error.retryable} ${json.code}`;
}
