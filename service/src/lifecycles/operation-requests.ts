// What a request does with an operation: submit it, finalize its draft, cancel its draft.
import {
  type Channel,
  type Hex,
  LIMITS,
  type Subject,
  type WireTransaction,
} from "../../../src/protocol/index.ts";
import { operationDigest } from "../../../src/signing/typed-data.ts";
import type { Context } from "../context.ts";
import { type ApiError, conflict, invalid } from "../errors.ts";
import { channelOf, checkNetwork, operationOf, walletAt } from "../lookup.ts";
import type { StoredOperation } from "../store/operations.ts";
import type { StoredWallet } from "../store/wallets.ts";
import { now } from "../time.ts";
import { refuseArchivedChannel } from "./channel.ts";
import { operationStatuses } from "./operation.ts";
import { checkSignature } from "./signature.ts";
import { refuseArchivedWallet } from "./wallet.ts";

/** The owner of the key: this service knows one. */
const SUBJECT: Subject = { subject_type: "api_key", subject_id: "key_local", subject_name: "Local key" };

/**
 * The wallet that can execute a new operation.
 *
 * @throws ApiError when the channel or the wallet takes no operation now, or the deadline has passed.
 */
export function walletForOperation(
  context: Context,
  channel: Channel,
  { chain_selector, address, deadline }: { chain_selector: string; address: string; deadline: number },
): StoredWallet {
  refuseArchivedChannel(channel, "The channel is archived and takes no new operations.");
  checkNetwork(context, chain_selector);
  const wallet = walletAt(context, chain_selector, address);
  refuseArchivedWallet(wallet);
  if (wallet.status !== "deployed") {
    throw invalid(`The wallet is ${wallet.status}; wait until it is deployed.`);
  }
  if (deadline !== 0 && deadline <= now()) throw invalid("deadline has passed already.");
  return wallet;
}

type NewOperation = {
  channelId: string;
  wallet: StoredWallet;
  wallet_operation_id: string;
  deadline: number;
  transactions: WireTransaction[];
  signature: Hex | undefined;
};

/**
 * Creates an operation: `accepted` with a signature, a draft without.
 *
 * @throws ApiError 409 when the id is taken, 400 when the wallet does not accept the signature; what
 * `walletForOperation` throws when channel, wallet or deadline changed meanwhile.
 */
export async function submitOperation(context: Context, request: NewOperation): Promise<StoredOperation> {
  const { store, chain, ticker } = context;
  const { channelId, wallet, signature, ...fields } = request;
  const operation = { ...fields, chain_selector: wallet.chainSelector, address: wallet.address };
  refuseTakenId(context, operation);
  const digest = operationDigest(
    { ...operation, id: operation.wallet_operation_id, account: wallet.address },
    chain.network.chain_id,
  );
  if (signature !== undefined) await checkSignature(context, wallet, digest, signature);
  const operation_id = store.ids.next("operations");
  const created = operationStatuses.create(store, () => {
    // While the wallet was asked, another request may have archived something or taken the id.
    walletForOperation(context, channelOf(context, channelId), operation);
    refuseTakenId(context, operation);
    store.operations.create({
      ...operation,
      operation_id,
      channelId,
      walletId: wallet.walletId,
      status: signature === undefined ? "pending_signature" : "accepted",
      signature: signature ?? null,
      digest,
      initiator: SUBJECT,
      ...(signature === undefined ? {} : { signer: SUBJECT }),
    });
    return operation_id;
  });
  ticker.wake();
  return created;
}

/** @throws ApiError 409 `OPERATION_NOT_CANCELLABLE` when it is not a draft. */
export function cancelOperation({ store }: Context, operation: StoredOperation): StoredOperation {
  const cancelled = operationStatuses.move(store, operation.operation_id, "cancelled", {
    change: { canceller: SUBJECT, cancelled_at: now() },
  });
  if (cancelled !== undefined) return cancelled;
  throw conflict(
    `The operation is ${operation.status} and cannot be cancelled.`,
    "OPERATION_NOT_CANCELLABLE",
  );
}

/**
 * Accepts a draft with its signature.
 *
 * @throws ApiError 409 when it is not a draft, its deadline is too close, or its channel or wallet is archived; 400 when
 * the digest or the signature is not the right one.
 */
export async function finalizeOperation(
  context: Context,
  operation: StoredOperation,
  { digest, signature }: { digest: string; signature: Hex },
): Promise<StoredOperation> {
  const { store, ticker } = context;
  const { operation_id, deadline, channelId: channel_id } = operation;
  if (operation.status === "pending_signature" && deadline !== 0 && now() >= deadline) {
    operationStatuses.move(store, operation_id, "expired", { reason: "the deadline passed" });
  }
  const wallet = walletToFinalize(context, operation);
  if (digest.toLowerCase() !== operation.digest) {
    throw invalid(`digest is not that of this operation, which is ${operation.digest}.`);
  }
  await checkSignature(context, wallet, operation.digest, signature);
  const accepted = store.transaction(() => {
    // While the wallet was asked, another request may have archived something, or cancelled the draft.
    const current = operationOf(context, { channel_id, operation_id });
    walletToFinalize(context, current);
    const change = { signature, signer: SUBJECT, signed_at: now() };
    const moved = operationStatuses.move(store, operation_id, "accepted", { change });
    if (moved === undefined) throw notFinalizable(current);
    return moved;
  });
  ticker.wake();
  return accepted;
}

/**
 * The wallet of a draft that can be finalized.
 *
 * @throws ApiError 409 when the draft, its channel, its deadline or its wallet does not allow that now.
 */
function walletToFinalize(context: Context, operation: StoredOperation): StoredWallet {
  const { status, deadline, channelId, chain_selector, address } = operation;
  if (status !== "pending_signature") throw notFinalizable(operation);
  if (channelOf(context, channelId).status === "archived") {
    throw conflict(
      "The channel of the operation is archived: it can be cancelled, and not finalized.",
      "OPERATION_NOT_FINALIZABLE",
    );
  }
  if (deadline !== 0 && now() >= deadline - LIMITS.finalizeBufferSeconds) {
    throw conflict("The operation's deadline has passed or is too close.", "OPERATION_DEADLINE_ELAPSED");
  }
  // The data directory may have been used with another chain.
  checkNetwork(context, chain_selector);
  const wallet = walletAt(context, chain_selector, address);
  refuseArchivedWallet(wallet);
  return wallet;
}

function notFinalizable({ status }: StoredOperation): ApiError {
  return conflict(`The operation is ${status} and cannot be finalized.`, "OPERATION_NOT_FINALIZABLE");
}

function refuseTakenId(
  { store }: Context,
  operation: { chain_selector: string; address: string; wallet_operation_id: string },
): void {
  if (!store.operations.isTaken(operation.chain_selector, operation.address, operation.wallet_operation_id))
    return;
  throw conflict(
    `The wallet has an operation with the wallet_operation_id ${operation.wallet_operation_id} already.`,
    "OPERATION_ALREADY_EXISTS",
  );
}
