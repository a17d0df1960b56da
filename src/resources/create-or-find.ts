import { CrecError } from "../errors.ts";
import { BadResponseError, HttpError, RateLimitError } from "../http/index.ts";
import { backoffMs, SCHEDULES } from "../timing/index.ts";
import { SHOWN_WITHIN_MS } from "./just-created.ts";
import { jittered, pause } from "./pause.ts";
import type { ResourceTransport } from "./resource-transport.ts";

const ATTEMPTS = 3;
const FIRST_GAP_MS = 100;
const LONGEST_GAP_MS = 2_000;

type Steps<T> = {
  /** Looks among what is not archived. */
  find: () => Promise<T | undefined>;
  create: () => Promise<T>;
  /** Whether something archived has the name, which no look finds and no wait frees. */
  isArchived: () => Promise<boolean>;
  id: (resource: T) => string;
};

/**
 * Finds a resource by its unique name or creates it. A create is never repeated blindly: after a lost
 * answer, and when somebody else was quicker, it looks again first. The list may show it late: that is waited out for
 * 30 s, or `timeoutMs` where that is shorter (default: the client's).
 */
export async function createOrFind<T extends { created_at?: number }>(
  transport: ResourceTransport,
  steps: Steps<T>,
  signal: AbortSignal | undefined,
  timeoutMs = transport.timeoutMs,
): Promise<{ resource: T; found: boolean }> {
  const { clock } = transport;
  const waitMs = Math.min(SHOWN_WITHIN_MS, timeoutMs);
  const signals = [signal, transport.closing];
  /** Since when the name is known to be taken. */
  let takenAt: number | undefined;
  let refusals = 0;
  let gap = FIRST_GAP_MS;
  for (let attempt = 1; ; attempt++) {
    const resource = await steps.find();
    if (resource !== undefined) {
      // One that a try of ours may have created is as new as what it did create.
      transport.noteCreated(steps.id(resource), attempt > 1 ? clock.now() / 1000 : resource.created_at);
      return { resource, found: true };
    }
    try {
      return { resource: await steps.create(), found: false };
    } catch (error) {
      if (isTaken(error)) {
        takenAt ??= clock.elapsed();
        const left = takenAt + waitMs - clock.elapsed();
        // As a rule the second look has found it.
        if (left <= 0 || (++refusals === 2 && (await steps.isArchived()))) throw error;
        await clock.pause(Math.min(left, jittered(gap)), signals);
        gap = Math.min(gap * 2, LONGEST_GAP_MS);
      } else {
        if (attempt >= ATTEMPTS || !isAnswerLost(error)) throw error;
        await pauseBefore(attempt, error, signals);
      }
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
  await pause(
    asked ?? backoffMs(SCHEDULES.request, error instanceof RateLimitError ? attempt + 2 : attempt),
    signals,
  );
}
