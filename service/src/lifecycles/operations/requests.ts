// What a request does with an operation: submit it, finalize its draft, cancel its draft.
import {
  type Channel,
  type Hex,
  LIMITS,
  type Subject,
  type WireTransaction,
} from "../../../../src/protocol/index.ts";
import { operationDigest } from "../../../../src/signing/operation.ts";
import { isRsaSignature } from "../../../../src/signing/rsa.ts";
import { recoverSigner } from "../../../../src/signing/signature.ts";
import { ECDSA_SIGNATURE_LENGTH, isSigner } from "../../chain/smart-account.ts";
import type { Context } from "../../context.ts";
import { type ApiError, conflict, invalid } from "../../errors.ts";
import { channelOf, checkNetwork, operationOf, walletAt } from "../../lookup.ts";
import type { StoredOperation } from "../../store/operations.ts";
import type { StoredWallet } from "../../store/wallets.ts";
import { now } from "../../time.ts";
import { refuseArchivedChannel } from "../channel.ts";
import { refuseArchivedWallet } from "../wallet.ts";
import { operationStatuses } from "./operation.ts";

/** The owner of the key: this service knows one. */
const SUBJECT: Subject = { subject_type: "api_key", subject_id: "key_local", subject_name: "Local key" };

/** Of the two forms of a signature, the wallet accepts only the one with the lower s. */
const HALF_CURVE_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

type NewOperation = {
  channelId: string;
  wallet: StoredWallet;
  wallet_operation_id: string;
  deadline: number;
  transactions: WireTransaction[];
  signature: Hex | undefined;
};

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
 * Checks, as the wallet contract does, that a signature is from an allowed signer.
 *
 * @throws ApiError 400 `VALIDATION_ERROR`; what `isSigner` throws when the chain cannot be asked.
 */
async function checkSignature(
  context: Context,
  wallet: StoredWallet,
  digest: Hex,
  signature: Hex,
): Promise<void> {
  if (wallet.type.endsWith("rsa")) {
    if (wallet.rsaSigners.some((key) => isRsaSignature(key, digest, signature))) return;
    throw invalid("signature is not that of an RSA key allowed on the wallet.");
  }
  if (signature.length !== ECDSA_SIGNATURE_LENGTH)
    throw invalid("signature must have 65 bytes: the wallet's signers are ECDSA keys.");
  if (!/(0[01]|1[bc])$/i.test(signature) || BigInt(`0x${signature.slice(66, 130)}`) > HALF_CURVE_ORDER) {
    throw invalid(
      "signature must end in a recovery byte of 0, 1, 27 or 28 and have a low s: the wallet contract takes no other form.",
    );
  }
  let signer: Hex;
  try {
    signer = recoverSigner(digest, signature);
  } catch {
    throw invalid("signature does not belong to any key.");
  }
  const { chain } = context;
  if (await chain.atNewHead(() => isSigner(chain, wallet.address, signer))) return;
  throw invalid(
    `The signer ${signer} is not allowed on the wallet, or what was signed is not this operation on chain ${chain.network.chain_id}.`,
  );
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

function notFinalizable({ status }: StoredOperation): ApiError {
  return conflict(`The operation is ${status} and cannot be finalized.`, "OPERATION_NOT_FINALIZABLE");
}
