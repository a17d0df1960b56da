import {
  type Hex,
  OPERATION_LIFECYCLE,
  type Operation,
  type OperationStatus,
  type OperationStatusPayload,
} from "../../../src/protocol/index.ts";
import { operationStatement } from "../../../src/testing/statements.ts";
import type { Receipt } from "../chain/chain-data.ts";
import { executeData } from "../chain/smart-account.ts";
import type { Context } from "../context.ts";
import { runOfStatus, runsOfOperation } from "../oracles/workflows.ts";
import type { OperationChange, StoredOperation } from "../store/operations.ts";
import { now } from "../time.ts";
import { type StatusDetails, StatusMachine } from "./status-machine.ts";

/** Statuses with a proof of the oracles. */
const PROVEN: readonly OperationStatus[] = ["confirmed_latest", "confirmed_safe", "confirmed"];

/** The call data of the wallet. */
export function callDataOf(operation: StoredOperation): Hex {
  if (operation.signature === null) throw new Error(`Operation ${operation.operation_id} has no signature.`);
  return executeData({ ...operation, signature: operation.signature });
}

export const operationStatuses = new StatusMachine({
  eventType: "operation.status",
  lifecycle: OPERATION_LIFECYCLE,
  get: (store, id) => store.operations.get(id),
  setStatus: (store, id, to, { change }: StatusDetails<OperationChange>) =>
    store.operations.setStatus(id, to, change),
  eventOf: (operation: StoredOperation, { reason = "", attestation }) => {
    const payload: OperationStatusPayload & Pick<Operation, "transactions"> = {
      status: operation.status,
      status_reason: reason,
      operation_id: operation.operation_id,
      wallet_operation_id: operation.wallet_operation_id,
      address: operation.address,
      chain_selector: operation.chain_selector,
      timestamp: now(),
      digest: operation.digest,
      transactions: operation.transactions,
      ...runsOfOperation(operation),
      ...(attestation === undefined
        ? {}
        : { event_hash: attestation.hash, verifiable_event: attestation.text }),
    };
    return { channelId: operation.channelId, payload };
  },
});

/** Moves to a confirmed status, with a proof of the oracles. */
export async function confirmOperation(
  context: Context,
  operation: StoredOperation,
  to: OperationStatus,
  { hash, blockNumber }: Receipt,
): Promise<void> {
  const attestation = PROVEN.includes(to)
    ? await context.oracles.attest(
        operationStatement(
          { ...context.chain.network, chain_selector: operation.chain_selector },
          { ...operation, status: to, transaction_hash: hash },
          now(),
        ),
        runOfStatus(operation.operation_id, to),
      )
    : undefined;
  const { store } = context;
  const id = operation.operation_id;
  store.transaction(() => {
    const change = to === "confirmed" ? { confirmed_at: now() } : {};
    const moved = operationStatuses.move(store, id, to, { attestation, change });
    // It is not followed any more. If this block is replaced, LostOperations finds it by this entry.
    if (moved !== undefined && to === "confirmed")
      store.executions(operation.chain_selector).setThere(id, blockNumber);
  });
}
