import { bounded, type CallOptions, HttpError } from "../../http/index.ts";
import { callable, flag, type Kinds, optional, options, text } from "../../options/index.ts";
import {
  type DecodedOperationStatus,
  decodeEvent,
  isVerifiable,
  signedFacts,
  type VerifyResult,
} from "../../proofs/index.ts";
import {
  type ChannelEvent,
  isEvent,
  isStatusOf,
  isTerminal,
  OPERATION_LIFECYCLE,
  type OperationStatusEvent,
  progressTo,
  statedTimeOf,
} from "../../protocol/index.ts";
import type { Submitted } from "../requests/operation-find.ts";
import { isStray } from "../requests/resource-transport.ts";
import { type NamedOperation, namedOperationKind } from "../requests/search-filter.ts";
import { saysExecuted } from "./operation-executed.ts";
import { DEFAULT_POLL_MS, DEFAULT_TIMEOUT_MS, POLLING, type PollingOptions, pollWithin } from "./polling.ts";
import type { Watch } from "./shared-waits.ts";
import { idWords, WaitError } from "./wait.ts";

export type FollowOptions = PollingOptions & {
  /**
   * Checks the proof of each status event. A status that should carry a proof then counts only when it is verified:
   * until then it is as if the event had not arrived. An error that it throws ends the following. Without it, the
   * service is believed.
   */
  verify?: ((event: OperationStatusEvent) => Promise<VerifyResult>) | undefined;
  /**
   * Goes on after `failed`, `expired` and `cancelled`. They carry no proof: the service reports them, and the chain may
   * execute the operation nevertheless. A `confirmed_latest` or `confirmed_safe` that was signed before such a report is not
   * shown: its block may have been replaced. `confirmed` always is.
   * @default false
   */
  beyondFailure?: boolean | undefined;
} & IfExecuted;

/** What happens when the wallet refuses an operation because it has executed its id before. */
export type IfExecuted = {
  /** The key from which its id was made, if there is one: then an operation with another deadline is the same. */
  operationKey?: string | undefined;
  /** Called with the operation that was executed: from then on it replaces the one that was refused. */
  onFound?: ((executed: Submitted) => unknown) | undefined;
};

export const IF_EXECUTED: Kinds<IfExecuted> = { operationKey: optional(text), onFound: optional(callable()) };

export const FOLLOW: Kinds<FollowOptions> = {
  ...POLLING,
  ...IF_EXECUTED,
  verify: optional(callable()),
  beyondFailure: optional(flag),
};

const followOptions = options<FollowOptions>(FOLLOW);

/** Finds the operation that was executed in place of one that the wallet refused. */
export type FindExecuted = (
  refusedId: string,
  options: { operationKey?: string | undefined; signal?: AbortSignal | undefined; timeoutMs: number },
) => Promise<Submitted>;

/** The calls of a channel that following an operation needs. */
type FollowCalls = {
  get: (operationId: string, options: CallOptions) => Promise<NamedOperation>;
  /** Reads status events, in the order of the channel. */
  watch: () => Watch;
  findExecuted: FindExecuted;
  /** Fires when the client is closed. */
  closing: AbortSignal;
};

/** One status of an operation, as its event says. */
export type OperationChange = DecodedOperationStatus & {
  /** The event itself, as received. */
  event: OperationStatusEvent;
  /** The result of `verify`; `not_verifiable` for a status that never carries a proof. Absent without `verify`. */
  verification?: VerifyResult;
};

/** Ended without being executed, as the service says. */
const ENDED: readonly string[] = ["failed", "expired", "cancelled"];

/** How long the search may take that a wait makes for itself before it ends in an error. */
const LAST_LOOK_MS = 10_000;

/** A status that does not count, since its proof is missing or does not hold. */
type Unproven = { status: unknown; message: string };

/**
 * Every status of an operation, the past ones first, until a terminal one. They are read from the channel's events:
 * the operation itself does not show what passes between two requests. Where the wallet refuses the operation because
 * its id was executed before, the operation that was executed is found and followed instead.
 * @throws {WaitError} `WAIT_TIMEOUT`, or `OPERATION_UNPROVEN` when a status has arrived without a valid proof;
 * {CrecError} `OPERATION_EXECUTED_NOT_FOUND`, `OPERATION_ID_TAKEN`, `OPERATION_KEY_REUSED`; {HttpError} `ABORTED`,
 * `CLIENT_CLOSED`, and what is permanent.
 */
export async function* followOperation(
  calls: FollowCalls,
  which: string | NamedOperation,
  given: FollowOptions | undefined,
): AsyncGenerator<OperationChange, void> {
  const options = followOptions(given);
  const { signal, verify, operationKey, onFound, beyondFailure = false } = options;
  const { timeoutMs = DEFAULT_TIMEOUT_MS, pollMs = DEFAULT_POLL_MS } = options;
  const deadline = performance.now() + timeoutMs;
  const left = () => Math.max(1, deadline - performance.now());
  let [operationId, operation] = typeof which === "string" ? [which, undefined] : namedOperation(which);
  const seen = new Set<string>();
  /** By event id: the proof may still arrive. */
  const unproven = new Map<string, Unproven>();
  /** Those that say that the operation was not executed. */
  const ends = new Map<string, ChannelEvent>();
  let lastStatus: string | undefined;
  let hasLooked = false;
  const watch = calls.watch();
  /** In which the last request ended. */
  let lastError: unknown;
  /** What the caller's `verify` threw. It is not an error of the service, so it does not pass. */
  let thrown: { error: unknown } | undefined;

  const check = async (event: OperationStatusEvent): Promise<VerifyResult | undefined> => {
    try {
      return await verify?.(event);
    } catch (error) {
      thrown = { error };
      throw error;
    }
  };
  const isNewEnd = (event: ChannelEvent) =>
    !seen.has(event.event_id) &&
    isEvent(event, "operation.status") &&
    ENDED.includes(String(event.payload.status));
  const look = async (signal: AbortSignal, timeoutMs = left(), alone = unproven.size > 0) => {
    operation ??= await calls.get(operationId, { signal, timeoutMs });
    let events = await watch.events(operation, { signal, timeoutMs }, alone);
    // No wait ends in an error without a search of its own.
    if (watch.isShared && events.some(isNewEnd))
      events = await watch.events(operation, { signal, timeoutMs }, true);
    hasLooked = true;
    lastError = undefined;
    for (const end of events.filter(isNewEnd)) ends.set(end.event_id, end);
    const changes: OperationChange[] = [];
    for (const event of events) {
      if (!isEvent(event, "operation.status") || seen.has(event.event_id)) continue;
      const change = changeOf(event, await check(event));
      if ("message" in change) {
        unproven.set(event.event_id, change);
      } else {
        unproven.delete(event.event_id);
        changes.push(change);
      }
    }
    return changes;
  };
  const onTimeout = () =>
    tooLate({
      ...{ id: operationId, timeoutMs, lastStatus, cause: lastError },
      unproven: newestAbove(unproven, lastStatus),
    });
  const mayPass = (error: unknown) => {
    lastError = error;
    return error !== thrown?.error && (isPassing(error) || isStray(error, hasLooked));
  };
  const signals = [signal, calls.closing];
  const polling = {
    look: (lookSignal: AbortSignal) => look(lookSignal),
    isPassing: mayPass,
    onTimeout,
    timeoutMs,
    pollMs,
    signals,
  };
  const lastLook = (error: WaitError) =>
    bounded({ timeoutMs: LAST_LOOK_MS, onTimeout: () => error, signals }, (lookSignal) =>
      look(lookSignal, LAST_LOOK_MS, true),
    );
  const news = async function* () {
    try {
      yield* pollWithin(polling);
    } catch (error) {
      if (!(error instanceof WaitError && watch.isShared)) throw error;
      yield await lastLook(error).catch((failure: unknown) => {
        throw mayPass(failure) ? error : failure;
      });
      throw onTimeout();
    }
  };
  try {
    for await (const changes of news()) {
      for (const change of changes) {
        seen.add(change.event.event_id);
        const { status, reason, walletOperationId } = change;
        // Its proof came later than that of a stronger status.
        if (isBelow(status, lastStatus)) continue;
        if (beyondFailure && [...ends.values()].some((end) => mayWithdraw(end, change))) continue;
        if (status === "failed" && !beyondFailure && saysExecuted(reason, walletOperationId)) {
          const executed = await calls.findExecuted(operationId, { operationKey, signal, timeoutMs: left() });
          await onFound?.(executed);
          operation = executed.operation;
          operationId = operation.operation_id;
          break;
        }
        lastStatus = status;
        // Who follows may never ask for more.
        watch.rest();
        yield change;
        if (isTerminal(OPERATION_LIFECYCLE, status) && !(beyondFailure && ENDED.includes(status))) return;
      }
    }
  } finally {
    watch.rest();
  }
}

function namedOperation(which: NamedOperation): [string, NamedOperation] {
  const operation = namedOperationKind(which, "operation");
  return [operation.operation_id, operation];
}

/** What an event says; or why it does not count. */
function changeOf(
  event: OperationStatusEvent,
  verification: VerifyResult | undefined,
): OperationChange | Unproven {
  const { status } = event.payload;
  if (verification?.verified === false && verification.reason !== "not_verifiable")
    return { status, message: verification.message };
  try {
    return { ...decodeEvent(event), event, ...(verification ? { verification } : {}) };
  } catch (error) {
    return { status, message: error instanceof Error ? error.message : String(error) };
  }
}

/** Whether the block of a confirmation may have been replaced before this report. By the signed time: it may be shown late. */
function mayWithdraw(end: ChannelEvent, { status, event }: OperationChange): boolean {
  if (status === "confirmed" || !isVerifiable("operation.status", status)) return false;
  const later = (statedTimeOf(end) ?? Number.NaN) - (signedFacts(event).time ?? Number.NaN);
  return later > 0 || (!(later < 0) && end.headers.offset > event.headers.offset);
}

/** Whether a confirmation is weaker than the status that was reached, or the same. */
function isBelow(status: unknown, reached: string | undefined): boolean {
  return (
    isStatusOf(OPERATION_LIFECYCLE, status) &&
    isVerifiable("operation.status", status) &&
    reached !== undefined &&
    progressTo(OPERATION_LIFECYCLE, status, reached) === "reached"
  );
}

/** The newest that says more than the status that was reached. */
function newestAbove(
  unproven: ReadonlyMap<string, Unproven>,
  reached: string | undefined,
): Unproven | undefined {
  return [...unproven.values()].filter(({ status }) => !isBelow(status, reached)).at(-1);
}

/**
 * An operation that was submitted a moment ago may still be unknown, and some versions answer that without a code: that
 * is not a failure.
 */
function isPassing(error: unknown): boolean {
  return (
    error instanceof HttpError &&
    (error.retryable || error.code === "OPERATION_NOT_FOUND" || error.code === "NOT_FOUND")
  );
}

type TooLate = {
  id: string;
  timeoutMs: number;
  lastStatus: string | undefined;
  unproven: Unproven | undefined;
  /** The error in which the last request ended. */
  cause: unknown;
};

function tooLate({ id, timeoutMs, lastStatus, unproven, cause }: TooLate): WaitError {
  const target = "confirmed";
  const seconds = timeoutMs / 1000;
  if (unproven === undefined) {
    const seen = lastStatus === undefined ? "none was seen" : `the operation is ${lastStatus}`;
    const message = `No new status within ${seconds} s: ${seen}. Wait longer, or check the operation later. ${idWords("operation", id)}`;
    return new WaitError("WAIT_TIMEOUT", message, { id, target, lastStatus, cause });
  }
  const { status, message: why } = unproven;
  const message = `No valid proof within ${seconds} s: the service says that the operation is ${String(status)}. It may have been executed: wait for it again, or check the chain, before you repeat it. (${why}) ${idWords("operation", id)}`;
  return new WaitError("OPERATION_UNPROVEN", message, { id, target, lastStatus });
}
