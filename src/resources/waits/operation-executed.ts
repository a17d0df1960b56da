import { CrecError } from "../../errors.ts";
import { HttpError, NotFoundError } from "../../http/index.ts";
import { type FindCalls, findSubmitted, type Submitted } from "../requests/operation-find.ts";
import type { Prepared } from "../requests/operation-request.ts";
import { isStray } from "../requests/resource-transport.ts";
import { DEFAULT_POLL_MS, pollWithin } from "./polling.ts";

/** How to look for an operation repeatedly, and for how long. */
export type RepeatedFind = {
  calls: (signal: AbortSignal) => FindCalls;
  timeoutMs: number;
  signals: ReadonlyArray<AbortSignal | undefined>;
};

type Which = { tried?: boolean | undefined; except?: string | undefined };

/** The search may show an operation late: by seconds, seldom by more. */
const MAX_FIND_MS = 60_000;

/** The wallet's error for a used id: by its name with or without the id, or as revert data. */
const REFUSED =
  /\bOperationAlreadyExecuted\b(?:\((?:\w{1,40}:\s{0,4})?(\d{1,78})\))?|0x97503b48([0-9a-f]{64})?/i;

/** Whether the wallet says that it has executed this id before. Another id belongs to another wallet. */
export function saysExecuted(reason: string, walletOperationId: string): boolean {
  const match = REFUSED.exec(reason);
  if (!match) return false;
  const [, decimal, hex] = match;
  const id = decimal ?? (hex === undefined ? undefined : `0x${hex}`);
  return id === undefined || BigInt(id) === BigInt(walletOperationId);
}

/**
 * Looks for an operation that certainly exists, until the search shows it.
 * @throws {CrecError} what `notFound` makes, when the time is up or the service refuses the search.
 */
export async function findEventually(
  { calls, timeoutMs, signals }: RepeatedFind,
  prepared: Prepared,
  { notFound, ...which }: Which & { notFound: (cause: unknown) => CrecError },
): Promise<Submitted> {
  let cause: unknown;
  const look = async (signal: AbortSignal) => {
    const found = await findSubmitted(calls(signal), prepared, which);
    cause = undefined;
    return found ? [found] : [];
  };
  const isPassing = (error: unknown) => {
    if (!(error instanceof HttpError)) return false;
    cause = error;
    // Its event is there, and the operation itself follows.
    if (error.retryable || error instanceof NotFoundError || isStray(error)) return true;
    throw notFound(error);
  };
  const bounds = { timeoutMs: Math.min(timeoutMs, MAX_FIND_MS), pollMs: DEFAULT_POLL_MS };
  const results = pollWithin({ look, isPassing, onTimeout: () => notFound(cause), ...bounds, signals });
  for (;;) {
    const [submitted] = (await results.next()).value;
    if (submitted) return submitted;
  }
}

/**
 * Looks for the operation that was executed under an id, other than the refused one.
 * @throws {CrecError} `OPERATION_EXECUTED_NOT_FOUND`.
 */
export function findExecuted(how: RepeatedFind, prepared: Prepared, except?: string): Promise<Submitted> {
  return findEventually(how, prepared, { except, notFound: (cause) => executedNotFound(prepared, cause) });
}

function executedNotFound({ request, key, isRepeatable: retryable }: Prepared, cause: unknown): CrecError {
  const again =
    key === undefined
      ? "Look for its wallet operation id later. Do not send the calls with a new id: they would be executed again."
      : "Send the same operation later, under the same key. Do not use a new key: the calls would be executed again.";
  const message = `Already executed, not found yet. The wallet has executed an operation with this id before, but this channel does not show it yet, so its calls are not known. ${again} Wallet operation id ${request.wallet_operation_id}.`;
  return new CrecError("OPERATION_EXECUTED_NOT_FOUND", message, { cause, retryable });
}
