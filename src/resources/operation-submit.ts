import { CrecError } from "../errors.ts";
import {
  AbortedError,
  BadResponseError,
  ClientClosedError,
  ConflictError,
  HttpError,
  type HttpErrorDetails,
  RateLimitError,
} from "../http/index.ts";
import type { ChannelEvent, Operation } from "../protocol/index.ts";
import { isAnswerLost, pauseBefore } from "./create-or-find.ts";
import type { SearchEvents } from "./events.ts";
import { digestOf, type Prepared, signingInput } from "./operation-request.ts";

export type Submitted = {
  operation: Operation;
  /** What was signed, or is to be signed for a draft. */
  digest: string;
  /** Whether it was there already: an earlier try, or one with the same key, had got through. */
  found: boolean;
};

export type SubmitCalls = {
  post: () => Promise<Partial<Operation>>;
  get: (operationId: string) => Promise<Operation>;
  search: (filter: SearchEvents) => AsyncIterable<ChannelEvent>;
  signal: AbortSignal | undefined;
  /** Fires when the client is closed. */
  closing: AbortSignal;
};

const ATTEMPTS = 4;
/** Conflicts that another try meets again. Any other may pass, or be about the id. */
const LASTING_CONFLICTS = ["WALLET_ALREADY_ARCHIVED", "OPERATION_DEADLINE_ELAPSED"];

/**
 * Hands an operation in without ever making it twice. When it is not certain whether a try got through, the
 * operation is looked for by its wallet operation id. Only where there is none it is sent again, with the same
 * id: service and wallet take an id once, so even a look that came too early cannot let it act twice.
 */
export async function submitOperation(calls: SubmitCalls, prepared: Prepared): Promise<Submitted> {
  const { digest } = prepared;
  /** The failure of the last try that may have acted all the same. */
  let tried: HttpError | undefined;
  for (let attempt = 1; ; attempt++) {
    const isSent = !(calls.signal?.aborted || calls.closing.aborted);
    try {
      const operation = await readBack(calls, prepared, await calls.post());
      return { operation, digest, found: false };
    } catch (failure) {
      if (isStop(failure, calls)) throw isSent || tried ? inDoubt(failure, prepared) : failure;
      const refused = !isAnswerLost(failure) && !(failure instanceof ConflictError);
      if (refused && attempt === 1) throw failure;
      if (mayHaveActed(failure)) tried = failure;
      // After a lost answer any refusal may be the echo of our own first try.
      let doubt = refused ? undefined : tried;
      try {
        const found = await findSubmitted(calls, prepared, tried !== undefined);
        if (found) return found;
      } catch (error) {
        if (isStop(error, calls)) throw inDoubt(error, prepared);
        // Another operation is there. Any other refusal is one of the look, and tells nothing of the operation.
        if (!(error instanceof HttpError)) throw error;
        if (!isAnswerLost(error)) throw tried ? inDoubt(tried, prepared) : failure;
        // No answer either: the next try, or its refusal, will tell.
        doubt ??= tried ?? error;
      }
      const reason = doubt ? inDoubt(doubt, prepared) : failure;
      if (refused || isLasting(failure) || attempt === ATTEMPTS) throw reason;
      await pauseBefore(attempt, failure, [calls.signal, calls.closing]).catch(() => {
        throw reason;
      });
    }
  }
}

/** An answer that turns a call away for coming too often says that it has not acted. */
function mayHaveActed(failure: unknown): failure is HttpError {
  return isAnswerLost(failure) && !(failure instanceof RateLimitError);
}

/** The caller or the closing of the client cut a call off, at whatever point it was. */
function isStop(failure: unknown, { signal }: Pick<SubmitCalls, "signal">): failure is CrecError {
  if (failure instanceof AbortedError || failure instanceof ClientClosedError) return true;
  // A caller may stop with an error of its own.
  return failure instanceof CrecError && failure === signal?.reason;
}

function isLasting(failure: unknown): boolean {
  return failure instanceof ConflictError && LASTING_CONFLICTS.includes(failure.code);
}

/** Says what matters most to whoever gave up here: a new operation might be the second one. */
function inDoubt(doubt: CrecError, { request, key, isRepeatable: retryable }: Prepared): HttpError {
  const id = request.wallet_operation_id;
  const again = key === undefined ? "with that id" : "under the same key";
  const message = `${doubt.message} The operation may have been taken all the same: look for its wallet operation id ${id}, or send the very same again, ${again}.`;
  const { status, type, requestId, retryAfterMs }: HttpErrorDetails = doubt instanceof HttpError ? doubt : {};
  const details = { status, type, requestId, retryAfterMs, retryable, cause: doubt };
  // Of the same class, so that whoever asks for a time-out or an abort finds it.
  const SameError = doubt instanceof HttpError ? (doubt.constructor as typeof HttpError) : HttpError;
  return new SameError(doubt.code, message, details);
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
    if (isStop(error, calls)) throw error;
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
 * The operation that does what is to be done, among those with our wallet operation id. One that ended without
 * acting counts only when it may be our own try: it may as well be an older one, after which the id was given back.
 * @throws {CrecError} `OPERATION_ID_TAKEN`, or `OPERATION_KEY_REUSED`, when one that does something else holds the id.
 */
export async function findSubmitted(
  calls: Pick<SubmitCalls, "get" | "search">,
  prepared: Prepared,
  /** Whether a try of ours may have got through. */
  tried: boolean,
): Promise<Submitted | undefined> {
  const { request, chainId, key } = prepared;
  let taken: Operation | undefined;
  let ended: Submitted | undefined;
  for (const operationId of await operationIds(calls, request)) {
    const operation = await calls.get(operationId);
    const { digest } = digestOf(signingInput(operation), chainId);
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
  calls: Pick<SubmitCalls, "search">,
  request: Prepared["request"],
): Promise<Set<string>> {
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
