// What an error of a call to a node means. Nodes and providers have no common codes: their words decide.
import { HttpRequestError, ResponseBodyTooLargeError, RpcRequestError, TimeoutError } from "viem";
import type { Hex } from "../../../../src/protocol/index.ts";
import { messageOf } from "../../problem.ts";

/** The node says that it is asked too often. Nothing was done. */
const TOO_OFTEN =
  /too many requests?|\brate\b|per second|\/ ?s(ec(ond)?)?\b|\brps\b|\bcups\b|compute units|capacity|throughput|request count|quota|credits|slow down|try again (in|later)/i;
/** The node says that it is asked for too much at once. */
const TOO_MUCH =
  /\brange\b|too (many|much|large|big|wide|long)|more than|exceed|limit|\bmax(imum)?\b|(response|result|payload|body) size|timed? ?out|too long|\bresults\b/i;
/** Words of size beside those of time: less is to be asked for, and not later. */
const SIZE_FIRST = /\b(block )?range\b|reduce|too (large|big|wide)|took too long/i;
/** A block that the node does not have (yet), in words that speak of ranges too. */
const NO_SUCH_BLOCK = /invalid block range|beyond|not found|unknown block/i;

const HTTP_TOO_OFTEN = 429;
const HTTP_TOO_LARGE = 413;
/** JSON-RPC code of a call that reverted. */
const REVERTED = 3;

/** The node has refused everything for a while because it is asked too often. */
export class NodeBusy extends Error {
  override readonly name = "NodeBusy";
}

/** Whether the node answered and refused, so that asking again changes nothing. Otherwise it did not answer. */
export function isRefusal(error: unknown): boolean {
  return causes(error).some((cause) => cause instanceof RpcRequestError);
}

/**
 * Whether the node refused a transaction for what it is. Another nonce or a higher price is no such reason:
 * signed anew it may be taken.
 */
export function isRefusalForGood(error: unknown): boolean {
  return isRefusal(error) && !/nonce|underpriced|limit exceeded|too many requests/i.test(messageOf(error));
}

/** Whether the node did not answer at all, or not in time. */
export function isUnreachable(error: unknown): boolean {
  return causes(error).some(
    (cause) =>
      cause instanceof HttpRequestError || cause instanceof TimeoutError || cause instanceof NodeBusy,
  );
}

/** Whether the node refused because it is asked too often, so that the same is to be asked later. */
export function isTooOften(error: unknown): boolean {
  if (httpStatus(error) === HTTP_TOO_OFTEN) return true;
  const isAnswered = isRefusal(error) || httpStatus(error) !== undefined;
  const says = messageOf(error);
  return isAnswered && !isRevert(error) && TOO_OFTEN.test(says) && !SIZE_FIRST.test(says);
}

/** Whether a call reverted: its words are those of a contract. */
export function isRevert(error: unknown): boolean {
  return causes(error).some((cause) => {
    const { code, data } = cause as { code?: unknown; data?: unknown };
    return code === REVERTED || typeof data === "string" || /\brevert/i.test(cause.message);
  });
}

/** Whether an answer is too large for us, or the question too large for the node. */
export function isTooMuch(error: unknown): boolean {
  if (isTooOften(error)) return false;
  return (
    isTooLarge(error) ||
    httpStatus(error) === HTTP_TOO_LARGE ||
    (isRefusal(error) && TOO_MUCH.test(messageOf(error)) && !NO_SUCH_BLOCK.test(messageOf(error)))
  );
}

/** Whether the answer is larger than we take. */
export function isTooLarge(error: unknown): boolean {
  return causes(error).some((cause) => cause instanceof ResponseBodyTooLargeError);
}

/** The status of an answer that is no JSON-RPC answer. */
export function httpStatus(error: unknown): number | undefined {
  return causes(error).find((cause) => cause instanceof HttpRequestError)?.status;
}

function causes(error: unknown): Error[] {
  const found: Error[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) found.push(cause);
  return found;
}

/** An RPC error that means "the call reverted", with the data it reverted with. */
export function revertOf(error: unknown): { reverted: Hex; message: string } | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { data, code } = cause as { data?: unknown; code?: unknown };
    const hex = typeof data === "object" && data !== null && "data" in data ? data.data : data;
    if (typeof hex === "string" && hex.startsWith("0x"))
      return { reverted: hex as Hex, message: messageOf(cause) };
    if (code === REVERTED || /execution reverted/i.test(cause.message)) {
      return { reverted: "0x", message: messageOf(cause) };
    }
  }
  return undefined;
}
