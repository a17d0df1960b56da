import { AsyncLocalStorage } from "node:async_hooks";
import { type CodedError, nodeError } from "../shared/errors.ts";

/** A request that a connection did not let through. */
type Refusal = CodedError & { retryAfterS: number };

/** What users without `crec.write` ask for: it must not slow what flows do. */
const ofReadOnlyUser = new AsyncLocalStorage<{ refusal?: Refusal }>();

const MINUTE_MS = 60_000;
/** Of the requests a minute of a connection. */
const PART = 1 / 4;
const WITHOUT_BUDGET = 15;

/** Runs work that a user without `crec.write` has asked for. */
export function asReadOnlyUser<T>(work: () => T): T {
  return ofReadOnlyUser.run({}, work);
}

/** Runs work that somebody else has asked for, though it follows on what such a user has. */
export function asAnyUser<T>(work: () => T): T {
  return ofReadOnlyUser.exit(work);
}

export function isForReadOnlyUser(): boolean {
  return ofReadOnlyUser.getStore() !== undefined;
}

/** @throws READ_LIMIT where a connection refused a request of this work, which may have gone on without its answer */
export function requireAllAsked(): void {
  const refusal = ofReadOnlyUser.getStore()?.refusal;
  if (refusal) throw refusal;
}

/** After how many seconds to ask again; undefined for any other error. */
export function retryAfterOf(thrown: unknown): number | undefined {
  return (thrown as Partial<Refusal> | undefined)?.retryAfterS;
}

/**
 * Lets through, of what users without `crec.write` ask of one connection, a quarter of its requests a minute, each behind
 * the polls that wait. Its client calls both.
 *
 * @param now monotonic, in milliseconds
 */
export function readLimit(
  name: string,
  perMinute: number | undefined,
  now: () => number = () => performance.now(),
): { admit(): "last" | undefined; onRequest(): void } {
  const part = perMinute === undefined ? WITHOUT_BUDGET : perMinute * PART;
  const most = Math.max(1, Math.floor(part));
  const windowMs = MINUTE_MS * Math.max(1, 1 / part);
  /** When each was let through or, later, sent. Oldest first. */
  const passed: { at: number; isSent: boolean }[] = [];

  const admit = (): "last" | undefined => {
    const asking = ofReadOnlyUser.getStore();
    if (!asking) return undefined;
    const waitMs = passed.length < most ? 0 : (passed[0]?.at ?? 0) + windowMs - now();
    if (waitMs > 0) {
      asking.refusal = refusal(name, most, windowMs, Math.ceil(waitMs / 1000));
      throw asking.refusal;
    }
    if (passed.length === most) passed.shift();
    passed.push({ at: now(), isSent: false });
    return "last";
  };
  // One may wait for its turn for long: in no minute may more than these be sent.
  const onRequest = () => {
    if (!isForReadOnlyUser()) return;
    // The newest: one that waits no more, since its call has ended, stays until it is the oldest.
    const own = passed.findLastIndex(({ isSent }) => !isSent);
    passed.splice(Math.max(0, own), 1);
    passed.push({ at: now(), isSent: true });
  };
  return { admit, onRequest };
}

function refusal(name: string, most: number, windowMs: number, retryAfterS: number): Refusal {
  const seconds = Math.ceil(windowMs / 1000);
  const message = `Users without the permission crec.write have used up their part of the requests of the connection "${name}": ${most} in ${seconds} s. Wait ${retryAfterS} s, then try again.`;
  return Object.assign(nodeError("READ_LIMIT", message), { retryAfterS });
}
