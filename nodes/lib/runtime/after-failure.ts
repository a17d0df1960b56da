import type { CrecClient, FollowOptions, Operation, OperationChange } from "../../../src/index.ts";
import { toCodedError } from "../shared/errors.ts";
import { loadLibrary } from "./library.ts";

/** An operation that was not executed, as the service reports. */
export type Reported = {
  client: CrecClient;
  channelId: string;
  operation: Operation;
  /** How long to look where the operation has no deadline. */
  timeoutMs: number;
} & Pick<FollowOptions, "verify" | "signal">;

/** The clock of a chain may be late, and a block becomes final minutes after it has executed something. */
const AFTER_DEADLINE_MS = 20 * 60_000;
const LONGEST_MS = 7 * 86_400_000;
const POLL_MS = { min: 250, max: 30_000 };

/**
 * Looks on for an execution that the service has denied: a report carries no proof. Until nothing can execute the
 * operation any more. Undefined where nothing has executed it.
 */
export async function executionOf(reported: Reported): Promise<OperationChange | undefined> {
  const { client, channelId, operation, timeoutMs, verify, signal } = reported;
  const { isVerifiable } = await loadLibrary();
  const { deadline = 0 } = operation;
  const untilDeadline = deadline * 1000 - Date.now() + AFTER_DEADLINE_MS;
  const lookMs = Math.min(
    LONGEST_MS,
    deadline === 0 ? timeoutMs + AFTER_DEADLINE_MS : Math.max(1_000, untilDeadline),
  );
  const looking = { timeoutMs: lookMs, pollMs: POLL_MS, beyondFailure: true, verify, signal };
  try {
    for await (const change of client.operations.follow(channelId, operation, looking)) {
      if (isVerifiable("operation.status", change.status)) return change;
    }
  } catch (error) {
    if (!["WAIT_TIMEOUT", "OPERATION_UNPROVEN"].includes(toCodedError(error).code)) throw error;
  }
  return undefined;
}
