import { rankOf } from "../../consumer/filter.ts";
import { like, reading } from "../../options/index.ts";
import { isObject, wholeDigits } from "../../proofs/fields.ts";
import { type DecodedWatcherEvent, decodeEvent, signedFacts } from "../../proofs/index.ts";
import { type ChannelEvent, CONFIDENCES, isEvent, unlisted } from "../../protocol/index.ts";
import { checksumOf } from "../../storage/checksum.ts";
import type { AlertEvidence, LogPlace } from "../types.ts";
import type { WatchState } from "./types.ts";

const TRANSACTION_HASH = /^0x[0-9a-f]{64}$/;

/**
 * Where the log of a verified contract event is. Undefined where its chain is not signed, or a part of the place is
 * missing: then nothing can be concluded from it. Decode all events of a rule with the same ABI, or all without one:
 * the content of a log is compared as it was decoded.
 * @example
 * const log = logPlaceOf(decodeEvent(event, abi));
 * log?.confidence; // → "latest"
 */
export function logPlaceOf(decoded: DecodedWatcherEvent): LogPlace | undefined {
  return reading("decoded", () => placeOf(anObject(decoded, "decoded")));
}

const anObject = like<DecodedWatcherEvent>({});

function placeOf(decoded: DecodedWatcherEvent): LogPlace | undefined {
  const { name, params, contract = "", chainSelector, transactionHash = "", watcherId } = decoded;
  // What was decoded elsewhere may hold anything.
  const isNamed = typeof contract === "string" && contract !== "";
  if (decoded.chainSelectorUnsigned || !isNamed) return undefined;
  return cleanPlace({
    chainSelector,
    transactionHash,
    blockNumber: String(decoded.blockNumber),
    logIndex: String(decoded.logIndex),
    confidence: decoded.confidence ?? "latest",
    contract,
    content: checksumOf(JSON.stringify([name, params], withSortedNames)),
    source: sourceOf([watcherId, chainSelector, contract.toLowerCase(), name]),
  });
}

/**
 * What a verified answer of a query shows: that the chain had reached the requested level up to the block that was
 * read. Undefined for other events, and where the answer names no block, no level or no signed chain.
 * @example
 * // A contract event is no answer of a query.
 * blockEvidenceOf(event); // → undefined
 */
export function blockEvidenceOf(event: ChannelEvent): (AlertEvidence & { kind: "block" }) | undefined {
  return reading("event", () => evidenceIn(event));
}

function evidenceIn(event: ChannelEvent): (AlertEvidence & { kind: "block" }) | undefined {
  if (!isEvent(event, "query.status")) return undefined;
  const { chainSelector, confidence } = signedFacts(event);
  const { block } = decodeEvent(event);
  if (chainSelector === undefined || confidence === undefined || block === undefined) return undefined;
  return { kind: "block", chainSelector, blockNumber: block.number, confidence };
}

/** A place in the form in which places are compared; undefined if a part of it is invalid. */
export function cleanPlace(log: LogPlace): LogPlace | undefined {
  const chainSelector = wholeDigits(log.chainSelector);
  const blockNumber = wholeDigits(log.blockNumber);
  const logIndex = wholeDigits(log.logIndex);
  const transactionHash = cleanHash(log.transactionHash);
  if (chainSelector === undefined || blockNumber === undefined || logIndex === undefined) return undefined;
  if (transactionHash === undefined) return undefined;
  const { content, source } = log;
  const contract = log.contract.toLowerCase();
  const confidence = cleanLevel(log.confidence);
  return {
    chainSelector,
    transactionHash,
    blockNumber,
    logIndex,
    confidence,
    contract,
    content: short(content),
    source: short(source),
  };
}

/** Undefined if it is not a transaction hash. */
export function cleanHash(hash: string): string | undefined {
  const lower = hash.toLowerCase();
  return TRANSACTION_HASH.test(lower) ? lower : undefined;
}

export function cleanLevel(level: string): LogPlace["confidence"] {
  return unlisted(level.slice(0, LONGEST).toLowerCase());
}

const LONGEST = 64;

/** Texts from a library user may be long, and are stored for each alert. */
function short(text: string): string {
  return text.length <= LONGEST ? text : checksumOf(text);
}

function sourceOf(parts: readonly string[]): string {
  return checksumOf(JSON.stringify(parts)).slice(0, 32);
}

/** The service may list the parameters of one log in another order. */
function withSortedNames(_name: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

type Sources = WatchState["sources"];

/** Remembered, with the levels at which they report; of more, the newest ones. */
const MOST_SOURCES = 100;
/** A source may state any level. */
const MOST_LEVELS = 4;

/** Remembers that this source reports at this level. The same list where that is known. */
export function noteSource(sources: Sources, { source, confidence }: LogPlace): Sources {
  if (!isAbove(confidence, "latest")) return sources;
  const levels = sources.find(([name]) => name === source)?.[1] ?? [];
  if (levels.includes(confidence) || levels.length >= MOST_LEVELS) return sources;
  const others = sources.filter(([name]) => name !== source).slice(1 - MOST_SOURCES);
  return [...others, [source, [...levels, confidence]]];
}

/** Whether a source is known to report at a level above `confidence`, up to `most`. */
export function reportsAbove(sources: Sources, { source, confidence }: LogPlace, most: string): boolean {
  const levels = sources.find(([name]) => name === source)?.[1] ?? [];
  return levels.some((level) => isAbove(level, confidence) && !isAbove(level, most));
}

/** Below 0 where the first one is lower. Both are decimal digits without leading zeros. */
export function compareBlocks(one: string, other: string): number {
  if (one.length !== other.length) return one.length - other.length;
  return one === other ? 0 : one < other ? -1 : 1;
}

export function isFinal(confidence: string): boolean {
  return rankOf(confidence) === CONFIDENCES.length - 1;
}

/** Whether one level is above the other. A level that this version does not know counts as the weakest. */
export function isAbove(confidence: string, other: string): boolean {
  return rankOf(confidence) > rankOf(other);
}

export function isTransaction(
  one: Pick<LogPlace, "chainSelector" | "transactionHash">,
  other: Pick<LogPlace, "chainSelector" | "transactionHash">,
): boolean {
  return one.transactionHash === other.transactionHash && one.chainSelector === other.chainSelector;
}

/** Whether both are at one index of one block, by a transaction. */
export function isSamePlace(one: LogPlace, other: LogPlace): boolean {
  return (
    isTransaction(one, other) && one.blockNumber === other.blockNumber && one.logIndex === other.logIndex
  );
}

/** Whether one transaction emitted the same in both places. */
export function isSameLog(one: LogPlace, other: LogPlace): boolean {
  return isTransaction(one, other) && one.contract === other.contract && one.content === other.content;
}
