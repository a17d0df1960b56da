import { options } from "../../options/index.ts";
import { OPERATION_LIFECYCLE, type Operation, type OperationStatus } from "../../protocol/index.ts";
import { saysExecuted } from "./operation-executed.ts";
import { type FindExecuted, IF_EXECUTED, type IfExecuted } from "./operation-follow.ts";
import { DEFAULT_TIMEOUT_MS } from "./polling.ts";
import { WAIT, type Waited, type WaitOptions, waitForStatus } from "./wait.ts";
import { WaitError } from "./wait-error.ts";

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
