import { ArgumentError, CrecError } from "../../errors.ts";
import { bounded, HttpError, NotFoundError } from "../../http/index.ts";
import { anyText, callable, duration, type Kinds, oneOf, optional, options } from "../../options/index.ts";
import { type EventEnvelope, isStatusOf, type Lifecycle, progressTo } from "../../protocol/index.ts";
import { badResponse } from "../requests/checks.ts";
import { isEarly, isStray } from "../requests/resource-transport.ts";
import { DEFAULT_POLL_MS, DEFAULT_TIMEOUT_MS, POLLING, type PollingOptions, pollWithin } from "./polling.ts";

export type WaitOptions<S extends string, R> = PollingOptions & {
  /** The status to wait for; a stronger one counts as reached. */
  target: S;
  /** Called with the resource as first seen and at each change of its status; an error that it throws ends the wait. */
  onStatus?: ((resource: R) => unknown) | undefined;
  /**
   * Where the status is read: from the resource itself, or from the status events of its channel, which show every
   * status in the order in which they happened, also those that pass between two requests.
   * @default "resource"
   */
  by?: "resource" | "events" | undefined;
  /**
   * Milliseconds for which a resource that another client created may still be unknown. A resource that this client
   * created may be unknown for 30,000 after its create, however short the client's `timeoutMs` is.
   * @default 5_000
   */
  unknownForMs?: number | undefined;
};

/** Of any resource; the wait itself says which targets it has. */
export const WAIT: Kinds<WaitOptions<never, unknown>> = {
  ...POLLING,
  target: anyText(),
  onStatus: optional(callable()),
  by: optional(oneOf("resource", "events")),
  unknownForMs: optional(duration),
};

const waitOptions = options<WaitOptions<never, unknown>>(WAIT);

/** What a kind of resource brings to a wait. */
export type Waited<S extends string, R> = {
  /** As it is called in messages and codes: `watcher` makes `WATCHER_FAILED`. */
  noun: string;
  id: string;
  lifecycle: Lifecycle<S>;
  get: (signal: AbortSignal) => Promise<R>;
  /** Its status events so far, oldest first. */
  events: (resource: R, signal: AbortSignal) => Promise<EventEnvelope[]>;
  /** Why it ended as it did, where the service gives a reason. */
  reason: (resource: R, signal: AbortSignal) => Promise<string | undefined>;
  /** Fires when the client is closed. */
  closing: AbortSignal;
};

/** After this many requests without a new event the resource is read as well. */
const QUIET_POLLS = 4;

/**
 * Waits until a resource has reached the target status.
 * @throws {ArgumentError} for a target that is not a status of it; {WaitError} when it can no longer reach it, or not in
 * time; {HttpError} `ABORTED`, `CLIENT_CLOSED`, and what is permanent.
 */
export async function waitForStatus<S extends string, R extends { status: string }>(
  waited: Waited<S, R>,
  given: WaitOptions<S, R>,
): Promise<R> {
  const { noun, id, lifecycle } = waited;
  const { target, onStatus, ...options }: WaitOptions<S, R> = waitOptions(given);
  const { timeoutMs = DEFAULT_TIMEOUT_MS, pollMs = DEFAULT_POLL_MS } = options;
  if (!isStatusOf(lifecycle, target)) throw unknownTarget(waited);
  const unknownUntil = performance.now() + (options.unknownForMs ?? 5_000);
  const progress = (status: string) => progressTo(lifecycle, target, status);
  let lastStatus: string | undefined;
  let last: R | undefined;
  /** In which the last request ended. */
  let lastError: unknown;

  const read =
    options.by === "events"
      ? byEvents(waited, (status) => progress(status) !== "waiting")
      : async (signal: AbortSignal) => [await waited.get(signal)];
  const look = async (signal: AbortSignal) => {
    const seen = await read(signal);
    for (const { status } of seen) {
      if (typeof status !== "string") throw badResponse(`with a ${noun} that has no status`);
    }
    lastError = undefined;
    last = seen.at(-1) ?? last;
    const isNews = seen.length > 1 || (last !== undefined && last.status !== lastStatus);
    return isNews ? seen : [];
  };
  const isPassing = (error: unknown) => {
    lastError = error;
    if (isStray(error, lastStatus !== undefined)) return true;
    return mayPass(error, lastStatus === undefined && performance.now() < unknownUntil);
  };
  const onTimeout = () => {
    const seen = lastStatus === undefined ? "no status was seen" : `the ${noun} is ${lastStatus}`;
    const message = `Not ${target} within ${timeoutMs / 1000} s: ${seen}. Wait longer, or check the ${noun} later. ${idWords(noun, id)}`;
    return new WaitError("WAIT_TIMEOUT", message, {
      id,
      target,
      lastStatus,
      resource: last,
      cause: lastError,
    });
  };
  const bounds = { timeoutMs, onTimeout, signals: [options.signal, waited.closing] };
  // It bounds `onStatus` and the search for a reason, too.
  return bounded(bounds, async (signal) => {
    const changes = pollWithin({ look, isPassing, onTimeout, timeoutMs, pollMs, signals: [signal] });
    for (;;) {
      const { value: seen } = await changes.next();
      for (const resource of seen) {
        const { status } = resource;
        if (status !== lastStatus) {
          lastStatus = status;
          await onStatus?.(resource);
        }
        if (progress(status) === "reached") return resource;
      }
      // Only the newest can be the end: an archiving that failed may have been started again.
      const newest = seen.at(-1);
      if (newest && progress(newest.status) === "unreachable") {
        // The status is an answer without its reason, too.
        const reason = await waited.reason(newest, signal).catch(() => undefined);
        throw unreachable(noun, { id, target, lastStatus: newest.status, reason, resource: newest });
      }
    }
  });
}

/**
 * The resource at each new status: its latest state, with the status of the event. The resource is read first, so that
 * a missing one is noticed.
 */
function byEvents<S extends string, R extends { status: string }>(
  { get, events }: Waited<S, R>,
  isOver: (status: string) => boolean,
): (signal: AbortSignal) => Promise<R[]> {
  const seen = new Set<string>();
  let resource: R | undefined;
  let quiet = 0;
  return async (signal) => {
    resource ??= await get(signal);
    const fresh = (await events(resource, signal)).filter(({ event_id }) => !seen.has(event_id));
    quiet = fresh.length > 0 ? 0 : quiet + 1;
    if (quiet === 0 || quiet % QUIET_POLLS === 0) resource = await get(signal);
    const latest = resource;
    // Its last event may be late or lost: then the resource itself decides.
    if (quiet > 0 && isOver(latest.status)) return [latest];
    for (const { event_id } of fresh) seen.add(event_id);
    return fresh.map(({ payload }: EventEnvelope) => ({ ...latest, status: payload.status as R["status"] }));
  };
}

/** The error for a target that no resource of the kind has. */
export function unknownTarget({ noun, lifecycle }: { noun: string; lifecycle: object }): ArgumentError {
  const statuses = Object.keys(lifecycle).join(", ");
  return new ArgumentError("target", `The target must be a status of a ${noun}: ${statuses}.`);
}

/** The service failed, or does not show yet what it has just created. */
function mayPass(error: unknown, mayBeUnknown: boolean): boolean {
  if (error instanceof NotFoundError) return mayBeUnknown || isEarly(error);
  return error instanceof HttpError && error.retryable;
}

/** After these errors the same wait can be started again. */
const REPEATABLE = ["WAIT_TIMEOUT", "OPERATION_UNPROVEN"];

type WaitErrorDetails = {
  id: string;
  target: string;
  lastStatus?: string | undefined;
  reason?: string | undefined;
  resource?: unknown;
  cause?: unknown;
};

/** A wait that did not reach its target: `WAIT_TIMEOUT`, or `WATCHER_FAILED`, `OPERATION_EXPIRED` and the like. */
export class WaitError extends CrecError {
  override readonly name = "WaitError";
  /** The id of the resource. */
  readonly id: string;
  /** The status that was waited for. */
  readonly target: string;
  /** The last status seen; absent when none was. */
  declare readonly lastStatus?: string;
  /** Why the resource ended in this status, where the service gives a reason. */
  declare readonly reason?: string;
  /** The resource as last seen. */
  declare readonly resource?: unknown;

  /** `cause` is the error in which the last request ended. */
  constructor(code: string, message: string, details: WaitErrorDetails) {
    super(code, message, { retryable: REPEATABLE.includes(code), cause: details.cause });
    this.id = details.id;
    this.target = details.target;
    if (details.lastStatus !== undefined) this.lastStatus = details.lastStatus;
    if (details.reason !== undefined) this.reason = details.reason;
    if (details.resource !== undefined) this.resource = details.resource;
  }
}

/** The error of a resource in a status that does not lead to the target: `OPERATION_FAILED`, the reason first. */
export function unreachable(noun: string, details: WaitErrorDetails & { lastStatus: string }): WaitError {
  const { id, lastStatus: status, target, reason } = details;
  const why = reason
    ? `${status}: ${ended(reason)} The ${noun} will not become ${target}.`
    : `The ${noun} is ${status} and will not become ${target}.`;
  const message = `${why} ${idWords(noun, id)}`;
  return new WaitError(`${noun}_${status}`.toUpperCase(), message, details);
}

/** The end of a sentence: `Operation 0193….` */
export function idWords(noun: string, id: string): string {
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${id}.`;
}

function ended(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
