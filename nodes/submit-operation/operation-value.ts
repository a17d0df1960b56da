import type { CrecClient, Operation, Submitted, TransactionInput } from "../../src/index.ts";
import type { Approval } from "../common/approvals/types.ts";
import type { WalletRef } from "../common/fields/config-nodes.ts";
import { loadLibrary } from "../common/library.ts";
import { nodeError } from "../common/shared/errors.ts";
import type { SigningClaims } from "../common/signing/claims.ts";
import type { ReadableTransaction } from "./transactions.ts";

/**
 * An operation, from its message to the chain: as it is asked for, as it is signed, as a draft that waits for people, and
 * as it was sent. What the last three hold is kept in the file of a wait, as it is here.
 */
export type OperationValue =
  | { state: "given"; given: Given }
  | { state: "unsigned"; prepared: Prepared }
  | { state: "draft"; kept: KeptDraft }
  | { state: "sent"; sent: Sent };

/** What is in the file of a wait. */
type KeptValue = Exclude<OperationValue, { state: "given" }>;

/** What the form and the message ask for. */
export type Given = Omit<Prepared, "request" | "digest"> & {
  wallet: WalletRef;
  request: Omit<Prepared["request"], "transactions"> & { transactions: readonly ReadableTransaction[] };
};

/** An operation as it is signed, whatever the form, the message and the clock say later. JSON. */
type Prepared = {
  channelId: string;
  walletOperationId: string;
  /** From which its id was made. */
  key: string | undefined;
  request: {
    chain_selector: string;
    address: string;
    /** Unix seconds; 0 for none. */
    deadline: number;
    transactions: Array<{ to: string; value: string; data: string }>;
  };
  digest: string;
};

/** One that waits for its signature, as it is kept before anyone is asked. */
export type Unsigned = { prepared: Prepared };

/** A draft that waits for people, as it is kept in the file of its wait. */
export type KeptDraft = {
  draft: Omit<Prepared, "request"> & {
    /** What is shown, and what the digest is computed from. */
    operation: Operation;
    found: boolean;
  };
  needed: number;
  madeAt: number;
  approvals: readonly Approval[];
  /** Whose decision was under way: it is told where the service has it after all. */
  deciding?: Approval;
};

/** An operation that was sent, as it is kept while the node waits for it. */
export type Sent = {
  channelId: string;
  operation: Operation;
  walletOperationId: string;
  wallet: string;
  chainSelector: string;
  key: string | undefined;
  /** Whether it existed before. */
  found: boolean;
  /** The digest under which its key is claimed. */
  claim?: string | undefined;
  /** Whether the service has reported that it was not executed, and the error has left. */
  isReported?: true;
  /** When it has, by the time of the service. */
  reportedAt?: number;
};

/** Reads what a wait has kept. */
export function keptValue(about: unknown): KeptValue {
  const kept = about as Unsigned | KeptDraft | Sent;
  if ("prepared" in kept) return { state: "unsigned", prepared: kept.prepared };
  return "draft" in kept ? { state: "draft", kept } : { state: "sent", sent: kept };
}

/** What is the same of an operation in each of its states. */
type Identity = Pick<Sent, "channelId" | "walletOperationId" | "wallet" | "chainSelector" | "key">;

export function identityOf(value: OperationValue): Identity {
  switch (value.state) {
    case "given":
      return ofRequest(value.given, value.given.request);
    case "unsigned":
      return ofRequest(value.prepared, value.prepared.request);
    case "draft":
      return ofRequest(value.kept.draft, value.kept.draft.operation);
    case "sent":
      return value.sent;
  }
}

function ofRequest(
  { channelId, walletOperationId, key }: Pick<Identity, "channelId" | "walletOperationId" | "key">,
  { address: wallet, chain_selector: chainSelector }: { address: string; chain_selector: string },
): Identity {
  return { channelId, walletOperationId, key, wallet, chainSelector };
}

/** For its report. */
export function knownOf(value: OperationValue) {
  const { channelId, walletOperationId, wallet, chainSelector } = identityOf(value);
  return { channelId, walletOperationId, wallet, chainSelector };
}

/** For the service: the id itself, or the key from which it is made. */
export function idOf({ walletOperationId, key }: Pick<Given, "walletOperationId" | "key">) {
  return key === undefined ? { wallet_operation_id: walletOperationId } : { operation_key: key };
}

/** @throws OPERATION_AWAITS_APPROVAL */
export function sentOf(value: OperationValue, { operation, found }: Submitted, claim?: string): Sent {
  if (operation.status === "pending_signature") throw awaitsApproval(operation);
  const { channelId, walletOperationId, wallet, chainSelector, key } = identityOf(value);
  return { channelId, operation, walletOperationId, wallet, chainSelector, key, found, claim };
}

/** It was created under this key as a draft, for another person to approve, so it is not signed here. */
function awaitsApproval({ operation_id: id }: Operation): Error {
  const message = `Waits for approval: the operation of this key is a draft, so it was not sent. Approve or cancel it with the node "operation". Operation ${id}.`;
  return nodeError("OPERATION_AWAITS_APPROVAL", message);
}

type ToPrepare = Omit<Prepared, "request" | "digest"> & {
  request: Omit<Prepared["request"], "transactions"> & { transactions: readonly TransactionInput[] };
};

/**
 * Makes an operation ready for a signer that takes time. One whose key is being signed already, for an earlier message
 * or on another copy of the flow, gets the same deadline, and so the same digest.
 * @throws OPERATION_KEY_REUSED where other calls are being signed under the key
 */
export async function prepare(
  client: CrecClient,
  given: ToPrepare,
  claims: () => Promise<SigningClaims>,
  signal: AbortSignal,
): Promise<Unsigned & { isRepeated: boolean }> {
  const { operationDigest, operationTypedData } = await loadLibrary();
  const { walletOperationId: id, key, request } = given;
  const { chain_selector, address: account } = request;
  const chainId = await client.networks.chainIdOf(chain_selector, { signal });
  const { transactions } = operationTypedData({ ...request, id, account }, chainId).message;
  const digestBy = (deadline: number) => operationDigest({ id, account, deadline, transactions }, chainId);
  const mine = { deadline: request.deadline, digest: digestBy(request.deadline) };
  const claim = key === undefined ? mine : await (await claims()).claim(id, mine);
  const { deadline, digest } = claim;
  if (key !== undefined && claim !== mine && digestBy(deadline) !== digest) throw otherCalls(key);
  const prepared = { ...given, request: { ...request, deadline, transactions }, digest };
  return { prepared, isRepeated: claim !== mine };
}

const LONGEST_KEY = 80;

function otherCalls(key: string): Error {
  const shown = key.length <= LONGEST_KEY ? key : `${key.slice(0, LONGEST_KEY - 1)}…`;
  const message = `Key used for other calls: an operation with other calls is being signed under this key. These were not sent. Repeat it with the same calls, without values that change with time, or use a new key. Key "${shown}".`;
  return nodeError("OPERATION_KEY_REUSED", message);
}
