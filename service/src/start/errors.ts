import type { Problem } from "./messages.ts";
import type { StartError } from "./types.ts";

export function startError(problem: Problem, log: readonly string[], cause?: unknown): StartError {
  const error = new Error(problem.message, cause === undefined ? undefined : { cause });
  error.name = "StartError";
  return Object.assign(error, { code: problem.code, log });
}

export function aborted(signal: AbortSignal, log: readonly string[]): StartError {
  const message = "The start of the local service was aborted by its signal.";
  return startError({ code: "ABORTED", message }, log, signal.reason);
}
