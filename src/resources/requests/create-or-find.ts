import { CrecError } from "../../errors.ts";
import { BadResponseError, type CallOptions, HttpError, RateLimitError } from "../../http/index.ts";
import { backoffMs, jittered, SCHEDULES, sleep } from "../../timing/index.ts";
import { SHOWN_WITHIN_MS } from "./consistency-window.ts";
import type { ResourceTransport } from "./resource-transport.ts";

const ATTEMPTS = 3;
const FIRST_GAP_MS = 100;
const LONGEST_GAP_MS = 2_000;

type Steps<T> = {
  /** Looks for it among what is not archived. */
  find: () => Promise<T | undefined>;
  create: () => Promise<T>;
  /** Looks among what is archived: that keeps its name for good, and `find` never finds it. */
  findArchived: () => Promise<T | undefined>;
  id: (resource: T) => string;
};

/**
 * Finds a resource by its unique name or creates it. A create is never repeated blindly: after a lost answer, and when
 * another client has created it meanwhile, it is searched first. The list may show it late, which is bridged for 30 s, or
 * for `timeoutMs` where that is shorter (default: the client's).
 */
export async function createOrFind<T extends { created_at?: number }>(
  transport: ResourceTransport,
  steps: Steps<T>,
  { signal, timeoutMs = transport.timeoutMs }: CallOptions = {},
): Promise<{ resource: T; found: boolean }> {
  const { clock } = transport;
  const waitMs = Math.min(SHOWN_WITHIN_MS, timeoutMs);
  const signals = [signal, transport.closing];
  /** When the name was first found to be taken. */
  let takenAt: number | undefined;
  let refusals = 0;
  let gap = FIRST_GAP_MS;
  for (let attempt = 1; ; attempt++) {
    const resource = await steps.find();
    if (resource !== undefined) {
      // It may be the one that an earlier attempt created, so it counts as new.
      if (attempt > 1) transport.noteCreated(steps.id(resource), clock.now() / 1000);
      else transport.noteShown(steps.id(resource), resource.created_at);
      return { resource, found: true };
    }
    try {
      return { resource: await steps.create(), found: false };
    } catch (error) {
      if (isTaken(error)) {
        takenAt ??= clock.elapsed();
        const left = takenAt + waitMs - clock.elapsed();
        // Usually the second search finds it.
        if (left <= 0 || (++refusals === 2 && (await steps.findArchived()))) throw error;
        await clock.sleep(Math.min(left, jittered(gap)), ...signals);
        gap = Math.min(gap * 2, LONGEST_GAP_MS);
      } else {
        if (attempt >= ATTEMPTS || !isAnswerLost(error)) throw error;
        await pauseBefore(attempt, error, signals);
      }
    }
  }
}

/** Whether a call may have been executed although its answer never arrived, or is not readable. */
export function isAnswerLost(error: unknown): error is HttpError {
  if (error instanceof BadResponseError) return error.status === undefined || error.status < 300;
  return error instanceof HttpError && error.retryable;
}

function isTaken(error: unknown): boolean {
  return error instanceof CrecError && error.code.endsWith("_ALREADY_EXISTS");
}

/** The longest `Retry-After` that is waited for. */
const MAX_RETRY_AFTER_MS = 10_000;

/**
 * Waits as long as the service asks for, else for a growing random time, at most for `longestMs`.
 * @throws the error itself when the service asks for too long a wait.
 */
export async function pauseBefore(
  attempt: number,
  error: unknown,
  signals: ReadonlyArray<AbortSignal | undefined>,
  longestMs: number = MAX_RETRY_AFTER_MS,
): Promise<void> {
  const retryAfterMs = error instanceof HttpError ? error.retryAfterMs : undefined;
  if (retryAfterMs !== undefined && retryAfterMs > longestMs) throw error;
  const backoff = backoffMs(SCHEDULES.request, error instanceof RateLimitError ? attempt + 2 : attempt);
  await sleep(Math.min(retryAfterMs ?? backoff, longestMs), ...signals);
}
