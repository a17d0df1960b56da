import { CrecError } from "../../errors.ts";
import { duration, kindOf, optional, positiveWhole, request, text } from "../../options/index.ts";
import { REDELIVERY } from "../../retry/policies.ts";
import { backoffMs } from "../../retry/retry.ts";

/**
 * What to do with an event that was not processed: send it again after `afterMs` milliseconds, or pass it to
 * `onRejected`. Without `afterMs` the wait is 1 s after the first attempt, twice as long after each further one, at
 * most 60 s.
 */
export type Refusal = { afterMs?: number; reason?: string } | { reject: true; reason?: string };

type AnyRefusal = { afterMs?: number | undefined; reason?: string | undefined; reject?: true | undefined };

const readRefusal = request<AnyRefusal>({
  afterMs: optional(duration),
  reason: optional(text),
  reject: optional(kindOf<true>("true", (value) => value === true)),
});

/** @throws {ArgumentError} naming `afterMs`, for example. */
export function refusalOf(refusal: Refusal, path: string): Refusal {
  return readRefusal(refusal, path) as Refusal;
}

/** How long a refused event waits before it is sent again, in milliseconds: after the given attempt (1, 2, …). */
export function redeliveryMs(attempt: number): number {
  return backoffMs(REDELIVERY, positiveWhole(attempt, "attempt"));
}

export function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

export function deliveryFailed({ offset }: { offset: number }, cause: unknown): CrecError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new CrecError(
    "DELIVERY_FAILED",
    `The event at offset ${offset} could not be delivered: ${message}. It is tried again.`,
    { cause, retryable: true },
  );
}

/** An event that is dropped because nothing takes it; `todo` says what else to do. */
export function skipped(
  { offset }: { offset: number },
  why: string,
  todo = "Set onRejected to receive such events.",
): CrecError {
  return new CrecError("EVENT_REJECTED", `The event at offset ${offset} is skipped. ${why} ${todo}`);
}
