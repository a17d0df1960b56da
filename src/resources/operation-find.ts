import { CrecError } from "../errors.ts";
import { type ChannelEvent, canonicalId, isEvent, isSameId, type Operation } from "../protocol/index.ts";
import { digestOf, operationInput, type Prepared } from "./operation-request.ts";
import type { SearchEvents } from "./search-filter.ts";

export type Submitted = {
  operation: Operation;
  /** What was signed, or is to be signed for a draft. */
  digest: string;
  /** Whether it was there already: an earlier try, or one with the same key, had got through. */
  found: boolean;
};

export type FindCalls = {
  get: (operationId: string) => Promise<Operation>;
  search: (filter: SearchEvents) => AsyncIterable<ChannelEvent>;
};

/** Statuses after which the service takes the id again. */
const GIVES_ID_BACK = ["cancelled", "expired", "failed"];

/**
 * The operation that does what is to be done, among those with our wallet operation id. One that ended without
 * acting counts only when a try of ours may have got through (`tried`): else it is an older one, after which the id
 * was given back. `except` is the id of one that does not count.
 * @throws {CrecError} `OPERATION_ID_TAKEN`, or `OPERATION_KEY_REUSED`, when one that does something else holds the id.
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
    // A key stands for the calls: who comes again with it comes later, so with another deadline.
    const wanted = key === undefined ? prepared.digest : digestWithin(prepared, operation.deadline);
    const goesOn = !GIVES_ID_BACK.includes(operation.status);
    if (goesOn && digest === wanted) return { operation, digest, found: true };
    if (goesOn) taken = operation;
    else if (tried && digest === prepared.digest) ended = { operation, digest, found: true };
  }
  if (taken) throw key === undefined ? idTaken(request, taken) : keyReused(key, taken);
  return ended;
}

/** What an operation is signed as: by its calls, or as the service says where it leaves them out. */
function digestShown(operation: Operation, chainId: string): string {
  const { transactions, digest } = operation;
  if (transactions.length === 0 && digest !== undefined) return digest.toLowerCase();
  return digestOf(operationInput(operation), chainId).digest;
}

/** What would be signed with another deadline. */
function digestWithin({ request, chainId }: Prepared, deadline: number): string {
  const { wallet_operation_id: id, address: account, transactions } = request;
  return digestOf({ id, account, deadline, transactions }, chainId).digest;
}

function idTaken(request: Prepared["request"], { operation_id, status }: Operation): CrecError {
  const message = `The wallet already has another operation with the id ${request.wallet_operation_id}: ${operation_id}, ${status}. Use a new id.`;
  return new CrecError("OPERATION_ID_TAKEN", message);
}

function keyReused(key: string, { operation_id, status }: Operation): CrecError {
  const shown = key.length <= 60 ? key : `${key.slice(0, 59)}…`;
  const message = `The operation key "${shown}" stands for other calls already: operation ${operation_id}, ${status}. Use a new key for what is new, and the very same calls to repeat what was asked.`;
  return new CrecError("OPERATION_KEY_REUSED", message);
}

/** Found by their events, since the list of operations cannot be asked for a wallet operation id. */
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
