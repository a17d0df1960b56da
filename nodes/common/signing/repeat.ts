import { setTimeout as sleep } from "node:timers/promises";

type Repeating = {
  /** Whether this failure is to be repeated, if it is one that passes. */
  mayRepeat: () => boolean;
  /** Called before each pause. */
  onFailure: (error: Error) => void;
  /** How long it may take from now on, in milliseconds. */
  leftMs: () => number;
  signal: AbortSignal;
};

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/**
 * Repeats what fails only for a while, such as an outage of the service after a person has approved, until the time is
 * up. What it repeats must be safe to repeat.
 */
export async function repeatUntil<T>(work: () => Promise<T>, repeating: Repeating): Promise<T> {
  const { mayRepeat, onFailure, leftMs, signal } = repeating;
  for (let pauseMs = FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_MS)) {
    try {
      return await work();
    } catch (error) {
      const isOver = signal.aborted || pauseMs >= leftMs();
      if (isOver || !isPassing(error) || !mayRepeat()) throw error;
      onFailure(error);
      await sleep(pauseMs, undefined, { signal });
    }
  }
}

function isPassing(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  // A person may have been asked: only the flow, or a person, asks again.
  const { retryable, isAsked } = error as { retryable?: unknown; isAsked?: unknown };
  return retryable === true && isAsked !== true;
}
