import { CrecError } from "../../errors.ts";
import { type ChannelEvent, canonicalId, isEvent, isSameId, type Operation } from "../../protocol/index.ts";
import { operationDigest } from "../../signing/index.ts";
import { OperationKeyReusedError } from "./operation-key-reused.ts";
import { operationInput, type Prepared } from "./operation-request.ts";
import type { SearchEvents } from "./search-filter.ts";

/** An operation that the service has taken. */
export type Submitted = {
  /** The operation as the service shows it. */
  operation: Operation;
  /** What was signed, as hex; for a draft, what will be signed. */
  digest: string;
  /** Whether it existed already: from an earlier attempt, or from a call with the same key. */
  found: boolean;
};

/** The calls that finding an operation needs. */
export type FindCalls = {
  get: (operationId: string) => Promise<Operation>;
  search: (filter: SearchEvents) => AsyncIterable<ChannelEvent>;
};

/** Statuses after which the service accepts the id again. */
const RELEASES_ID = ["cancelled", "expired", "failed"];

/**
 * The operation with the same calls and wallet operation id. One that ended without being executed counts only when an
 * attempt of this call may have created it (`tried`): else it is an older one, which released the id. `except` is the id
 * of an operation that does not count.
 * @throws {CrecError} `OPERATION_ID_TAKEN`, or `OPERATION_KEY_REUSED`, when an operation with other calls has the id.
 */
export async function findSubmitted(
  calls: FindCalls,
  prepared: Prepared,
  { tried = false, except }: { tried?: boolean | undefined; except?: string | undefined } = {},
): Promise<Submitted | undefined> {
  const { request, chainId, key } = prepared;
  let taken: Operation | undefined;
  let ended: Submitted | undefined;
  for (const operationId of await operationIds(calls, request)) {
    if (except !== undefined && isSameId(operationId, except)) continue;
    const operation = await calls.get(operationId);
    const digest = digestShown(operation, chainId);
    // A key identifies the calls: a later call with the same key has another deadline.
    const expected = key === undefined ? prepared.digest : digestWithin(prepared, operation.deadline);
    const isActive = !RELEASES_ID.includes(operation.status);
    if (isActive && digest === expected) return { operation, digest, found: true };
    if (isActive) taken = operation;
    else if (tried && digest === prepared.digest) ended = { operation, digest, found: true };
  }
  if (taken) {
    if (key === undefined) throw idTaken(request, taken);
    throw new OperationKeyReusedError({ key, first: taken, asked: request.transactions });
  }
  return ended;
}

/** The digest of an operation: from its calls, or from the service where it leaves them out. */
function digestShown(operation: Operation, chainId: string): string {
  const { transactions, digest } = operation;
  if (transactions.length === 0 && digest !== undefined) return digest.toLowerCase();
  return operationDigest(operationInput(operation), chainId);
}

/** The digest with another deadline. */
function digestWithin({ request, chainId }: Prepared, deadline: number): string {
  return operationDigest(operationInput({ ...request, deadline }), chainId);
}

function idTaken(request: Prepared["request"], { operation_id, status }: Operation): CrecError {
  const message = `The wallet already has another operation with this id, which is ${status}. Use a new id. Wallet operation id ${request.wallet_operation_id}, operation ${operation_id}.`;
  return new CrecError("OPERATION_ID_TAKEN", message);
}

/** Found by their events, since the list of operations cannot be filtered by wallet operation id. */
async function operationIds(
  calls: Pick<FindCalls, "search">,
  request: Prepared["request"],
): Promise<Set<string>> {
  const filter: SearchEvents = {
    type: ["operation.status"],
    wallet_operation_id: request.wallet_operation_id,
    chain_selector: [request.chain_selector],
    address: [request.address],
  };
  const ids = new Set<string>();
  for await (const event of calls.search(filter)) {
    if (isEvent(event, "operation.status")) ids.add(canonicalId(String(event.payload.operation_id)));
  }
  return ids;
}
