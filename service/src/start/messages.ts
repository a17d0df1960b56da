// What `start` and the service say to each other, over the channel between their processes.
import type { ReadyInfo, StartError, StartErrorCode } from "./types.ts";

/** Whether it has started, or why it ends. */
export type ToldByService = { ready: ReadyInfo } | { problem: Problem };

export type Problem = { code: StartErrorCode; message: string };

/** The data directory is to be removed at the end, also when `start` cannot do that any more. */
export const TEMPORARY_DATA = "temporary data";

export type OrderToService = typeof TEMPORARY_DATA;

export function startError(problem: Problem, log: readonly string[], cause?: unknown): StartError {
  const error = new Error(problem.message, cause === undefined ? undefined : { cause });
  error.name = "StartError";
  return Object.assign(error, { code: problem.code, log });
}

export function aborted(signal: AbortSignal, log: readonly string[]): StartError {
  const message = "The start of the local service was aborted by its signal.";
  return startError({ code: "ABORTED", message }, log, signal.reason);
}
