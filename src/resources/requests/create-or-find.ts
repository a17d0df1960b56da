import { CrecError } from "../../errors.ts";
import { BadResponseError, type CallOptions, HttpError, RateLimitError } from "../../http/index.ts";
import { CALL_LIMITS, RETRIES } from "../../retry/policies.ts";
import { Again, type RetryPolicy, retry } from "../../retry/retry.ts";
import { SHOWN_WITHIN_MS } from "./just-created.ts";
import type { ResourceTransport } from "./resource-transport.ts";

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
  let left = Number.POSITIVE_INFINITY;
  const pause = (ms: number) => clock.sleep(Math.min(left, ms), ...signals);
  return retry(pause, async (attempt) => {
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
      if (!isTaken(error)) {
        if (!isAnswerLost(error)) throw error;
        left = Number.POSITIVE_INFINITY;
        return new Again(error, { ...callPolicy(error), limit: CALL_LIMITS.create });
      }
      takenAt ??= clock.elapsed();
      left = takenAt + waitMs - clock.elapsed();
      // Usually the second search finds it.
      if (left <= 0 || (++refusals === 2 && (await steps.findArchived()))) throw error;
      return new Again(error, { ...RETRIES.taken, delay: () => RETRIES.taken.delay(refusals) });
    }
  });
}

/** Whether a call may have been executed although its answer never arrived, or is not readable. */
export function isAnswerLost(error: unknown): error is HttpError {
  if (error instanceof BadResponseError) return error.status === undefined || error.status < 300;
  return error instanceof HttpError && error.retryable;
}

function isTaken(error: unknown): boolean {
  return error instanceof CrecError && error.code.endsWith("_ALREADY_EXISTS");
}

/** How a call that acts is repeated, once it is known that it has not acted. */
export function callPolicy(failure: unknown): RetryPolicy {
  return failure instanceof RateLimitError ? RETRIES.limitedCall : RETRIES.call;
}
