import { CrecError } from "../errors.ts";
import type { CallBudget } from "./call-budget.ts";
import { BudgetError, RateLimitError, TimeoutError } from "./errors.ts";
import { heldUpSentence } from "./faults.ts";
import type { Hop } from "./hops.ts";
import { nameOf, type UsedProxy, withProxy } from "./proxy.ts";

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

type TimedOut = {
  server: string;
  proxy: UsedProxy | undefined;
  /** Where all requests wait for a connection through the proxy. */
  heldUpAt: Hop | undefined;
  timeoutMs: number;
  /** How an earlier attempt failed. */
  cause?: unknown;
};

export function timedOut({ method }: Method, { heldUpAt, ...way }: TimedOut): CrecError {
  const { server, proxy, timeoutMs } = way;
  const cause = way.cause instanceof CrecError ? way.cause : undefined;
  const heldUp = heldUpSentence(heldUpAt, { ...way, place: "the connection" });
  const isSent = heldUp === undefined || way.cause !== undefined;
  const doubt =
    method === "GET" || !isSent ? "" : " It may have been carried out: check before you repeat it.";
  const late = `${withProxy(server, proxy)} did not finish its answer within ${timeoutMs} ms. Check the network, or allow more time.`;
  const at =
    heldUp === undefined || !proxy
      ? ({ hop: "service", host: server } as const)
      : { hop: heldUpAt, host: nameOf(proxy) };
  return new TimeoutError("TIMEOUT", (heldUp ?? late) + doubt, { cause, ...at, retryable: true });
}
