import { setTimeout as sleep } from "node:timers/promises";
import { ArgumentError, CrecError } from "../errors.ts";
import { bounded, HttpError, NotFoundError, timeoutOf } from "../http/index.ts";
import { canReach, type EventEnvelope, type Lifecycle } from "../protocol/index.ts";
import { badResponse } from "./answers.ts";
import { jittered } from "./pause.ts";
import { isEarly } from "./resource-transport.ts";

export type WaitOptions<S extends string, R> = {
  /** The status to wait for; any stronger one counts as reached. */
  target: S;
  /** Milliseconds, default 300,000. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Called with the resource as first seen and at each change of its status; what it throws ends the wait. */
  onStatus?: ((resource: R) => unknown) | undefined;
  /** Milliseconds between looks: from `min`, growing while nothing changes, to `max`. Default 250 and 5,000. */
  pollMs?: { min: number; max: number } | undefined;
  /**
   * What tells its status: the resource itself (default), or the status events of its channel, which miss nothing
   * that passes between two looks and come in the order in which they happened.
   */
  by?: "resource" | "events" | undefined;
  /**
   * Milliseconds for which a resource that somebody else created may still be unknown, default 5,000. What this client
   * created may be for 30,000 after its create, however short the client's `timeoutMs` is.
   */
  unknownForMs?: number | undefined;
};

/** @throws {ArgumentError} naming the bound. */
export function pollMsOf({ min, max }: { min: number; max: number } = { min: 250, max: 5_000 }) {
  return { min: timeoutOf("pollMs.min", min), max: timeoutOf("pollMs.max", max) };
}

/** What a kind of resource brings to a wait. */
export type Waited<S extends string, R> = {
  /** As it is called in messages and codes: `watcher` makes `WATCHER_FAILED`. */
  noun: string;
  id: string;
  lifecycle: Lifecycle<S>;
  /** Statuses that follow others but are no progress: none of them counts as a stronger one. */
  setbacks: readonly S[];
  look: (signal: AbortSignal) => Promise<R>;
  /** Its status events so far, oldest first. */
  events: (resource: R, signal: AbortSignal) => Promise<EventEnvelope[]>;
  /** Why it ended as it did, where that can be told. */
  reason: (resource: R, signal: AbortSignal) => Promise<string | undefined>;
  /** Fires when the client is closed. */
  closing: AbortSignal;
};

type Path<S extends string> = { lifecycle: Lifecycle<S>; setbacks: readonly S[] };

/** After these the same wait may be begun again. */
const REPEATABLE = ["WAIT_TIMEOUT", "OPERATION_UNPROVEN"];

/** A wait that did not reach its target: `WAIT_TIMEOUT`, or `WATCHER_FAILED`, `OPERATION_EXPIRED` and the like. */
export class WaitError extends CrecError {
  override readonly name = "WaitError";
  readonly id: string;
  readonly target: string;
  declare readonly lastStatus?: string;
  declare readonly reason?: string;
  /** As last seen. */
  declare readonly resource?: unknown;

  constructor(code: string, message: string, details: WaitErrorDetails) {
    super(code, message, { retryable: REPEATABLE.includes(code), cause: details.cause });
    this.id = details.id;
    this.target = details.target;
    if (details.lastStatus !== undefined) this.lastStatus = details.lastStatus;
    if (details.reason !== undefined) this.reason = details.reason;
    if (details.resource !== undefined) this.resource = details.resource;
  }
}

type WaitErrorDetails = {
  id: string;
  target: string;
  lastStatus?: string | undefined;
  reason?: string | undefined;
  resource?: unknown;
  /** The error in which the last look ended. */
  cause?: unknown;
};

/** After so many looks without a new event the resource is asked, too. */
const QUIET_LOOKS = 4;
/** Nothing leaves these by itself, only by a new request. */
const HALTS = ["failed", "archive_failed"];

/**
 * Looks at a resource until it has reached the target status.
 * @throws {ArgumentError} for a target that is no status of it; {WaitError} when it cannot reach it any more, or not in
 * time; {HttpError} `ABORTED`, and what is permanent.
 */
export async function waitForStatus<S extends string, R extends { status: string }>(
  waited: Waited<S, R>,
  options: WaitOptions<S, R>,
): Promise<R> {
  const { noun, id } = waited;
  const { target, onStatus } = options;
  const pollMs = pollMsOf(options.pollMs);
  if (!isKnown(waited.lifecycle, target)) throw unknownTarget(waited);
  const timeoutMs = timeoutOf("timeoutMs", options.timeoutMs ?? 300_000);
  const unknownUntil = performance.now() + (options.unknownForMs ?? 5_000);
  const isOver = (status: string) => isReached(waited, target, status) || isLost(waited, target, status);
  const look =
    options.by === "events"
      ? byEvents(waited, isOver)
      : async (signal: AbortSignal) => [await waited.look(signal)];
  let lastStatus: string | undefined;
  let last: R | undefined;
  let lastError: unknown;

  const onTimeout = () => {
    const seen = lastStatus === undefined ? "it was not seen at all" : `it is ${lastStatus}`;
    const message = `The ${noun} did not become ${target} within ${timeoutMs / 1000} s: ${seen}. Wait longer, or look again later.`;
    const details = { id, target, lastStatus, resource: last, cause: lastError };
    return new WaitError("WAIT_TIMEOUT", message, details);
  };
  const bounds = { timeoutMs, onTimeout, signals: [options.signal, waited.closing] };
  return bounded(bounds, async (signal) => {
    for (let pause = pollMs.min; ; pause = Math.min(pause * 1.5, pollMs.max)) {
      let asked = 0;
      try {
        const seen = await look(signal);
        lastError = undefined;
        for (const resource of seen) {
          if (typeof resource.status !== "string") throw badResponse(`with a ${noun} that has no status`);
          last = resource;
          if (resource.status !== lastStatus) {
            lastStatus = resource.status;
            pause = pollMs.min;
            await onStatus?.(resource);
          }
          if (isReached(waited, target, resource.status)) return resource;
          // What others follow was no end: an archiving that failed and was begun again.
          const isNewest = resource === seen.at(-1);
          if (isNewest && isLost(waited, target, resource.status)) {
            throw await failure(waited, target, resource, signal);
          }
        }
      } catch (error) {
        if (signal.aborted || !isPassing(error, lastStatus === undefined && performance.now() < unknownUntil))
          throw error;
        lastError = error;
        asked = (error instanceof HttpError && error.retryAfterMs) || 0;
      }
      // No longer than the wait itself, which ends it: a timer asked for too much would fire at once.
      const next = Math.min(timeoutMs, Math.max(asked, jittered(pause)));
      await sleep(next, undefined, { signal });
    }
  });
}

/**
 * The resource at each status that is news: its own latest state, with the status its event tells. The resource is
 * asked first, so that one that is not there is noticed.
 */
function byEvents<S extends string, R extends { status: string }>(
  { look, events }: Waited<S, R>,
  isOver: (status: string) => boolean,
): (signal: AbortSignal) => Promise<R[]> {
  const seen = new Set<string>();
  let resource: R | undefined;
  let quiet = 0;
  return async (signal) => {
    resource ??= await look(signal);
    const fresh = (await events(resource, signal)).filter(({ event_id }) => !seen.has(event_id));
    quiet = fresh.length > 0 ? 0 : quiet + 1;
    if (quiet === 0 || quiet % QUIET_LOOKS === 0) resource = await look(signal);
    const latest = resource;
    // Its last event may be late, or lost: then the resource itself has the say.
    if (quiet > 0 && isOver(latest.status)) return [latest];
    for (const { event_id } of fresh) seen.add(event_id);
    return fresh.map(({ payload }: EventEnvelope) => ({ ...latest, status: payload.status as R["status"] }));
  };
}

function isReached<S extends string>(waited: Path<S>, target: S, status: string): boolean {
  if (status === target) return true;
  return (
    isKnown(waited.lifecycle, status) &&
    !waited.setbacks.includes(status) &&
    canReach(waited.lifecycle, target, status)
  );
}

/** A status of a newer service is never an end. */
function isLost<S extends string>(waited: Path<S>, target: S, status: string): boolean {
  if (!isKnown(waited.lifecycle, status)) return false;
  return HALTS.includes(status) || !canReach(waited.lifecycle, status, target);
}

function unknownTarget({ noun, lifecycle }: { noun: string; lifecycle: object }): ArgumentError {
  const statuses = Object.keys(lifecycle).join(", ");
  return new ArgumentError("target", `The target must be a status of a ${noun}: ${statuses}.`);
}

function isKnown<S extends string>(lifecycle: Lifecycle<S>, status: string): status is S {
  return Object.hasOwn(lifecycle, status);
}

/** Whether to look again: the service failed, or does not know yet what it just created. */
function isPassing(error: unknown, mayBeUnknown: boolean): boolean {
  if (error instanceof NotFoundError) return mayBeUnknown || isEarly(error);
  return error instanceof HttpError && error.retryable;
}

async function failure<S extends string, R extends { status: string }>(
  waited: Waited<S, R>,
  target: S,
  resource: R,
  signal: AbortSignal,
): Promise<WaitError> {
  const { noun, id } = waited;
  const { status } = resource;
  // Best effort: the status alone is an answer already.
  const reason = await waited.reason(resource, signal).catch(() => undefined);
  const why = reason ? `: ${reason}` : "";
  const message = `The ${noun} is ${status} and will not become ${target}${why}${/[.!?]$/.test(why) ? "" : "."}`;
  return new WaitError(`${noun}_${status}`.toUpperCase(), message, {
    id,
    target,
    lastStatus: status,
    reason,
    resource,
  });
}
