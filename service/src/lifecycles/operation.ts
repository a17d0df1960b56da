import {
  type Hex,
  OPERATION_LIFECYCLE,
  type Operation,
  type OperationStatus,
} from "../../../src/protocol/index.ts";
import type { Receipt } from "../chain/chain-data.ts";
import { executeData } from "../chain/smart-account.ts";
import type { Context } from "../context.ts";
import type { Attestation } from "../oracles/network.ts";
import { runOfStatus, runsOfOperation } from "../oracles/workflows.ts";
import type { NewOperation, OperationChange, StoredOperation } from "../store/operations.ts";
import type { Store } from "../store/store.ts";
import { now, rfc3339 } from "../time.ts";

/** Statuses of which the oracles give a proof. */
const PROVEN: readonly OperationStatus[] = ["confirmed_latest", "confirmed_safe", "confirmed"];

/** What the wallet is called with. */
export function callDataOf(operation: StoredOperation): Hex {
  if (operation.signature === null) throw new Error(`Operation ${operation.operation_id} has no signature.`);
  return executeData({ ...operation, signature: operation.signature });
}

/** Creates an operation: `accepted` with a signature, a draft without. */
export function createOperation(context: Context, operation: NewOperation): StoredOperation {
  const { store } = context;
  const created = store.transaction(() => {
    store.operations.create(operation);
    const stored = found(store, operation.operation_id);
    announce(store, stored, "");
    return stored;
  });
  context.pulse.poke();
  return created;
}

/**
 * The one way an operation's status changes: with its event, in one transaction. Nothing happens, and the answer
 * is undefined, when the operation is not in a status from which it can go there (any more).
 */
export function moveOperation(
  store: Store,
  operationId: string,
  to: OperationStatus,
  options: { reason?: string; change?: OperationChange; attestation?: Attestation | undefined } = {},
): StoredOperation | undefined {
  return store.transaction(() => {
    if (!OPERATION_LIFECYCLE[found(store, operationId).status].includes(to)) return undefined;
    store.operations.setStatus(operationId, to, options.change);
    const moved = found(store, operationId);
    announce(store, moved, options.reason ?? "", options.attestation);
    return moved;
  });
}

/** Moves to a confirmed status, with what the oracles say about it. */
export async function confirmOperation(
  context: Context,
  operation: StoredOperation,
  to: OperationStatus,
  { hash, blockNumber }: Receipt,
): Promise<void> {
  const attestation = PROVEN.includes(to)
    ? await context.oracles.attest(
        {
          service: "_crec",
          name: "OperationStatus",
          timestamp: rfc3339(now()),
          chain_family: context.chain.network.chain_family,
          chain_selector: operation.chain_selector,
          data: {
            wallet_operation_id: operation.wallet_operation_id,
            wallet_address: operation.address,
            status: to,
            status_reason: "",
            transaction_hash: hash,
          },
        },
        runOfStatus(operation.operation_id, to),
      )
    : undefined;
  const { store } = context;
  const id = operation.operation_id;
  store.transaction(() => {
    const change = to === "confirmed" ? { confirmed_at: now() } : {};
    const moved = moveOperation(store, id, to, { attestation, change });
    // Nobody looks after it from now on: if the chain goes back behind this block, it has to be found.
    if (moved !== undefined && to === "confirmed")
      store.executions(operation.chain_selector).setThere(id, blockNumber);
  });
}

function announce(store: Store, operation: StoredOperation, reason: string, attestation?: Attestation): void {
  const payload: Record<string, unknown> = {
    status: operation.status,
    status_reason: reason,
    operation_id: operation.operation_id,
    wallet_operation_id: operation.wallet_operation_id,
    address: operation.address,
    chain_selector: operation.chain_selector,
    timestamp: now(),
    digest: operation.digest,
    transactions: operation.transactions satisfies Operation["transactions"],
    ...runsOfOperation(operation),
  };
  if (attestation !== undefined) {
    payload.event_hash = attestation.hash;
    payload.verifiable_event = attestation.text;
  }
  store.events.append({
    channelId: operation.channelId,
    type: "operation.status",
    payload,
    proof: attestation?.proof,
  });
}

function found(store: Store, operationId: string): StoredOperation {
  const operation = store.operations.get(operationId);
  if (operation === undefined) throw new Error(`There is no operation ${operationId}.`);
  return operation;
}
