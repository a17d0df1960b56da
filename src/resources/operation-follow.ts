import { type CallOptions, HttpError, timeoutOf } from "../http/index.ts";
import { type DecodedOperationStatus, decodeEvent } from "../proofs/index.ts";
import { type ChannelEvent, isTerminal, OPERATION_LIFECYCLE } from "../protocol/index.ts";
import type { Events } from "./events.ts";
import { saysExecuted } from "./operation-executed.ts";
import type { Submitted } from "./operation-find.ts";
import { pause } from "./pause.ts";
import { pollMsOf, WaitError } from "./wait.ts";

export type FollowOptions = {
  /** Milliseconds until it gives up, default 300,000. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Milliseconds between looks: from `min`, growing while nothing changes, to `max`. Default 250 and 5,000. */
  pollMs?: { min: number; max: number } | undefined;
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

/** One rung of an operation's ladder, as its event tells it. */
export type OperationChange = DecodedOperationStatus & { event: ChannelEvent };

/**
 * Every status of an operation, the past ones first, until a terminal one: read from the channel's events,
 * since looking at the operation itself misses what passes between two looks. Where the wallet refuses it because its
 * id was executed before, the operation that was executed is found and followed, in place of the failure.
 * @throws {WaitError} `WAIT_TIMEOUT`; {CrecError} `OPERATION_EXECUTED_NOT_FOUND`, `OPERATION_ID_TAKEN`,
 * `OPERATION_KEY_REUSED`; {HttpError} `ABORTED`, `CLIENT_CLOSED`, and what is permanent.
 */
export async function* followOperation(
  events: Events,
  channelId: string,
  askedId: string,
  { timeoutMs: wanted = 300_000, signal, pollMs: wantedPollMs, operationKey, onFound }: FollowOptions,
  findExecuted: FindExecuted,
  /** Fires when the client is closed. */
  closing: AbortSignal,
): AsyncGenerator<OperationChange, void> {
  const timeoutMs = timeoutOf("timeoutMs", wanted);
  const pollMs = pollMsOf(wantedPollMs);
  const deadline = performance.now() + timeoutMs;
  const seen = new Set<string>();
  let operationId = askedId;
  let lastStatus: string | undefined;
  for (let gap = pollMs.min; ; gap = Math.min(gap * 1.5, pollMs.max)) {
    const left = Math.max(1, deadline - performance.now());
    const fresh = (await statusEvents(events, channelId, operationId, { signal, timeoutMs: left })).filter(
      ({ event_id }) => !seen.has(event_id),
    );
    for (const event of fresh) {
      seen.add(event.event_id);
      gap = pollMs.min;
      const change = { ...(decodeEvent(event) as DecodedOperationStatus), event };
      if (change.status === "failed" && saysExecuted(change.reason, change.walletOperationId)) {
        const timeoutMs = Math.max(1, deadline - performance.now());
        const executed = await findExecuted(operationId, { operationKey, signal, timeoutMs });
        await onFound?.(executed);
        operationId = executed.operation.operation_id;
        break;
      }
      lastStatus = change.status;
      yield change;
      if (isTerminal(OPERATION_LIFECYCLE, change.status)) return;
    }
    if (performance.now() + gap > deadline) throw tooLate(operationId, timeoutMs, lastStatus);
    await pause(gap * (0.75 + Math.random() / 2), [signal, closing]);
  }
}

/** In the order of the channel. Trouble of the service counts as no news. */
async function statusEvents(
  events: Events,
  channelId: string,
  operationId: string,
  options: CallOptions,
): Promise<ChannelEvent[]> {
  const filter = { type: ["operation.status"], operation_id: operationId, limit: 50 };
  try {
    const page = await events.search(channelId, filter, options);
    return page.data.sort((a, b) => a.headers.offset - b.headers.offset);
  } catch (error) {
    if (error instanceof HttpError && error.retryable) return [];
    throw error;
  }
}

function tooLate(id: string, timeoutMs: number, lastStatus: string | undefined): WaitError {
  const seen = lastStatus === undefined ? "no status of it was seen" : `it is ${lastStatus}`;
  const message = `The operation's next status did not come within ${timeoutMs / 1000} s: ${seen}. Wait longer, or look again later.`;
  return new WaitError("WAIT_TIMEOUT", message, { id, target: "confirmed", lastStatus });
}
