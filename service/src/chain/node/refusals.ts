// Classifies errors of calls to a node. Nodes and providers have no common codes, so their messages decide.
import { HttpRequestError, ResponseBodyTooLargeError, RpcRequestError, TimeoutError } from "viem";
import { messageOf } from "../../errors.ts";

/** Messages of a rate limit. Nothing was done. */
const TOO_OFTEN =
  /too many requests?|\brate\b|per second|\/ ?s(ec(ond)?)?\b|\brps\b|\bcups\b|compute units|capacity|throughput|request count|quota|credits|slow down|try again (in|later)/i;
/** Messages of a size limit. */
const TOO_MUCH =
  /\brange\b|too (many|much|large|big|wide|long)|more than|exceed|limit|\bmax(imum)?\b|(response|result|payload|body) size|timed? ?out|too long|\bresults\b/i;
/** Size words in a message with rate words: the request has to be smaller, not later. */
const SIZE_FIRST = /\b(block )?range\b|reduce|too (large|big|wide)|took too long/i;
/** Messages about a missing block that also mention ranges. */
const NO_SUCH_BLOCK = /invalid block range|beyond|not found|unknown block/i;

const HTTP_TOO_OFTEN = 429;
const HTTP_TOO_LARGE = 413;
/** JSON-RPC code of a call that reverted. */
const REVERTED = 3;

/** The node has refused everything for some time because of its rate limit. */
export class NodeBusy extends Error {
  override readonly name = "NodeBusy";
}

/** Whether the node answered with a refusal, so that a retry changes nothing. */
export function isRefusal(error: unknown): boolean {
  return causes(error).some((cause) => cause instanceof RpcRequestError);
}

/** Whether the node did not answer, or not in time. */
export function isUnreachable(error: unknown): boolean {
  return causes(error).some(
    (cause) =>
      cause instanceof HttpRequestError || cause instanceof TimeoutError || cause instanceof NodeBusy,
  );
}

/** Whether the node refused because of its rate limit, so that the call has to be retried later. */
export function isTooOften(error: unknown): boolean {
  if (httpStatus(error) === HTTP_TOO_OFTEN) return true;
  const isAnswered = isRefusal(error) || httpStatus(error) !== undefined;
  const says = messageOf(error);
  return isAnswered && !isRevert(error) && TOO_OFTEN.test(says) && !SIZE_FIRST.test(says);
}

/** Whether a call reverted: then the message is from a contract. */
export function isRevert(error: unknown): boolean {
  return causes(error).some((cause) => {
    const { code, data } = cause as { code?: unknown; data?: unknown };
    return code === REVERTED || typeof data === "string" || /\brevert/i.test(cause.message);
  });
}

/** Whether the answer or the request is too large. */
export function isTooMuch(error: unknown): boolean {
  if (isTooOften(error)) return false;
  return (
    isTooLarge(error) ||
    httpStatus(error) === HTTP_TOO_LARGE ||
    (isRefusal(error) && TOO_MUCH.test(messageOf(error)) && !NO_SUCH_BLOCK.test(messageOf(error)))
  );
}

/** Whether the answer is larger than the maximum here. */
export function isTooLarge(error: unknown): boolean {
  return causes(error).some((cause) => cause instanceof ResponseBodyTooLargeError);
}

/** The HTTP status of an answer that is not JSON-RPC. */
export function httpStatus(error: unknown): number | undefined {
  return causes(error).find((cause) => cause instanceof HttpRequestError)?.status;
}

/** The error and what it was caused by, outermost first. */
export function causes(error: unknown): Error[] {
  const found: Error[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) found.push(cause);
  return found;
}
