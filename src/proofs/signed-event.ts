import { reading } from "../options/index.ts";
import {
  CONFIDENCES,
  type Confidence,
  type EventEnvelope,
  eventTypeOf,
  KNOWN_CHAINS,
} from "../protocol/index.ts";
import { type Fields, isObject, objectOrEmpty, wholeDigits } from "./fields.ts";
import { parseSignedText } from "./signed-text.ts";

/**
 * What an event says, and what the oracles signed of it. Read once, and then passed to all that look inside an event:
 * verification, decoding, signed facts, dedupe key and filters. It does not say that the proof holds.
 */
export type SignedEvent = {
  /** Undefined when the event has no type. */
  readonly type: string | undefined;
  /** Not checked yet: it may be anything. */
  readonly payload: unknown;
  /** The base64 text that the oracles signed. Undefined when the event carries none. */
  readonly text: string | undefined;
  /** The JSON in it. Shared between readers: never change it, nor pass it out of the library uncopied. */
  readonly content: Fields | undefined;
};

/** Reads an event of any origin. Throws only what its own getters throw. */
export function readSignedEvent(event: unknown): SignedEvent {
  return readSignedPayload(eventTypeOf(event), isObject(event) ? event.payload : undefined);
}

/** The same for a payload alone, such as a query, which is the payload of its `query.status` event. */
export function readSignedPayload(type: string | undefined, payload: unknown): SignedEvent {
  const field = signedFieldOf(type);
  const text = field !== undefined && isObject(payload) ? payload[field] : undefined;
  if (!isObject(payload) || typeof text !== "string") {
    return { type, payload, text: undefined, content: undefined };
  }
  return { type, payload, text, content: contentOf(payload, text) };
}

/**
 * The field of the payload that holds the signed text. It depends on the type alone: another field is not verified, so it
 * must not be read.
 */
export function signedFieldOf(type: string | undefined): string | undefined {
  switch (type) {
    case "watcher.event":
    case "operation.status":
      return "verifiable_event";
    case "query.status":
      return "verifiable_result";
    default:
      return undefined;
  }
}

/**
 * Parsed texts, by their payload: a program hands the bare event to `verify`, `decodeEvent` and `dedupeKey` in turn, so
 * there is nothing else to carry the result in.
 */
const parsed = new WeakMap<object, { text: string; content: Fields | undefined }>();

/** The text is compared each time, since an event may be changed after it was read. */
function contentOf(payload: object, text: string): Fields | undefined {
  const known = parsed.get(payload);
  if (known?.text === text) return known.content;
  const content = parseSignedText(text);
  parsed.set(payload, { text, content });
  return content;
}

/**
 * The chain that a signed text names: by selector, by chain id, or by both. For a well-known chain one follows from the
 * other. What is missing is not signed.
 */
type SignedChain = { selector?: string; id?: string };

export function signedChain(content: Fields): SignedChain {
  const log = objectOrEmpty(content.chain_event);
  const selector = wholeDigits(content.chain_selector);
  const id = wholeDigits(log.chain_id);
  const known = KNOWN_CHAINS.find((chain) =>
    selector === undefined ? chain.chainId === id : chain.chainSelector === selector,
  );
  return {
    ...optional("selector", selector ?? known?.chainSelector),
    ...optional("id", id ?? known?.chainId),
  };
}

function optional<Name extends string>(name: Name, value: string | undefined): { [K in Name]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { [K in Name]?: string });
}

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
