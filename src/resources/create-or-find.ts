import { CrecError } from "../errors.ts";
import { BadResponseError, backoffMs, HttpError, RateLimitError } from "../http/index.ts";
import { pause } from "./pause.ts";

const ATTEMPTS = 3;

/**
 * Finds a resource by its unique name or creates it. A create is never repeated blindly: after a lost
 * answer, and when somebody else was quicker, it looks again first.
 */
export async function createOrFind<T>(
  steps: { find: () => Promise<T | undefined>; create: () => Promise<T> },
  /** The caller's, and the one that fires when the client is closed. */
  signals: ReadonlyArray<AbortSignal | undefined>,
): Promise<{ resource: T; found: boolean }> {
  for (let attempt = 1; ; attempt++) {
    const resource = await steps.find();
    if (resource !== undefined) return { resource, found: true };
    try {
      return { resource: await steps.create(), found: false };
    } catch (error) {
      if (attempt === ATTEMPTS || !(isTaken(error) || isAnswerLost(error))) throw error;
      await pauseBefore(attempt, error, signals);
    }
  }
}

/** Whether a call may have been carried out though its answer never came, or said nothing readable. */
export function isAnswerLost(error: unknown): error is HttpError {
  if (error instanceof BadResponseError) return error.status === undefined || error.status < 300;
  return error instanceof HttpError && error.retryable;
}

function isTaken(error: unknown): boolean {
  return error instanceof CrecError && error.code.endsWith("_ALREADY_EXISTS");
}

/** The longest wait a service is granted between two looks. */
const LONGEST_PAUSE_MS = 10_000;

/** Waits as the service asks, else with growing jitter. @throws the error itself when the wait asked for is too long. */
export async function pauseBefore(
  attempt: number,
  error: unknown,
  signals: ReadonlyArray<AbortSignal | undefined>,
): Promise<void> {
  const asked = error instanceof HttpError ? error.retryAfterMs : undefined;
  if (asked !== undefined && asked > LONGEST_PAUSE_MS) throw error;
  await pause(asked ?? backoffMs(error instanceof RateLimitError ? attempt + 2 : attempt), signals);
}
