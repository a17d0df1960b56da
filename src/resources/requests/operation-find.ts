import { CrecError } from "../../errors.ts";
import {
  type ChannelEvent,
  canonicalId,
  isEvent,
  isSameId,
  type Operation,
  type WireTransaction,
} from "../../protocol/index.ts";
import { operationDigest } from "../../signing/index.ts";
import { operationInput, type Prepared } from "./operation-request.ts";
import type { SearchEvents } from "./search-filter.ts";

/** An operation that the service has taken. */
export type Submitted = {
  /** The operation as the service shows it. */
  operation: Operation;
  /** What was signed, as hex; for a draft, what will be signed. */
  digest: string;
  /** Whether it existed already: from an earlier attempt, or from a call with the same key. */
  found: boolean;
};

/** The calls that finding an operation needs. */
export type FindCalls = {
  get: (operationId: string) => Promise<Operation>;
  search: (filter: SearchEvents) => AsyncIterable<ChannelEvent>;
};

/** Statuses after which the service accepts the id again. */
const RELEASES_ID = ["cancelled", "expired", "failed"];

/**
 * The operation with the same calls and wallet operation id. One that ended without being executed counts only when an
 * attempt of this call may have created it (`tried`): else it is an older one, which released the id. `except` is the id
 * of an operation that does not count.
 * @throws {CrecError} `OPERATION_ID_TAKEN`, or `OPERATION_KEY_REUSED`, when an operation with other calls has the id.
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
    // A key identifies the calls: a later call with the same key has another deadline.
    const expected = key === undefined ? prepared.digest : digestWithin(prepared, operation.deadline);
    const isActive = !RELEASES_ID.includes(operation.status);
    if (isActive && digest === expected) return { operation, digest, found: true };
    if (isActive) taken = operation;
    else if (tried && digest === prepared.digest) ended = { operation, digest, found: true };
  }
  if (taken) {
    if (key === undefined) throw idTaken(request, taken);
    throw new OperationKeyReusedError({ key, first: taken, asked: request.transactions });
  }
  return ended;
}

/** The digest of an operation: from its calls, or from the service where it leaves them out. */
function digestShown(operation: Operation, chainId: string): string {
  const { transactions, digest } = operation;
  if (transactions.length === 0 && digest !== undefined) return digest.toLowerCase();
  return operationDigest(operationInput(operation), chainId);
}

/** The digest with another deadline. */
function digestWithin({ request, chainId }: Prepared, deadline: number): string {
  return operationDigest(operationInput({ ...request, deadline }), chainId);
}

function idTaken(request: Prepared["request"], { operation_id, status }: Operation): CrecError {
  const message = `The wallet already has another operation with this id, which is ${status}. Use a new id. Wallet operation id ${request.wallet_operation_id}, operation ${operation_id}.`;
  return new CrecError("OPERATION_ID_TAKEN", message);
}

/** Found by their events, since the list of operations cannot be filtered by wallet operation id. */
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

/** One thing in which the calls of two operations differ. */
export type CallDifference = {
  /** Counted from 1. */
  call: number;
  /** `call`: only one of the two operations has it. */
  what: "to" | "value" | "data" | "call";
  /** Both values, as words of a sentence. */
  text: string;
};

/** What was asked for, and what was sent under the key before. */
export type ReusedKey = { key: string; first: Operation; asked: readonly WireTransaction[] };

const MOST_DIFFERENCES = 2;
const LONGEST_KEY = 80;
const LONG_HEX = /0x[0-9a-f]{40,}/gi;

/** `OPERATION_KEY_REUSED`: an operation with other calls was sent under the key before. What was asked for is not executed. */
export class OperationKeyReusedError extends CrecError {
  override readonly name = "OperationKeyReusedError";
  readonly key: string;
  /** The operation that was sent under the key before. */
  readonly first: Operation;
  /** The calls that were asked for now. */
  readonly asked: readonly WireTransaction[];
  /** Empty where the service shows the first operation without its calls. */
  readonly differences: readonly CallDifference[];

  /**
   * `words` are the differences, where the caller can name the values better, as by the ABI of the contract, and what a
   * person reads for the status of the first operation.
   */
  constructor(reused: ReusedKey, words?: { differences: readonly string[]; status: string }) {
    const { key, first, asked } = reused;
    const differences = callDifferences(asked, first.transactions);
    super(
      "OPERATION_KEY_REUSED",
      sentence(reused, words?.differences ?? differences.map(({ text }) => text), words?.status),
    );
    this.key = key;
    this.first = first;
    this.asked = asked;
    this.differences = differences;
  }
}

function callDifferences(
  asked: readonly WireTransaction[],
  first: readonly WireTransaction[],
): CallDifference[] {
  if (first.length === 0) return [];
  const longer = asked.length > first.length ? asked : first;
  return longer.flatMap((_, index) => {
    const [one, other] = [asked[index], first[index]];
    const call = index + 1;
    if (!one) return { call, what: "call" as const, text: `call ${call} is only in the first operation` };
    if (!other) return { call, what: "call" as const, text: `call ${call} is not in the first operation` };
    return differencesIn(call, one, other);
  });
}

function differencesIn(call: number, asked: WireTransaction, first: WireTransaction): CallDifference[] {
  const differences: CallDifference[] = [];
  const say = (what: CallDifference["what"], text: string) =>
    differences.push({ call, what, text: `call ${call}: ${text}` });
  const differ = (one: string, other: string) => one.toLowerCase() !== other.toLowerCase();
  if (differ(asked.to, first.to)) say("to", `it calls ${asked.to}, was ${first.to}`);
  if (BigInt(asked.value) !== BigInt(first.value)) {
    say("value", `it sends ${asked.value} wei, was ${first.value} wei`);
  }
  // Bytes are too long for a sentence, and say nothing without an ABI.
  if (differ(asked.data, first.data)) say("data", "the call data differs");
  return differences;
}

/** What differs first, then what to do, and the ids last. */
function sentence(
  { key, first }: ReusedKey,
  words: readonly string[],
  status: string = first.status,
): string {
  const rest = words.length - MOST_DIFFERENCES;
  const named = [
    ...words.slice(0, MOST_DIFFERENCES).map(withShortHex),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ].join("; ");
  const what = named === "" ? "" : `: ${named}`;
  return `Key used for other calls${what}. They were not executed; the status of the first operation is: ${status}. Repeat it with the same calls, without values that change with time, or use a new key. Key "${shownKey(key)}", operation ${first.operation_id}.`;
}

function shownKey(key: string): string {
  const text = withShortHex(key);
  return text.length <= LONGEST_KEY ? text : `${text.slice(0, LONGEST_KEY - 1)}…`;
}

/** Of addresses and hashes their beginning and their end, unless two of them would look the same. */
function withShortHex(text: string): string {
  const hexes = [...new Set(text.match(LONG_HEX))];
  const isClear = new Set(hexes.map(shortHex)).size === hexes.length;
  return isClear ? text.replace(LONG_HEX, shortHex) : text;
}

function shortHex(hex: string): string {
  return `${hex.slice(0, 6)}…${hex.slice(-4)}`;
}
