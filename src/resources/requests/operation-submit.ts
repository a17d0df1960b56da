import { CrecError } from "../../errors.ts";
import {
  AbortedError,
  BadResponseError,
  ClientClosedError,
  ConflictError,
  HttpError,
  type HttpErrorDetails,
  RateLimitError,
} from "../../http/index.ts";
import { type Operation, withoutNulls } from "../../protocol/index.ts";
import { CALL_LIMITS } from "../../retry/policies.ts";
import { Again, retry } from "../../retry/retry.ts";
import { sleep } from "../../timing/index.ts";
import {
  findEventually,
  findExecuted,
  type RepeatedFind,
  saysExecuted,
} from "../waits/operation-executed.ts";
import { requireAnswerToOperation, saysWhich } from "./answer-to.ts";
import { resourceOf } from "./checks.ts";
import { callPolicy, isAnswerLost } from "./create-or-find.ts";
import { type FindCalls, findSubmitted, type Submitted } from "./operation-find.ts";
import type { Prepared } from "./operation-request.ts";

export type SubmitCalls = FindCalls & {
  post: () => Promise<Partial<Operation>>;
  /** For an operation that certainly exists, though the search does not find it yet. */
  repeatedFind: RepeatedFind;
  signal: AbortSignal | undefined;
  /** Fires when the client is closed. */
  closing: AbortSignal;
};

/** Conflicts that another attempt would get again. Any other may pass, or be about the id. */
const LASTING_CONFLICTS = ["WALLET_ALREADY_ARCHIVED", "OPERATION_DEADLINE_ELAPSED"];

/**
 * Submits an operation, and never twice. When it is not certain whether an attempt succeeded, the operation is searched by
 * its wallet operation id. Only if it is not found, it is sent again with the same id: service and wallet accept an id
 * once, so even a search that was too early cannot cause a second execution.
 */
export async function submitOperation(calls: SubmitCalls, prepared: Prepared): Promise<Submitted> {
  const { digest } = prepared;
  /** The failure of the last attempt that may have succeeded nevertheless. */
  let tried: HttpError | undefined;
  const pause = (ms: number) => sleep(ms, calls.signal, calls.closing);
  return retry(pause, async (attempt) => {
    const isSent = !(calls.signal?.aborted || calls.closing.aborted);
    try {
      const operation = await readBack(calls, prepared, await calls.post());
      return { operation, digest, found: false };
    } catch (failure) {
      if (isStop(failure, calls)) throw isSent || tried ? inDoubt(failure, prepared) : failure;
      const orInDoubt = (error: unknown) => {
        throw isStop(error, calls) ? inDoubt(error, prepared) : error;
      };
      if (isExecuted(failure, prepared)) return findExecuted(calls.repeatedFind, prepared).catch(orInDoubt);
      const refused = !isAnswerLost(failure) && !(failure instanceof ConflictError);
      if (refused && attempt === 1) throw failure;
      if (mayHaveActed(failure)) tried = failure;
      // After a lost answer, any refusal may be caused by the first attempt itself.
      let doubt = refused ? undefined : tried;
      try {
        const found = await findSubmitted(calls, prepared, { tried: tried !== undefined });
        if (found) return found;
      } catch (error) {
        if (isStop(error, calls)) throw inDoubt(error, prepared);
        // Another operation has the id. Any other refusal is about the search, not about the operation.
        if (!(error instanceof HttpError)) throw error;
        if (!isAnswerLost(error)) throw tried ? inDoubt(tried, prepared) : failure;
        // No answer either: the next attempt, or its refusal, will show it.
        doubt ??= tried ?? error;
      }
      if (isTaken(failure) && attempt > CALL_LIMITS.submit) {
        const notFound = (cause: unknown) => takenNotFound(failure, prepared, cause);
        return findEventually(calls.repeatedFind, prepared, { notFound, tried: tried !== undefined }).catch(
          orInDoubt,
        );
      }
      const reason = doubt ? inDoubt(doubt, prepared) : failure;
      if (refused || isLasting(failure)) throw reason;
      return new Again(reason, { ...callPolicy(failure), limit: CALL_LIMITS.submit }, failure);
    }
  });
}

/** A call that was rejected by a rate limit has not acted. */
function mayHaveActed(failure: unknown): failure is HttpError {
  return isAnswerLost(failure) && !(failure instanceof RateLimitError);
}

/** The caller's signal or the closing of the client ended a call, at an unknown point. */
function isStop(failure: unknown, { signal }: Pick<SubmitCalls, "signal">): failure is CrecError {
  if (failure instanceof AbortedError || failure instanceof ClientClosedError) return true;
  // A caller may stop with an error of its own.
  return failure instanceof CrecError && failure === signal?.reason;
}

/** Refused before it was sent to the chain, because the wallet has executed the id. */
function isExecuted(failure: unknown, { request }: Prepared): boolean {
  return (
    failure instanceof HttpError &&
    !failure.retryable &&
    saysExecuted(failure.message, request.wallet_operation_id)
  );
}

function isTaken(failure: unknown): failure is ConflictError {
  return failure instanceof ConflictError && failure.code === "OPERATION_ALREADY_EXISTS";
}

function isLasting(failure: unknown): boolean {
  return failure instanceof ConflictError && LASTING_CONFLICTS.includes(failure.code);
}

/** Warns the caller: a new operation could be a second one. */
function inDoubt(doubt: CrecError, { request, key, isRepeatable: retryable }: Prepared): HttpError {
  const id = request.wallet_operation_id;
  const how = key === undefined ? "with the same id" : "under the same key";
  const message = `${doubt.message} The operation may have been accepted nevertheless: look for it, or send exactly the same operation again, ${how}. Wallet operation id ${id}.`;
  const { status, type, requestId, retryAfterMs }: HttpErrorDetails = doubt instanceof HttpError ? doubt : {};
  const cause = doubt instanceof AbortedError ? doubt.cause : doubt;
  const details = { status, type, requestId, retryAfterMs, retryable, cause };
  // Of the same class, so that callers still recognize a time-out or an abort.
  const SameError = doubt instanceof HttpError ? (doubt.constructor as typeof HttpError) : HttpError;
  return new SameError(doubt.code, message, details);
}

function takenNotFound(
  { code, status, type, requestId }: ConflictError,
  { request, key, isRepeatable: retryable }: Prepared,
  cause: unknown,
): ConflictError {
  const again =
    key === undefined
      ? "Look for its wallet operation id later. With a new id the calls may be executed twice."
      : "Send the same operation later, under the same key. Under a new key the calls may be executed twice.";
  const message = `Already accepted, not found yet. The wallet has an operation with this id, but this channel does not show it yet. ${again} Wallet operation id ${request.wallet_operation_id}.`;
  return new ConflictError(code, message, { status, type, requestId, retryable, cause });
}

/**
 * The whole operation: some versions of the service answer with its id only. One that is about another operation is no
 * answer, and neither is an id alone that cannot be read.
 */
async function readBack(
  calls: SubmitCalls,
  { request, digest }: Prepared,
  answer: Partial<Operation>,
): Promise<Operation> {
  const created = withoutNulls(answer ?? {}) as Partial<Operation>;
  const { operation_id } = created;
  if (typeof operation_id !== "string") {
    const message =
      "The service accepted the operation but sent no operation id. Check the base URL of the connection.";
    throw new BadResponseError("BAD_RESPONSE", message);
  }
  requireAnswerToOperation(created, request);
  if (created.status && saysWhich(created)) return resourceOf(created, "operation_id");
  const shown = await calls.get(operation_id).catch((error: CrecError): Operation => {
    if (isStop(error, calls)) throw error;
    if (created.wallet_operation_id === undefined) throw unreadable(operation_id, error);
    // It was certainly accepted, and its first status depends on whether it was signed.
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
      ...created,
    };
  });
  requireAnswerToOperation(shown, request);
  return shown;
}

/** An id alone may be that of another operation. */
function unreadable(operationId: string, cause: CrecError): BadResponseError {
  const message = `The service answered with an operation id only, and that operation could not be read. ${cause.message} Operation ${operationId}.`;
  return new BadResponseError("BAD_RESPONSE", message, { cause });
}
