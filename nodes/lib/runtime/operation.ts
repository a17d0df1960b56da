import type {
  CrecClient,
  FollowOptions,
  Operation,
  OperationChange,
  OperationStatus,
  Submitted,
  VerifyResult,
} from "../../../src/index.ts";
import { nodeError } from "../shared/errors.ts";
import { loadLibrary } from "./library.ts";
import { type Unproven, verificationOf } from "./operation-proof.ts";

/** What ends an operation without its being carried out. */
const FAILURES = ["failed", "cancelled", "expired"];

/** What to do next about each. */
const ADVICE: Readonly<Record<string, string>> = {
  failed: "Fix what the reason names, then send it again.",
  cancelled: "Make a new one if it is still wanted.",
  expired: "Send it again, with a later deadline if it needs longer.",
};

/** How a node looks at each. */
export const STYLES = { "on the way": "working", reached: "done", failed: "error" } as const;

/** One rung of the ladder: whether it is the one waited for or a stronger one, or an end without success. */
export type Rung = "on the way" | "reached" | "failed";

export type Ladder = { target: OperationStatus; judge: (status: string) => Rung };

/**
 * The rung to wait for. Checked before anything is signed: nobody would ever see that a misspelt rung is reached.
 * @throws INVALID_FIELD
 */
export async function ladderTo(waitFor: string | undefined, usual: OperationStatus): Promise<Ladder> {
  const { canReach, OPERATION_LIFECYCLE } = await loadLibrary();
  const known = Object.keys(OPERATION_LIFECYCLE);
  const rungs = known.filter((status) => status !== "pending_signature" && !FAILURES.includes(status));
  const target = (waitFor || usual) as OperationStatus;
  if (!rungs.includes(target)) {
    throw nodeError("INVALID_FIELD", `"Wait until" must be one of ${rungs.join(", ")}, not "${target}".`);
  }
  const judge = (status: string): Rung => {
    if (FAILURES.includes(status)) return "failed";
    const isStronger =
      known.includes(status) && canReach(OPERATION_LIFECYCLE, target, status as OperationStatus);
    return status === target || isStronger ? "reached" : "on the way";
  };
  return { target, judge };
}

export type Climb = {
  client: CrecClient;
  channelId: string;
  /** As it was last seen. */
  operation: Operation;
  ladder: Ladder;
  timeoutMs: number;
  signal: AbortSignal;
  /** Judges each status by its proof; without it the service is believed. */
  verify: FollowOptions["verify"];
  /** What its id was made from, if it was. */
  operationKey?: string | undefined;
  /** Told each status, the past ones first. */
  onRung: (change: OperationChange) => void;
  /** Told when the wallet refused it because its id was executed before: that operation is followed instead. */
  onFound: (executed: Submitted) => void;
};

export type Reached = {
  /** With the status that was reached, and `transactionHash` where it is known. */
  operation: Operation & { transactionHash?: string };
  verification: VerifyResult | Unproven;
  /** The rungs above, as they come. */
  above: AsyncGenerator<OperationChange, void>;
};

/**
 * Follows an operation until it has reached the rung waited for.
 * @throws OPERATION_FAILED, OPERATION_CANCELLED, OPERATION_EXPIRED, OPERATION_EXECUTED_NOT_FOUND, OPERATION_ID_TAKEN,
 * OPERATION_KEY_REUSED, OPERATION_UNPROVEN, WAIT_TIMEOUT
 */
export async function climb({ client, channelId, operation, ladder, ...options }: Climb): Promise<Reached> {
  const { timeoutMs, signal, verify, operationKey, onRung } = options;
  let followed = operation;
  const onFound = (executed: Submitted): void => {
    followed = executed.operation;
    options.onFound(executed);
  };
  const follow = { timeoutMs, signal, verify, operationKey, onFound };
  const changes = client.operations.follow(channelId, operation, follow);
  for (let next = await changes.next(); !next.done; next = await changes.next()) {
    onRung(next.value);
    const { status, reason, transactionHash, verification } = next.value;
    const { operation_id: id } = followed;
    const rung = ladder.judge(status);
    if (rung === "failed") throw failure(id, status, reason);
    if (rung === "on the way") continue;
    // That it got there is certain, whether or not the service can be asked for the rest just now.
    const now = await client.operations.get(channelId, id, { signal }).catch((error: unknown) => {
      if (signal.aborted) throw error;
      return followed;
    });
    return {
      // A status further up counts when its own proof has come.
      operation: { ...now, status, ...(transactionHash ? { transactionHash } : {}) },
      verification: verificationOf(verification),
      above: changes,
    };
  }
  throw nodeError(
    "WAIT_TIMEOUT",
    `The operation ${followed.operation_id} ended before it became ${ladder.target}. Look at it.`,
  );
}

function failure(id: string, status: string, reason: string): Error {
  const why = reason ? `: ${reason}` : "";
  const what = `The operation ${id} is ${status}${why}${/[.!?]$/.test(why) ? "" : "."} It was not carried out.`;
  return nodeError(`OPERATION_${status.toUpperCase()}`, `${what} ${ADVICE[status] ?? ""}`.trim());
}
