import { CrecError } from "../errors.ts";
import type { CallBudget } from "./call-budget.ts";
import { BudgetError, RateLimitError, TimeoutError } from "./errors.ts";

type Method = { method: string };

/** The service said when it accepts requests again, and the call has less time. */
export function held(heldMs: number): CrecError {
  const seconds = Math.ceil(heldMs / 1000);
  const message = `The service accepts no more requests with this key for ${seconds} s, as it said in an earlier answer. Wait that long, and send fewer requests.`;
  return new RateLimitError("RATE_LIMITED", message, { retryAfterMs: heldMs, retryable: true });
}

/** The time of a call was over before its turn came. `cause`: how an earlier attempt failed. */
export function exhausted(
  { method }: Method,
  { perMinute, heldMs }: Pick<CallBudget, "perMinute" | "heldMs">,
  cause: unknown,
): CrecError {
  const why =
    heldMs > 0 || perMinute === undefined
      ? "The service accepts no more requests for now, as it said in an earlier answer. Send fewer requests, or allow the call more time."
      : `The limit of ${perMinute} requests a minute is used up. Raise it, send fewer requests, or allow the call more time.`;
  const doubt =
    method === "GET"
      ? ""
      : cause === undefined
        ? " Nothing was sent for this call."
        : " An earlier attempt may have been carried out: check before you repeat it.";
  return new BudgetError("BUDGET_EXHAUSTED", why + doubt, {
    retryable: true,
    ...(cause instanceof CrecError ? { cause } : {}),
  });
}

/** `cause`: how an earlier attempt failed. */
export function timedOut({ method }: Method, host: string, timeoutMs: number, cause?: unknown): CrecError {
  const doubt = method === "GET" ? "" : " It may have been carried out: check before you repeat it.";
  const message = `${host} did not finish its answer within ${timeoutMs} ms. Check the network, or allow more time.${doubt}`;
  const options = cause instanceof CrecError ? { cause, retryable: true } : { retryable: true };
  return new TimeoutError("TIMEOUT", message, options);
}
