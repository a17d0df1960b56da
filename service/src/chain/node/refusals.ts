// Classifies errors of calls to a node. Nodes and providers have no common codes, so their messages decide.
import { HttpRequestError, ResponseBodyTooLargeError, RpcRequestError, TimeoutError } from "viem";
import type { Hex } from "../../../../src/protocol/index.ts";
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

/**
 * `failed`: the contract's code ended in a failure, which is a result of the call. `no block`: the block is missing or was
 * replaced. `no state`: the node does not have the state of the block: not yet where the block is new, and not any more
 * where it is old. `other`: the node does not answer this call now, such as for its rate limit.
 */
export type CallRefusal = "failed" | "no block" | "no state" | "other";

type Messages = { failed: RegExp; noBlock: RegExp; noState?: RegExp };

/** How a go-ethereum says it, and the nodes that follow it. */
const GETH_FAILED =
  /^(?:invalid opcode: |out of gas$|stack underflow \(|stack limit reached |invalid jump destination$|gas uint64 overflow$|write protection$|return data out of bounds$|max call depth exceeded$|contract creation code storage out of gas$|max code size exceeded|max initcode size exceeded|contract address collision$|invalid code: must not begin with 0xef$|nonce uint64 overflow$|insufficient balance for transfer$|execution aborted \(timeout)/i;

/** The messages of each node. A message counts whichever node sends it: a proxy or a provider may be in between. */
const CALL_MESSAGES: Readonly<Record<string, Messages>> = {
  // `FatalExternalError` is a failure of what anvil forks from.
  anvil: {
    failed: /^EVM error (?!FatalExternalError)[A-Z]\w+/,
    noBlock: /^BlockOutOfRangeError|^Block not found/i,
  },
  geth: {
    failed: GETH_FAILED,
    noBlock: /header not found|header for hash not found|unknown block|hash is not currently canonical/i,
    noState: /missing trie node|\bstate\b.{0,90}\b(?:is not available|unavailable)/i,
  },
  Hardhat: {
    failed:
      /^(?:Error: )?(?:VM Exception while processing transaction: |Transaction ran out of gas|Transaction reverted)/i,
    noBlock: /^Received invalid block (?:tag|number|hash)/i,
  },
  Ganache: {
    failed:
      /^VM Exception while processing transaction: (?:invalid opcode|out of gas|stack (?:under|over)flow|invalid JUMP)/i,
    noBlock: /^header not found/i,
  },
  // Also what OpenEthereum said: "VM execution error." with the reason in `data`.
  Nethermind: {
    failed:
      /^(?:VM execution error|BadInstruction|StackOverflow|StackUnderflow|OutOfGas|GasUInt64Overflow|InvalidJumpDestination|AccessViolation|AddressOutOfRange|StaticCallViolation|PrecompileFailure|TransactionCollision|NotEnoughBalance|InvalidCode)\b/,
    noBlock:
      /\bblock\b.{0,90}\b(?:not found|could not be found)|^(?:could not|cannot) find (?:block|header)/i,
    noState: /^no state available/i,
  },
  Erigon: {
    failed: GETH_FAILED,
    noBlock: /^block (?:\w+ )?not found|header not found/i,
    noState: /\bpruned\b|due to pruning/i,
  },
  Reth: {
    failed: /^(?:EVM error: [A-Z]\w+|out of gas: |out of memory: memory limit exceeded)/,
    noBlock: /^(?:block|header) not found/i,
    noState: /^no state found for|\bis pruned\b/i,
  },
};

/** A node that names the level does not have it at all, and no reorganization is the reason. */
const NO_LEVEL = /\b(?:safe|finalized)\b/i;

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
function causes(error: unknown): Error[] {
  const found: Error[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) found.push(cause);
  return found;
}

/** Why a node refused a call that did not revert. */
export function callRefusalOf(error: unknown): CallRefusal {
  if (!isRefusal(error)) return "other";
  const says = messageOf(error);
  const all = Object.values(CALL_MESSAGES);
  if (all.some(({ failed }) => failed.test(says))) return "failed";
  if (all.some(({ noState }) => noState?.test(says))) return "no state";
  return all.some(({ noBlock }) => noBlock.test(says)) && !NO_LEVEL.test(says) ? "no block" : "other";
}

/** Whether the node does not have the block of a request, or not its state. What a contract reverts with says nothing. */
export function isMissingState(error: unknown): boolean {
  if (error instanceof NoNewestBlock) return true;
  const refusal = callRefusalOf(error);
  return (refusal === "no block" || refusal === "no state") && failureOf(error) === undefined;
}

/** Whether the node refused for another reason than a block or a state that it does not have. */
export function isOtherRefusal(error: unknown): boolean {
  return isRefusal(error) && !isMissingState(error);
}

/**
 * Whether the node refused a transaction permanently. A wrong nonce, a low price or a block that was replaced is not
 * permanent: signed again, it may be accepted.
 */
export function isRefusalForGood(error: unknown): boolean {
  const mayPass = /nonce|underpriced|limit exceeded|too many requests/i;
  return isOtherRefusal(error) && !mayPass.test(messageOf(error));
}

/**
 * What a call ended with where the contract reverted or its code failed; undefined for other errors. `reverted` is
 * undefined where the node gave no data.
 */
export function failureOf(error: unknown): { reverted: Hex | undefined; message: string } | undefined {
  for (const cause of causes(error)) {
    const { data, code } = cause as { data?: unknown; code?: unknown };
    const text = typeof data === "object" && data !== null && "data" in data ? data.data : data;
    // Nethermind and OpenEthereum write "Reverted 0x…".
    const hex = typeof text === "string" ? /^(?:Reverted )?(0x[0-9a-f]*)$/i.exec(text)?.[1] : undefined;
    const isRevert = hex !== undefined || code === REVERTED || /execution reverted/i.test(cause.message);
    if (isRevert) return { reverted: hex as Hex | undefined, message: messageOf(cause) };
  }
  return callRefusalOf(error) === "failed" ? { reverted: undefined, message: messageOf(error) } : undefined;
}

/** The node has refused everything for some time because of its rate limit. */
export class NodeBusy extends Error {
  override readonly name = "NodeBusy";
}

/** The node has no newest block: it replaces its blocks just now. */
export class NoNewestBlock extends Error {
  override readonly name = "NoNewestBlock";
  constructor() {
    super("The node has no newest block.");
  }
}
