import { reading } from "../options/index.ts";
import { CONFIDENCES, type Confidence, type EventEnvelope } from "../protocol/index.ts";
import { type Fields, objectOrEmpty, wholeDigits } from "./fields.ts";
import { readSignedEvent, signedChain } from "./signed-event.ts";

/** What the oracles signed about an event, and what a program may have expectations about. What is not signed is missing. */
export type SignedFacts = {
  /** The contract that emitted the event. Only contract events have one. */
  contract?: string;
  /** The network. Missing where the signed text names neither its selector nor the id of a well-known chain. */
  chainSelector?: string;
  /** The name of the contract event, such as `Transfer`. */
  name?: string;
  /** Its signature, such as `Transfer(address,address,uint256)`. */
  signature?: string;
  /** How final the block was: of an operation by its status, of a query by the block that was requested. */
  confidence?: Confidence;
  /** When it happened: the block's time of a contract event, else the time of signing. Unix seconds. */
  time?: number;
};

/** How final an operation with this status is. */
const CONFIDENCE_OF_STATUS: ReadonlyMap<unknown, Confidence> = new Map([
  ["confirmed_latest", "latest"],
  ["confirmed_safe", "safe"],
  ["confirmed", "finalized"],
]);

/**
 * Reads what is signed in an event, and nothing else. It does not verify: do that first. For an event that carries no
 * signed text the result is empty.
 * @example
 * const { contract, name, confidence } = signedFacts(event);
 * name; // → "Incremented"
 * contract?.toLowerCase() === counter.toLowerCase(); // → true
 * confidence === "latest" || confidence === "finalized"; // → true
 */
export function signedFacts(event: EventEnvelope): SignedFacts {
  return reading("event", () => factsOf(event));
}

function factsOf(event: EventEnvelope): SignedFacts {
  const { type, content } = readSignedEvent(event);
  if (content === undefined) return {};
  const log = objectOrEmpty(content.chain_event);
  const data = objectOrEmpty(content.data);
  return defined({
    contract: asText(log.address),
    chainSelector: signedChain(content).selector,
    // The meaning of the name in an operation's or a query's signed text is not documented.
    name: type === "watcher.event" ? asText(content.name) : undefined,
    signature: asText(log.event_signature),
    confidence: confidenceOf(type, log, data),
    time: seconds(log.block_timestamp) ?? secondsOfDate(content.timestamp),
  });
}

function confidenceOf(type: string | undefined, log: Fields, data: Fields): Confidence | undefined {
  if (type === "operation.status") return CONFIDENCE_OF_STATUS.get(data.status);
  const requested = objectOrEmpty(objectOrEmpty(data.block_selection).requested).type;
  const stated = String(type === "query.status" ? requested : log.confidence).toLowerCase();
  return CONFIDENCES.find((level) => level === stated);
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function seconds(value: unknown): number | undefined {
  const digits = wholeDigits(value);
  return digits === undefined ? undefined : Number(digits);
}

function secondsOfDate(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
