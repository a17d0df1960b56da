import type { CrecClient, FollowOptions, Operation, OperationChange } from "../../../src/index.ts";
import { loadLibrary } from "../library.ts";
import { toCodedError } from "../shared/errors.ts";

/** An operation that was not executed, as the service reports. */
export type Reported = {
  client: CrecClient;
  channelId: string;
  operation: Operation;
  /** How long to look where the operation has no deadline. */
  timeoutMs: number;
  /** When it was reported: Unix milliseconds, by `timeAt`. Undefined where an earlier version has not kept it. */
  reportedAt: number | undefined;
} & Pick<FollowOptions, "verify" | "signal">;

/** The clock of a chain may be late, and a block becomes final minutes after it has executed something. */
const AFTER_DEADLINE_MS = 20 * 60_000;
const LONGEST_MS = 7 * 86_400_000;
/** However late it is: what was executed meanwhile is found. */
const SHORTEST_MS = 10_000;
/** Until the time of the service is known. */
const FIRST_MS = 60_000;
const POLL_MS = { min: 250, max: 30_000 };

/** The time at the service, which is about that of its chains: the clock of this machine may be wrong. Unix milliseconds. */
export function timeAt(client: Pick<CrecClient, "serviceTime">): number {
  return client.serviceTime() ?? Date.now();
}

/**
 * Looks on for an execution that the service has denied: a report carries no proof. Until nothing can execute the
 * operation any more. Undefined where nothing has executed it.
 */
export async function executionOf(reported: Reported): Promise<OperationChange | undefined> {
  const { client } = reported;
  const first = client.serviceTime() === undefined ? await lookFor(reported, FIRST_MS) : undefined;
  if (first) return first;
  const now = timeAt(client);
  const leftMs = endOf(reported, now) - now;
  return lookFor(reported, Math.min(LONGEST_MS, Math.max(SHORTEST_MS, leftMs)));
}

function endOf({ operation, timeoutMs, reportedAt = Infinity }: Reported, now: number): number {
  const { deadline = 0 } = operation;
  // A report of the future was noted by a clock that was wrong.
  return deadline === 0 ? Math.min(reportedAt, now) + timeoutMs : deadline * 1000 + AFTER_DEADLINE_MS;
}

async function lookFor(reported: Reported, timeoutMs: number): Promise<OperationChange | undefined> {
  const { client, channelId, operation, verify, signal } = reported;
  const { isVerifiable } = await loadLibrary();
  const looking = { timeoutMs, pollMs: POLL_MS, beyondFailure: true, verify, signal };
  try {
    for await (const change of client.operations.follow(channelId, operation, looking)) {
      if (isVerifiable("operation.status", change.status)) return change;
    }
  } catch (error) {
    if (!["WAIT_TIMEOUT", "OPERATION_UNPROVEN"].includes(toCodedError(error).code)) throw error;
  }
  return undefined;
}
