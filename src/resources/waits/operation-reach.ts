import type { CallOptions } from "../../http/index.ts";
import { anyText, callable, optional, options } from "../../options/index.ts";
import {
  isStatusOf,
  OPERATION_LIFECYCLE,
  type Operation,
  type OperationStatus,
  progressTo,
} from "../../protocol/index.ts";
import type { Submitted } from "../requests/operation-find.ts";
import { namedOperationKind } from "../requests/search-filter.ts";
import { saysExecuted } from "./operation-executed.ts";
import {
  type FindExecuted,
  FOLLOW,
  type FollowOptions,
  IF_EXECUTED,
  type IfExecuted,
  type OperationChange,
} from "./operation-follow.ts";
import { DEFAULT_TIMEOUT_MS } from "./polling.ts";
import {
  unknownTarget,
  unreachable,
  WAIT,
  WaitError,
  type Waited,
  type WaitOptions,
  waitForStatus,
} from "./wait.ts";

export type OperationWaitOptions = WaitOptions<OperationStatus, Operation> & IfExecuted;

const waitOptions = options<OperationWaitOptions>({ ...WAIT, ...IF_EXECUTED });

type WaitCalls = Pick<Waited<OperationStatus, Operation>, "events" | "reason" | "closing"> & {
  get: (operationId: string, signal: AbortSignal) => Promise<Operation>;
  findExecuted: FindExecuted;
};

/**
 * Waits for an operation; for the one that was executed under its id before, where the wallet refuses it for that.
 * @throws {WaitError}, {CrecError} as `Operations.waitFor`.
 */
export async function waitForOperation(
  { get, findExecuted, ...calls }: WaitCalls,
  operationId: string,
  given: OperationWaitOptions,
): Promise<Operation> {
  const options = waitOptions(given);
  const { operationKey, signal, onFound } = options;
  const deadline = performance.now() + (options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const left = () => Math.max(1, deadline - performance.now());
  let id = operationId;
  for (let { timeoutMs } = options; ; timeoutMs = left()) {
    const waited = { noun: "operation", id, lifecycle: OPERATION_LIFECYCLE, ...calls };
    const getOne = (waitSignal: AbortSignal) => get(id, waitSignal);
    try {
      return await waitForStatus({ ...waited, get: getOne }, { ...options, timeoutMs });
    } catch (error) {
      if (!isRefusedAsExecuted(error)) throw error;
      const executed = await findExecuted(id, { operationKey, signal, timeoutMs: left() });
      await onFound?.(executed);
      id = executed.operation.operation_id;
    }
  }
}

/** Failed, and the reason is that the wallet has executed its id before. */
function isRefusedAsExecuted(error: unknown): boolean {
  if (!(error instanceof WaitError && error.code === "OPERATION_FAILED")) return false;
  const { wallet_operation_id } = error.resource as Operation;
  return saysExecuted(error.reason ?? "", wallet_operation_id);
}

export type FollowUntilOptions = FollowOptions & {
  /** The status to follow to; a stronger one counts as reached. */
  target: OperationStatus;
  /** Called with each status until then, the past ones first. */
  onChange?: ((change: OperationChange) => unknown) | undefined;
};

const followUntilOptions = options<FollowUntilOptions>({
  ...FOLLOW,
  target: anyText(),
  onChange: optional(callable()),
});

/** An operation that has reached the status it was followed to. */
export type ReachedOperation = {
  /** As the service shows it now, with the status that was reached. */
  operation: Operation;
  /** The change that reached the target. */
  change: OperationChange;
  /** The statuses after that, as they arrive; nothing is read until it is iterated. */
  later: AsyncGenerator<OperationChange, void>;
};

type ReachCalls = {
  get: (operationId: string, options: CallOptions) => Promise<Operation>;
  follow: (operation: Operation, options: FollowOptions) => AsyncGenerator<OperationChange, void>;
};

/**
 * Follows an operation until it has reached the target.
 * @throws {WaitError} `OPERATION_FAILED`, `OPERATION_CANCELLED`, `OPERATION_EXPIRED`; what `followOperation` throws.
 */
export async function followUntil(
  { get, follow }: ReachCalls,
  operation: Operation,
  given: FollowUntilOptions,
): Promise<ReachedOperation> {
  namedOperationKind(operation, "operation");
  const { target, onChange, ...options } = followUntilOptions(given);
  if (!isStatusOf(OPERATION_LIFECYCLE, target))
    throw unknownTarget({ noun: "operation", lifecycle: OPERATION_LIFECYCLE });
  let followed = operation;
  const onFound = (executed: Submitted) => {
    followed = executed.operation;
    return options.onFound?.(executed);
  };
  const later = follow(operation, { ...options, onFound });
  for (;;) {
    const { value: change } = await later.next();
    // It ends at a terminal status only, which is the target or makes it unreachable.
    if (!change)
      throw unreachable("operation", { id: followed.operation_id, target, lastStatus: followed.status });
    await onChange?.(change);
    const { status, reason } = change;
    const progress = progressTo(OPERATION_LIFECYCLE, target, status);
    if (progress === "waiting") continue;
    const { operation_id: id } = followed;
    if (progress === "unreachable")
      throw unreachable("operation", { id, target, lastStatus: status, reason, resource: followed });
    // It has reached the target, whether or not the service can show the rest now.
    const shown = await get(id, { signal: options.signal }).catch((error: unknown) => {
      if (options.signal?.aborted) throw error;
      return followed;
    });
    // A stronger status counts when its own proof has arrived.
    return { operation: { ...shown, status }, change, later };
  }
}
