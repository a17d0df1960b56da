import { CONFIDENCES, type Confidence, type EventEnvelope } from "../protocol/index.ts";
import { wholeDigits } from "./integer.ts";
import { signedChain } from "./signed-chain.ts";
import { type Fields, isObject, parseSignedText, signedTextOf, typeOf } from "./signed-text.ts";

/** What the oracles signed about an event, as far as one may expect something of it. What was not signed is missing. */
export type SignedFacts = {
  /** The contract that emitted it; only a contract event has one. */
  contract?: string;
  chainSelector?: string;
  /** The contract event's name, and its signature such as `Transfer(address,address,uint256)`. */
  name?: string;
  signature?: string;
  /** How final its block was: for an operation from its status, for a query from the block it was asked at. */
  confidence?: Confidence;
  /** When it happened: of a contract event its block's time, else when it was signed. Unix seconds. */
  time?: number;
};

/** The rungs of an operation's confirmation, as confidences. */
const RUNGS: ReadonlyMap<unknown, Confidence> = new Map([
  ["confirmed_latest", "latest"],
  ["confirmed_safe", "safe"],
  ["confirmed", "finalized"],
]);

/**
 * Reads what is signed in an event, and nothing that stands beside it. It does not verify: do that first.
 * Of an event that carries nothing signed it knows nothing.
 * @example
 * const { contract, name, confidence } = signedFacts(event);
 * name; // → "Incremented"
 * contract?.toLowerCase() === counter.toLowerCase(); // → true
 * confidence === "latest" || confidence === "finalized"; // → true
 */
export function signedFacts(event: EventEnvelope): SignedFacts {
  const text = signedTextOf(event);
  const signed = text === undefined ? undefined : parseSignedText(text);
  if (signed === undefined) return {};
  const type = typeOf(event);
  const log = isObject(signed.chain_event) ? signed.chain_event : {};
  const data = isObject(signed.data) ? signed.data : {};
  return defined({
    contract: asText(log.address),
    chainSelector: signedChain(signed).selector,
    // What an operation's or a query's signed text is called is not documented.
    name: type === "watcher.event" ? asText(signed.name) : undefined,
    signature: asText(log.event_signature),
    confidence: confidenceOf(type, log, data),
    time: seconds(log.block_timestamp) ?? moment(signed.timestamp),
  });
}

function confidenceOf(type: unknown, log: Fields, data: Fields): Confidence | undefined {
  if (type === "operation.status") return RUNGS.get(data.status);
  const selection = isObject(data.block_selection) ? data.block_selection : {};
  const requested = isObject(selection.requested) ? selection.requested.type : undefined;
  const said = String(type === "query.status" ? requested : log.confidence).toLowerCase();
  return CONFIDENCES.find((level) => level === said);
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function seconds(value: unknown): number | undefined {
  const digits = wholeDigits(value);
  return digits === undefined ? undefined : Number(digits);
}

function moment(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
