import { CrecError } from "../../errors.ts";
import type { Operation, WireTransaction } from "../../protocol/index.ts";

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
