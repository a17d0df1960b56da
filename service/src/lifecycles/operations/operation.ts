import { parseTransaction } from "viem";
import {
  type Hex,
  OPERATION_LIFECYCLE,
  type Operation,
  type OperationStatus,
  type OperationStatusPayload,
} from "../../../../src/protocol/index.ts";
import { operationStatement } from "../../../../src/testing/statements.ts";
import type { Receipt } from "../../chain/chain-data.ts";
import { inCoins } from "../../chain/funds.ts";
import { isRefusal } from "../../chain/node/refusals.ts";
import { inBatch, type RevertReason, revertReason } from "../../chain/revert.ts";
import { executeData } from "../../chain/smart-account.ts";
import type { Context } from "../../context.ts";
import { runOfStatus, runsOfOperation } from "../../oracles/workflows.ts";
import type { OperationChange, StoredOperation } from "../../store/operations.ts";
import { now } from "../../time.ts";
import { type StatusDetails, StatusMachine } from "../status-machine.ts";
import type { TransactionTracker } from "../transaction-tracker.ts";

/** Statuses with a proof of the oracles. */
const PROVEN: readonly OperationStatus[] = ["confirmed_latest", "confirmed_safe", "confirmed"];

/** Sends the transaction of an operation, which is stored before it is broadcast. */
export async function sendOperation(
  { store }: Context,
  transactions: TransactionTracker,
  operation: StoredOperation,
): Promise<void> {
  await transactions.send({ to: operation.address, data: callDataOf(operation) }, (signed) =>
    store.operations.setSent(operation.operation_id, signed),
  );
}

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

/** Why the chain reverted an operation. What the contract does not say shows in the wallet's balance, or in the gas. */
export async function operationRevert(
  context: Context,
  operation: StoredOperation,
  receipt: Receipt,
): Promise<RevertReason> {
  const { chain, relayer } = context;
  const { address: to, transactions } = operation;
  const call = { from: relayer.address, to, data: callDataOf(operation) };
  const found = await revertReason(chain, call, receipt, transactions.length);
  if (found.bareAt === undefined) return found;
  const why = hasUsedUp(operation, receipt)
    ? "out of gas, or an invalid instruction, which uses up the gas too"
    : await coinShortage(context, operation, found.bareAt, receipt.blockNumber);
  return why === undefined ? found : { reason: inBatch(why, found.bareAt, transactions.length) };
}

/**
 * A call is given 63 of 64 parts of the gas, and so is the wallet's code, which a proxy calls: a call that used up its own
 * leaves the rest.
 */
function hasUsedUp({ sent }: StoredOperation, { gasUsed }: Receipt): boolean {
  const { gas } = sent === undefined ? {} : parseTransaction(sent.raw);
  return gas !== undefined && gasUsed * 64n ** 2n >= gas * 63n ** 2n;
}

/** Undefined where the coins sufficed, and where it is not known: a call before may have brought the wallet coins. */
async function coinShortage(
  { chain }: Context,
  { address, transactions }: StoredOperation,
  failedAt: number,
  block: number,
): Promise<string | undefined> {
  const before = transactions.slice(0, failedAt);
  const failed = BigInt(transactions[failedAt]?.value ?? 0);
  if (failed === 0n || before.some(({ data }) => data !== "0x")) return undefined;
  const needed = before.reduce((sum, { value }) => sum + BigInt(value), failed);
  try {
    const held = await chain.balance(address, block);
    const { chain_id } = chain.network;
    if (held >= needed) return undefined;
    return `the wallet holds ${inCoins(held, chain_id)} and needs ${inCoins(needed, chain_id)}`;
  } catch (error) {
    // Nodes keep only the state of their newest blocks.
    if (isRefusal(error)) return undefined;
    throw error;
  }
}
