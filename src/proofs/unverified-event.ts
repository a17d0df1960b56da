import { KNOWN_CHAINS } from "../protocol/index.ts";
import {
  type Fields,
  integer,
  isObject,
  object,
  objectOrEmpty,
  present,
  text,
  wholeDigits,
} from "./fields.ts";
import { isVerifiable, type ProofItem, readProofItems } from "./proof.ts";
import { Rejection } from "./reasons.ts";
import { readSignedEvent, type SignedEvent, signedFieldOf } from "./signed-event.ts";

/** The value of an unsigned field, and of the signed field it has to agree with. Compared without case. */
export type Comparison = { field: string; unsigned: string; signed: string };

/** What an event says before its proof is checked: copied once, so that the checks never read the event again. */
export type UnverifiedEvent = {
  type: string;
  status?: string;
  /** Of a contract event. It is not signed. */
  watcherId?: string;
  signed?: SignedText;
  /** The unsigned field with the hash of the text. */
  eventHash?: string;
  channelId?: string;
  signedChannelId?: string;
  comparisons: Comparison[];
  proofs: ProofItem[];
};

/** The base64 text whose bytes are signed, and the JSON in it. */
export type SignedText = { text: string; content: Fields };

/**
 * Reads an event of any origin.
 * @throws {Rejection} `malformed_event` when its payload does not fit its type.
 */
export function readUnverifiedEvent(event: unknown): UnverifiedEvent {
  const { headers, channel_id, type: besideHeaders, proofs } = object(event, "the event");
  const source = readSignedEvent(event);
  // Some versions of the service send the headers' fields at the top level of the event.
  const header = !present(headers) && present(besideHeaders) ? {} : object(headers, "headers");
  const read: UnverifiedEvent = {
    type: text(source.type, "type"),
    comparisons: [],
    proofs: readProofItems(header.proofs ?? proofs),
  };
  if (typeof channel_id === "string") read.channelId = channel_id;
  const fields = object(source.payload, "payload");
  switch (read.type) {
    case "watcher.event":
      readWatcherEvent(read, fields, source);
      break;
    case "operation.status":
      readOperationStatus(read, fields, source);
      break;
    case "query.status":
      readQueryStatus(read, fields, source);
      break;
    case "watcher.status":
      text(fields.watcher_id, "watcher_id");
      read.status = text(fields.status, "status");
      break;
    case "wallet.status":
      text(fields.wallet_id, "wallet_id");
      read.status = text(fields.status, "status");
      break;
  }
  return read;
}

function readWatcherEvent(read: UnverifiedEvent, fields: Fields, source: SignedEvent): void {
  read.watcherId = text(fields.watcher_id, "watcher_id");
  const selector = integer(fields.chain_selector, "chain_selector");
  const content = readSigned(read, fields, source);
  if (content === undefined) throw new Rejection("malformed_event", "verifiable_event is missing");
  text(content.name, "the signed name");
  if (present(content.chain_event)) object(content.chain_event, "the signed chain_event");
  requireIssuer("watcher", content);
  compareChain(read, selector, content);
}

/** The signed content of a status event of the platform; undefined where none is signed. */
function readPlatformStatus(
  read: UnverifiedEvent,
  fields: Fields,
  source: SignedEvent,
): { content: Fields; data: Fields } | undefined {
  if (!isVerifiable(read.type, read.status)) return undefined;
  const content = readSigned(read, fields, source);
  if (content === undefined) return undefined;
  const data = object(content.data, "the signed data");
  requireIssuer("platform", content);
  return { content, data };
}

function readOperationStatus(read: UnverifiedEvent, fields: Fields, source: SignedEvent): void {
  read.status = text(fields.status, "status");
  text(fields.operation_id, "operation_id");
  const id = integer(fields.wallet_operation_id, "wallet_operation_id");
  const address = text(fields.address, "address");
  const selector = integer(fields.chain_selector, "chain_selector");
  const signed = readPlatformStatus(read, fields, source);
  if (signed === undefined) return;
  const { content, data } = signed;
  compareChain(read, selector, content);
  read.comparisons.push(
    { field: "status", unsigned: read.status, signed: text(data.status, "the signed status") },
    {
      field: "wallet_operation_id",
      unsigned: id,
      signed: integer(data.wallet_operation_id, "the signed wallet_operation_id"),
    },
    {
      field: "address",
      unsigned: address,
      signed: text(data.wallet_address, "the signed wallet_address"),
    },
  );
}

function readQueryStatus(read: UnverifiedEvent, fields: Fields, source: SignedEvent): void {
  read.status = text(fields.status, "status");
  const id = text(fields.query_id, "query_id");
  const target = text(fields.target, "target");
  const selector = integer(fields.chain_selector, "chain_selector");
  const signed = readPlatformStatus(read, fields, source);
  if (signed === undefined) return;
  const { content, data } = signed;
  const contract = object(data.target, "the signed target").contract_address;
  read.signedChannelId = text(data.channel_id, "the signed channel_id");
  compareChain(read, selector, content);
  read.comparisons.push(
    { field: "query_id", unsigned: id, signed: text(data.query_id, "the signed query_id") },
    { field: "status", unsigned: read.status, signed: signedQueryStatus(data) },
    { field: "target", unsigned: target, signed: text(contract, "the signed contract_address") },
  );
}

/** A result means completed, an error failed. There must be exactly one of them. */
function signedQueryStatus(data: Fields): string {
  const completed = isObject(data.result);
  const failed = isObject(data.error);
  if (completed === failed) {
    throw new Rejection("malformed_event", "the signed data needs either a result or an error");
  }
  return completed ? "completed" : "failed";
}

/** Where no selector is signed, the signed chain id is compared, if one of the two is well known. */
function compareChain(read: UnverifiedEvent, selector: string, content: Fields): void {
  const log = objectOrEmpty(content.chain_event);
  if (present(content.chain_selector)) {
    const signed = integer(content.chain_selector, "the signed chain_selector");
    read.comparisons.push({ field: "chain_selector", unsigned: selector, signed });
    return;
  }
  if (!present(log.chain_id)) return;
  const chainId = wholeDigits(log.chain_id);
  if (chainId === undefined) throw new Rejection("malformed_event", "the signed chain_id is not an integer");
  const known = KNOWN_CHAINS.find((chain) => chain.chainSelector === selector || chain.chainId === chainId);
  if (known === undefined) return;
  read.comparisons.push(
    { field: "chain_selector", unsigned: selector, signed: known.chainSelector },
    { field: "chain_selector", unsigned: known.chainId, signed: chainId },
  );
}

/** Copies the signed text and the hash beside it. Undefined when there is no signed text. */
function readSigned(read: UnverifiedEvent, fields: Fields, source: SignedEvent): Fields | undefined {
  const eventHash = fields.event_hash ?? undefined;
  if (eventHash !== undefined) read.eventHash = text(eventHash, "event_hash");
  const name = signedFieldOf(source.type) ?? "";
  if (source.text === undefined) {
    if (present(fields[name])) throw new Rejection("malformed_event", `${name} is not text`);
    return undefined;
  }
  if (source.content === undefined) throw new Rejection("malformed_event", `${name} does not parse`);
  read.signed = { text: source.text, content: source.content };
  return source.content;
}

/** The service that the platform signs operations and queries as. No watcher belongs to it. */
const PLATFORM_SERVICE = "_crec";

type Issuer = "platform" | "watcher";

/**
 * The same oracles sign what the platform states about operations and queries, and what the watcher of a service
 * reports: data of any shape. The signed service tells the two apart. Which name the platform signs in an operation's
 * status is not documented: any other name than `_crec` is refused, since nothing else that is signed tells such a
 * status from a watcher's report.
 * @throws {Rejection} `malformed_event` when the signed text was issued by the other one.
 */
function requireIssuer(issuer: Issuer, content: Fields): void {
  if (issuer === issuerOf(content)) return;
  const { service } = content;
  const isNamed = typeof service === "string" && service !== "";
  const named = isNamed ? `the service ${JSON.stringify(service.slice(0, 40))}` : "no service";
  const whom = issuer === "platform" ? "the platform" : "a watcher";
  throw new Rejection("malformed_event", `the signed text was not issued by ${whom}: it names ${named}`);
}

function issuerOf({ service, chain_event, data }: Fields): Issuer {
  if (service !== undefined && service !== null && service !== "") {
    return service === PLATFORM_SERVICE ? "platform" : "watcher";
  }
  // A watcher that names no service reports a log, and only a log.
  return !isObject(chain_event) && isPlatformData(objectOrEmpty(data)) ? "platform" : "watcher";
}

function isPlatformData(data: Fields): boolean {
  const ofOperation = has(data, "wallet_operation_id") && has(data, "wallet_address") && has(data, "status");
  return ofOperation || (has(data, "query_id") && (has(data, "target") || has(data, "block_selection")));
}

function has(fields: Fields, name: string): boolean {
  return Object.hasOwn(fields, name);
}
