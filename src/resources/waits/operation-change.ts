import { CALL_OPTIONS, type CallOptions, ConflictError } from "../../http/index.ts";
import { duration, type Kinds, optional } from "../../options/index.ts";
import type { Operation } from "../../protocol/index.ts";
import { Again, retry } from "../../retry/retry.ts";
import { sleep } from "../../timing/index.ts";
import { requireAnswerToOperation } from "../requests/answer-to.ts";
import { callPolicy, isAnswerLost } from "../requests/create-or-find.ts";

/** What becomes of a draft. */
export type DraftChange = { status: "accepted"; signature: string; digest: string } | { status: "cancelled" };

export type ChangeOptions = CallOptions & {
  /**
   * For how long a change is tried again whose answer was lost or that came too often, for a draft without a deadline, in
   * milliseconds. For one with a deadline, it is until 60 s before that.
   * @default the client's time-out
   */
  patienceMs?: number | undefined;
};

export const CHANGE: Kinds<ChangeOptions> = { ...CALL_OPTIONS, patienceMs: optional(duration) };

type ChangeCalls = {
  patch: () => Promise<Operation>;
  get: () => Promise<Operation>;
  signals: ReadonlyArray<AbortSignal | undefined>;
  /** Unix milliseconds, by the clock that decides on deadlines. */
  now: () => number;
};

/** The service needs some time before the deadline, too. */
const BEFORE_DEADLINE_MS = 60_000;

/**
 * Changes a draft, as patiently as one is created. After a lost answer, or a refusal for coming too often, the operation
 * itself shows whether the change was made; while it is still a draft, the same change is sent again.
 */
export async function changeDraft(
  { patch, get, signals, now }: ChangeCalls,
  change: DraftChange,
  { draft, patienceMs }: { draft: Operation | undefined; patienceMs: number },
): Promise<Operation> {
  const givesUpAt = performance.now() + patienceMs;
  const isStopped = () => signals.some((signal) => signal?.aborted);
  const checked = (shown: Operation): Operation => {
    if (draft) requireAnswerToOperation(shown, draft);
    return shown;
  };
  let deadline = draft?.deadline ?? 0;
  // It was a draft when it was read: then a conflict may be about this change, sent twice on its way.
  let mayBeOwn = draft?.status === "pending_signature";
  let leftMs = patienceMs;
  const pause = async (ms: number, failure: unknown) => {
    await sleep(Math.min(leftMs, ms), ...signals);
    if (isStopped()) throw failure;
  };
  return retry(pause, async () => {
    try {
      return checked(await patch());
    } catch (failure) {
      const isConflict = failure instanceof ConflictError && mayBeOwn;
      if (isStopped() || !(isConflict || isAnswerLost(failure))) throw failure;
      mayBeOwn = true;
      const shown = await readAgain(() => get().then(checked), failure);
      if (shown && shown.status !== "pending_signature") return changed(shown, change, failure);
      deadline = shown?.deadline ?? deadline;
      leftMs = deadline === 0 ? givesUpAt - performance.now() : deadline * 1000 - BEFORE_DEADLINE_MS - now();
      if ((isConflict && shown) || leftMs <= 0) throw failure;
      return new Again(failure, { ...callPolicy(failure), maxRetryAfter: leftMs });
    }
  });
}

/** The operation as it is now; undefined where that answer is lost, too. */
async function readAgain(get: () => Promise<Operation>, failure: unknown): Promise<Operation | undefined> {
  try {
    return await get();
  } catch (error) {
    if (isAnswerLost(error)) return undefined;
    // Why the change failed says more.
    throw failure;
  }
}

/** @throws {ConflictError} where another change was made; the conflict itself where the service has said so. */
function changed(shown: Operation, { status }: DraftChange, failure: unknown): Operation {
  const isCancelling = status === "cancelled";
  if ((shown.status === "cancelled") === isCancelling) return shown;
  throw failure instanceof ConflictError
    ? failure
    : notChanged(shown, isCancelling ? "cancelled" : "finalized");
}

/** For an operation that is no longer a draft, for example because another client changed it. */
export function notChanged({ status }: Operation, change: "finalized" | "cancelled"): ConflictError {
  const code = change === "finalized" ? "OPERATION_NOT_FINALIZABLE" : "OPERATION_NOT_CANCELLABLE";
  return new ConflictError(
    code,
    `The operation is already ${status}, so it cannot be ${change}. Check it before you continue.`,
  );
}
