import { CrecError } from "../errors.ts";
import { BadResponseError, ConflictError, NotFoundError } from "../http/index.ts";
import type { ChannelEvent, Operation } from "../protocol/index.ts";
import { isAnswerLost, pauseBefore } from "./create-or-find.ts";
import type { SearchEvents } from "./events.ts";
import { digestOf, type Prepared, signingInput } from "./operation-request.ts";

export type Submitted = {
  operation: Operation;
  /** What was signed, or is to be signed for a draft. */
  digest: string;
  /** Whether it was there already: an earlier try had got through. */
  found: boolean;
};

export type SubmitCalls = {
  post: () => Promise<Partial<Operation>>;
  get: (operationId: string) => Promise<Operation>;
  search: (filter: SearchEvents) => AsyncIterable<ChannelEvent>;
  signal: AbortSignal | undefined;
};

const ATTEMPTS = 4;

/**
 * Hands an operation in without ever making it twice. When it is not certain whether a try got through, the
 * operation is looked for by its wallet operation id. Only where there is none it is sent again, with the same
 * id: service and wallet take an id once, so even a look that came too early cannot let it act twice.
 */
export async function submitOperation(calls: SubmitCalls, prepared: Prepared): Promise<Submitted> {
  const { digest } = prepared;
  for (let attempt = 1; ; attempt++) {
    try {
      const operation = await readBack(calls, prepared, await calls.post());
      return { operation, digest, found: false };
    } catch (failure) {
      const uncertain = isAnswerLost(failure) || failure instanceof ConflictError;
      // After a lost answer any refusal may be the echo of our own first try.
      if (!uncertain && attempt === 1) throw failure;
      const operation = await look(calls, prepared).catch((error: unknown) => {
        // No answer either: the next try, or its refusal, will tell.
        if (!isAnswerLost(error)) throw error;
        return undefined;
      });
      if (operation) return { operation, digest, found: true };
      if (!uncertain || attempt === ATTEMPTS) throw failure;
      await pauseBefore(attempt, failure, calls.signal);
    }
  }
}

/** The whole operation: some versions of the service answer with its id alone. */
async function readBack(
  calls: SubmitCalls,
  { request, digest }: Prepared,
  created: Partial<Operation>,
): Promise<Operation> {
  const { operation_id } = created ?? {};
  if (typeof operation_id !== "string") {
    const message =
      "The service took the operation without telling its id. Check the base URL of the connection.";
    throw new BadResponseError("BAD_RESPONSE", message);
  }
  if (created.status !== undefined) return created as Operation;
  return calls.get(operation_id).catch((error: unknown) => {
    if (!(isAnswerLost(error) || error instanceof NotFoundError)) throw error;
    // It was taken, that is certain, and its first status follows from whether it was signed.
    const now = Math.floor(Date.now() / 1000);
    const status = request.signature ? "accepted" : "pending_signature";
    return {
      ...request,
      operation_id,
      status,
      signature: request.signature ?? null,
      digest,
      created_at: now,
      updated_at: now,
    };
  });
}

/** Statuses after which the service takes the id again. */
const GIVES_ID_BACK = ["cancelled", "expired", "failed"];

/**
 * The operation with our digest among those with our wallet operation id.
 * @throws {CrecError} `OPERATION_ID_TAKEN` when another one holds the id.
 */
async function look(
  calls: SubmitCalls,
  { request, digest, chainId }: Prepared,
): Promise<Operation | undefined> {
  let taken: Operation | undefined;
  for (const operationId of await operationIds(calls, request)) {
    const operation = await calls.get(operationId);
    const theirs = digestOf(signingInput(operation), chainId).digest;
    if (theirs === digest) return operation;
    if (!GIVES_ID_BACK.includes(operation.status)) taken = operation;
  }
  if (!taken) return undefined;
  const message = `The wallet already has another operation with the id ${request.wallet_operation_id}: ${taken.operation_id}, ${taken.status}. Use a new id.`;
  throw new CrecError("OPERATION_ID_TAKEN", message);
}

/** Found by their events, since the list of operations cannot be asked for a wallet operation id. */
async function operationIds(calls: SubmitCalls, request: Prepared["request"]): Promise<Set<string>> {
  const filter: SearchEvents = {
    type: ["operation.status"],
    wallet_operation_id: request.wallet_operation_id,
    chain_selector: [request.chain_selector],
    address: [request.address],
  };
  const ids = new Set<string>();
  for await (const { payload } of calls.search(filter)) ids.add(String(payload.operation_id));
  return ids;
}
