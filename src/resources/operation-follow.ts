import { type CallOptions, HttpError, timeoutOf } from "../http/index.ts";
import {
  type DecodedOperationStatus,
  decodeEvent,
  isVerifiable,
  type VerifyResult,
} from "../proofs/index.ts";
import {
  type ChannelEvent,
  canReach,
  isEvent,
  isTerminal,
  OPERATION_LIFECYCLE,
  type OperationStatus,
  type OperationStatusEvent,
} from "../protocol/index.ts";
import { saysExecuted } from "./operation-executed.ts";
import type { Submitted } from "./operation-find.ts";
import { jittered, pause } from "./pause.ts";
import type { NamedOperation } from "./search-by-id.ts";
import { pollMsOf, WaitError } from "./wait.ts";

export type FollowOptions = {
  /** Milliseconds until it gives up, default 300,000. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Milliseconds between looks: from `min`, growing while nothing changes, to `max`. Default 250 and 5,000. */
  pollMs?: { min: number; max: number } | undefined;
  /**
   * Judges each status event. With it, a status that should carry a proof counts only when that holds: until then it
   * is as if it had not come. Without it, the service is believed.
   */
  verify?: ((event: OperationStatusEvent) => Promise<VerifyResult>) | undefined;
} & IfExecuted;

/** What happens when the wallet refuses an operation because it has executed its id before. */
export type IfExecuted = {
  /** The key its id was made from, if it was: then an operation with another deadline is the same. */
  operationKey?: string | undefined;
  /** Called with the operation that was executed: from here on, it takes the place of the one asked for. */
  onFound?: ((executed: Submitted) => unknown) | undefined;
};

/** Finds the operation that was executed in place of one that the wallet refused. */
export type FindExecuted = (
  refusedId: string,
  options: { operationKey?: string | undefined; signal?: AbortSignal | undefined; timeoutMs: number },
) => Promise<Submitted>;

/** What following an operation takes of its channel. */
export type FollowCalls = {
  get: (operationId: string, options: CallOptions) => Promise<NamedOperation>;
  /** Its status events so far, in the order of the channel. */
  events: (operation: NamedOperation, options: CallOptions, until: number) => Promise<ChannelEvent[]>;
  findExecuted: FindExecuted;
  /** Fires when the client is closed. */
  closing: AbortSignal;
};

/** One rung of an operation's ladder, as its event tells it. */
export type OperationChange = DecodedOperationStatus & {
  event: OperationStatusEvent;
  /** What `verify` made of it; of a status that never carries a proof, `not_verifiable`. */
  verification?: VerifyResult;
};

type Unproven = { status: unknown; message: string };

/**
 * Every status of an operation, the past ones first, until a terminal one: read from the channel's events,
 * since looking at the operation itself misses what passes between two looks. Where the wallet refuses it because its
 * id was executed before, the operation that was executed is found and followed, in place of the failure.
 * @throws {WaitError} `WAIT_TIMEOUT`, or `OPERATION_UNPROVEN` when a status came whose proof does not hold;
 * {CrecError} `OPERATION_EXECUTED_NOT_FOUND`, `OPERATION_ID_TAKEN`, `OPERATION_KEY_REUSED`; {HttpError} `ABORTED`,
 * `CLIENT_CLOSED`, and what is permanent.
 */
export async function* followOperation(
  calls: FollowCalls,
  asked: string | NamedOperation,
  { timeoutMs: wanted = 300_000, signal, pollMs: wantedPollMs, verify, operationKey, onFound }: FollowOptions,
): AsyncGenerator<OperationChange, void> {
  const timeoutMs = timeoutOf("timeoutMs", wanted);
  const pollMs = pollMsOf(wantedPollMs);
  const deadline = performance.now() + timeoutMs;
  const seen = new Set<string>();
  let operationId = typeof asked === "string" ? asked : asked.operation_id;
  let operation = typeof asked === "string" ? undefined : asked;
  /** What the service shows so far. An error of the service counts as no news. */
  const look = async (): Promise<OperationStatusEvent[]> => {
    const options = { signal, timeoutMs: Math.max(1, deadline - performance.now()) };
    try {
      operation ??= await calls.get(operationId, options);
      const events = await calls.events(operation, options, deadline);
      return events.filter((event) => isEvent(event, "operation.status"));
    } catch (error) {
      if (isNoNews(error)) return [];
      throw error;
    }
  };
  /** By event: its proof may still come. */
  const unproven = new Map<string, Unproven>();
  let lastStatus: string | undefined;
  for (let gap = pollMs.min; ; gap = Math.min(gap * 1.5, pollMs.max)) {
    const fresh = (await look()).filter(({ event_id }) => !seen.has(event_id));
    for (const event of fresh) {
      const verification = await verify?.(event);
      const change = changeOf(event, verification);
      if ("message" in change) {
        unproven.set(event.event_id, change);
        continue;
      }
      unproven.delete(event.event_id);
      seen.add(event.event_id);
      gap = pollMs.min;
      // A proof may come later than that of a higher rung: the ladder leads up all the same.
      if (isBelow(change.status, lastStatus)) continue;
      if (change.status === "failed" && saysExecuted(change.reason, change.walletOperationId)) {
        const timeoutMs = Math.max(1, deadline - performance.now());
        const executed = await calls.findExecuted(operationId, { operationKey, signal, timeoutMs });
        await onFound?.(executed);
        operation = executed.operation;
        operationId = operation.operation_id;
        break;
      }
      lastStatus = change.status;
      yield change;
      if (isTerminal(OPERATION_LIFECYCLE, change.status)) return;
    }
    if (performance.now() + gap > deadline)
      throw tooLate({ id: operationId, timeoutMs, lastStatus, unproven: highest(unproven, lastStatus) });
    await pause(jittered(gap), [signal, calls.closing]);
  }
}

/** What an event tells; or why it counts as one that has not come. */
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

/** Whether a confirmation is weaker than what was reached, or the same. */
function isBelow(status: unknown, reached: string | undefined): boolean {
  return (
    isRung(status) &&
    isRung(reached) &&
    isVerifiable("operation.status", status) &&
    (status === reached || canReach(OPERATION_LIFECYCLE, status, reached))
  );
}

function isRung(status: unknown): status is OperationStatus {
  return typeof status === "string" && Object.hasOwn(OPERATION_LIFECYCLE, status);
}

/** The newest that says more than what was reached. */
function highest(unproven: ReadonlyMap<string, Unproven>, reached: string | undefined): Unproven | undefined {
  return [...unproven.values()].filter(({ status }) => !isBelow(status, reached)).at(-1);
}

/**
 * An operation that was submitted a moment ago may still be unknown, and some versions answer that without a code:
 * nobody must take it for a failure.
 */
function isNoNews(error: unknown): boolean {
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
};

function tooLate({ id, timeoutMs, lastStatus, unproven }: TooLate): WaitError {
  const target = "confirmed";
  const seconds = timeoutMs / 1000;
  if (unproven === undefined) {
    const seen = lastStatus === undefined ? "no status of it was seen" : `it is ${lastStatus}`;
    const message = `The operation's next status did not come within ${seconds} s: ${seen}. Wait longer, or look again later.`;
    return new WaitError("WAIT_TIMEOUT", message, { id, target, lastStatus });
  }
  const { status, message: why } = unproven;
  const message = `The service says that the operation is ${String(status)}, but sent no valid proof of it within ${seconds} s. It may have been carried out: wait for it again, or look at the chain, before you repeat it. (${why})`;
  return new WaitError("OPERATION_UNPROVEN", message, { id, target, lastStatus });
}
