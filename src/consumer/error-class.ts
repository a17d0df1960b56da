import { CrecError } from "../errors.ts";
import type { ErrorClass } from "./intervals.ts";

/** Waiting does not help: a person has to decide, then `seek` or start again. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  "CHANNEL_REPLACED",
  "CURSOR_OF_ANOTHER_CHANNEL",
  "CURSOR_FILE_DAMAGED",
  "CONSUMER_NAME_TAKEN",
  "CLIENT_CLOSED",
]);

/** What is missing is probably being created. */
const MISSING: ReadonlySet<string> = new Set(["CHANNEL_NOT_FOUND", "NOT_FOUND", "WATCHER_NOT_FOUND"]);

/** Whether waiting does not help: a person has to decide. */
export function isFinal({ code }: CrecError): boolean {
  return FINAL_CODES.has(code);
}

/** How long to wait after an error. */
export function errorClassOf({ code }: CrecError): ErrorClass {
  if (code === "KEY_REFUSED" || code === "ORGANIZATION_NOT_FOUND" || code === "FORBIDDEN") return "refused";
  return MISSING.has(code) ? "waiting" : "error";
}

/** Whether an event is larger than an answer may be. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof CrecError && error.code === "EVENT_TOO_LARGE";
}

/** Whether it is the channel that is not there. */
export function isOfChannel({ code }: CrecError): boolean {
  return code === "CHANNEL_NOT_FOUND" || code === "NOT_FOUND";
}

/** How long the service asked to wait, in milliseconds. */
export function retryAfterOf(error: CrecError): number | undefined {
  const { retryAfterMs } = error as { retryAfterMs?: unknown };
  return typeof retryAfterMs === "number" ? retryAfterMs : undefined;
}

/** Whatever was thrown, as an error of this library. */
export function asCrecError(thrown: unknown): CrecError {
  if (thrown instanceof CrecError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new CrecError("CONSUMER_FAILED", `Reading events failed: ${message}. It is tried again.`, {
    cause: thrown,
    retryable: true,
  });
}
