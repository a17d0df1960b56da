import { setTimeout as sleep } from "node:timers/promises";
import { CrecError } from "../errors.ts";
import { bounded, HttpError, NotFoundError } from "../http/index.ts";
import { findSubmitted, type LookCalls, type Submitted } from "./operation-find.ts";
import type { Prepared } from "./operation-request.ts";
import { jittered } from "./pause.ts";

/** How to look on, and for how long. */
export type LookOn = {
  look: (signal: AbortSignal) => LookCalls;
  timeoutMs: number;
  signals: ReadonlyArray<AbortSignal | undefined>;
};

type Which = { tried?: boolean | undefined; except?: string | undefined };

/** The search may show an operation late: seconds, seldom more. */
const LONGEST_LOOK_MS = 60_000;
const FIRST_GAP_MS = 250;
const LONGEST_GAP_MS = 5_000;

/** The wallet's refusal of a used id: by its name with or without the id, or as the revert data. */
const REFUSED =
  /\bOperationAlreadyExecuted\b(?:\((?:\w{1,40}:\s{0,4})?(\d{1,78})\))?|0x97503b48([0-9a-f]{64})?/i;

/** Whether a reason is the wallet's word that it has executed this id before. Another id is another wallet's. */
export function saysExecuted(reason: string, walletOperationId: string): boolean {
  const match = REFUSED.exec(reason);
  if (!match) return false;
  const [, decimal, hex] = match;
  const id = decimal ?? (hex === undefined ? undefined : `0x${hex}`);
  return id === undefined || BigInt(id) === BigInt(walletOperationId);
}

/**
 * Looks for an operation that is certainly there, until the search shows it.
 * @throws {CrecError} what `notFound` makes, when the time is up or the service refuses to be asked.
 */
export function lookOn(
  { look, timeoutMs, signals }: LookOn,
  prepared: Prepared,
  { notFound, ...which }: Which & { notFound: (cause: unknown) => CrecError },
): Promise<Submitted> {
  let cause: unknown;
  const onTimeout = () => notFound(cause);
  return bounded({ timeoutMs: Math.min(timeoutMs, LONGEST_LOOK_MS), onTimeout, signals }, async (signal) => {
    const calls = look(signal);
    for (let gap = FIRST_GAP_MS; ; gap = Math.min(gap * 1.5, LONGEST_GAP_MS)) {
      let asked = 0;
      try {
        const found = await findSubmitted(calls, prepared, which);
        if (found) return found;
        cause = undefined;
      } catch (error) {
        if (signal.aborted || !(error instanceof HttpError)) throw error;
        cause = error;
        // Its event is there, and the operation itself comes later.
        if (!(error.retryable || error instanceof NotFoundError)) throw notFound(error);
        asked = error.retryAfterMs ?? 0;
      }
      const next = Math.max(asked, jittered(gap));
      await sleep(Math.min(timeoutMs, next), undefined, { signal });
    }
  });
}

/** Looks for the operation that was executed under an id, not for the one refused. @throws {CrecError} `OPERATION_EXECUTED_NOT_FOUND` */
export function findExecuted(how: LookOn, prepared: Prepared, except?: string): Promise<Submitted> {
  return lookOn(how, prepared, { except, notFound: (cause) => executedNotFound(prepared, cause) });
}

function executedNotFound({ request, key, isRepeatable: retryable }: Prepared, cause: unknown): CrecError {
  const again =
    key === undefined
      ? "Look for this id later. Do not send the calls with a new id: they would be executed again."
      : "Send the same again later, under the same key. Do not use a new key: the calls would be executed again.";
  const message = `Executed already, not found yet: the wallet has executed an operation with the id ${request.wallet_operation_id} before. This channel does not show that operation yet, so its calls are not known. ${again}`;
  return new CrecError("OPERATION_EXECUTED_NOT_FOUND", message, { cause, retryable });
}
