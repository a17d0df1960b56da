import * as Address from "ox/Address";
import { CrecError } from "../errors.ts";
import { aList, reading } from "../options/index.ts";
import { type EventEnvelope, type Query, unlisted } from "../protocol/index.ts";
import type {
  ChainInteger,
  DecodedEvent,
  DecodedOperationStatus,
  DecodedQueryStatus,
  DecodedWalletStatus,
  DecodedWatcherEvent,
  DecodedWatcherStatus,
} from "./decoded-event.ts";
import { namedParams, type ReferenceData, referenceData, wordsOf } from "./extension-event.ts";
import { copyOf, type Fields, isObject, objectOrEmpty, present, wholeDigits } from "./fields.ts";
import { isVerifiable } from "./proof.ts";
import {
  readSignedEvent,
  readSignedPayload,
  type SignedEvent,
  signedChain,
  signedFieldOf,
} from "./signed-event.ts";

/**
 * An event as plain JSON with short names. It does not verify: do that first.
 * With an ABI that has the event, its parameters get the ABI's names and types; so do those of an extension, `dta.v2` or
 * `dvp`, without one.
 * An event of a type that this version does not know is decoded to its unchanged payload.
 * @throws {CrecError} `MALFORMED_EVENT` when the payload does not fit the event's type, or a parameter does not fit
 * the ABI's type; `ABI_AMBIGUOUS` when the ABI has the event several times, and its parameters can be read in different
 * ways; {ArgumentError} `ABI_INVALID`.
 * @example
 * if (isEvent(event, "watcher.event")) {
 *   const { name, params } = decodeEvent(event, abi);
 *   name; // → "Incremented"
 *   params.by === wallet.address; // → true
 * }
 */
export function decodeEvent<Event extends EventEnvelope>(
  event: Event,
  abi?: readonly unknown[],
): DecodedEvent<Event["headers"]["type"]>;
export function decodeEvent(event: EventEnvelope, abi?: readonly unknown[]): DecodedEvent {
  if (abi !== undefined) abiKind(abi, "abi");
  return reading("event", () => decoded(event, abi));
}

const abiKind = aList<readonly unknown[]>();

function decoded(event: EventEnvelope, abi: readonly unknown[] | undefined): DecodedEvent {
  fields(event, "the event");
  const source = readSignedEvent(event);
  const payload = fields(source.payload, "payload");
  switch (source.type) {
    case "watcher.event":
      return watcherEvent(payload, source, abi);
    case "operation.status":
      return operationStatus(payload, source);
    case "query.status":
      return queryStatus(payload, source);
    case "watcher.status":
      return watcherStatus(payload);
    case "wallet.status":
      return walletStatus(payload);
    default:
      return payload;
  }
}

function watcherEvent(
  payload: Fields,
  source: SignedEvent,
  abi: readonly unknown[] | undefined,
): DecodedWatcherEvent {
  const signed = signedContent(source);
  const log = present(signed.chain_event) ? fields(signed.chain_event, "chain_event") : {};
  const given = copyOf(present(log.params) ? fields(log.params, "params") : {});
  const { params, lost } = namedParams({ abi, service: signed.service, log }, given);
  return {
    name: text(signed.name, "name"),
    params,
    ...(lost.length > 0 ? { lost } : {}),
    ...optional("words", wordsOf(signed.service, params), (words) => words as Record<string, string>),
    ...optional("contract", log.address, address),
    ...chainOf(signed, payload),
    ...optional("transactionHash", log.tx_hash, text),
    ...optional("blockNumber", log.block_number, chainInteger),
    ...optional("blockTime", log.block_timestamp, chainInteger),
    ...optional("logIndex", log.log_index, chainInteger),
    ...optional("confidence", log.confidence, (value, name) => unlisted(text(value, name))),
    watcherId: text(payload.watcher_id, "watcher_id"),
    ...optional("service", signed.service, text),
    ...optional("data", signed.data, copyOf),
    ...optional(
      "reference",
      referenceData(signed.service, copyOf(signed.data)),
      (found) => found as ReferenceData,
    ),
  };
}

function chainOf(
  signed: Fields,
  payload: Fields,
): Pick<DecodedWatcherEvent, "chainSelector" | "chainSelectorUnsigned"> {
  const stated = digits(signed.chain_selector ?? payload.chain_selector, "chain_selector");
  const { selector } = signedChain(signed);
  return selector === undefined
    ? { chainSelector: stated, chainSelectorUnsigned: true }
    : { chainSelector: selector };
}

function operationStatus(payload: Fields, source: SignedEvent): DecodedOperationStatus {
  const signed = signedData(payload, source);
  return {
    status: unlisted(text(signed?.status ?? payload.status, "status")),
    reason: text((signed ?? payload).status_reason ?? "", "status_reason"),
    operationId: text(payload.operation_id, "operation_id"),
    walletOperationId: digits(
      signed?.wallet_operation_id ?? payload.wallet_operation_id,
      "wallet_operation_id",
    ),
    wallet: address(signed?.wallet_address ?? payload.address, "address"),
    // Both names are documented.
    ...optional("transactionHash", signed?.transaction_hash ?? signed?.tx_hash, text),
  };
}

function queryStatus(payload: Fields, source: SignedEvent): DecodedQueryStatus {
  const decoded = {
    status: unlisted(text(payload.status, "status")),
    queryId: text(payload.query_id, "query_id"),
    target: address(payload.target, "target"),
  };
  const data = signedData(payload, source);
  return data === undefined ? decoded : { ...decoded, ...queryAnswer(data) };
}

/**
 * The answer in a query, decoded as `decodeEvent` decodes the query's event. Verify it first.
 * @throws {CrecError} `MALFORMED_EVENT` when the signed text does not parse.
 * @example
 * const [query] = (await client.queries.list(channelId, { status: ["completed"] })).data;
 * if (query) console.log(decodeQuery(query).status); // → "completed"
 */
export function decodeQuery(query: Query): DecodedQueryStatus {
  return reading("query", () =>
    queryStatus(fields(query, "the query"), readSignedPayload("query.status", query)),
  );
}

/** Block, result and error from the `data` of a query's signed text. */
function queryAnswer(data: Fields): Pick<DecodedQueryStatus, "block" | "result" | "error"> {
  const selection = objectOrEmpty(data.block_selection);
  const result = objectOrEmpty(data.result);
  return {
    ...optional("block", selection.resolved, (value) => {
      const block = fields(value, "the resolved block");
      return {
        number: digits(block.block_number, "block_number"),
        hash: text(block.block_hash, "block_hash"),
        time: chainInteger(block.block_timestamp, "block_timestamp"),
      };
    }),
    ...optional("result", result.raw_return_data, text),
    ...optional("error", data.error, (value) => {
      const error = fields(value, "error");
      return {
        code: unlisted(text(error.code, "code")),
        message: text(error.message ?? "", "message"),
        ...optional("data", error.raw_revert_data, text),
      };
    }),
  };
}

function watcherStatus(payload: Fields): DecodedWatcherStatus {
  return {
    status: unlisted(text(payload.status, "status")),
    reason: text(payload.status_reason ?? "", "status_reason"),
    watcherId: text(payload.watcher_id, "watcher_id"),
    chainSelector: digits(payload.chain_selector, "chain_selector"),
    ...optional("time", payload.timestamp, chainInteger),
    ...optional("service", payload.service, text),
    ...optional("workflowId", payload.workflow_id, text),
  };
}

function walletStatus(payload: Fields): DecodedWalletStatus {
  return {
    status: unlisted(text(payload.status, "status")),
    reason: text(payload.status_reason ?? "", "status_reason"),
    walletId: text(payload.wallet_id, "wallet_id"),
    // Empty until the wallet is deployed.
    wallet: payload.address ? address(payload.address, "address") : "",
    chainSelector: digits(payload.chain_selector, "chain_selector"),
    ...optional("time", payload.timestamp, chainInteger),
  };
}

/**
 * The signed `data`. Undefined where there is no signed text, and for a status that never has a proof: whatever text
 * such an event carries is never verified.
 */
function signedData(payload: Fields, source: SignedEvent): Fields | undefined {
  const { type = "" } = source;
  const canBeSigned = isVerifiable(type, text(payload.status, "status"));
  if (!canBeSigned || !present(payload[signedFieldOf(type) ?? ""])) return undefined;
  return fields(signedContent(source).data, "data");
}

function signedContent({ type, content }: SignedEvent): Fields {
  return content ?? malformed(`its ${signedFieldOf(type)} does not parse`);
}

/** No integer of a chain has more than 256 bits, and arithmetic on longer text takes long. */
const MOST_DIGITS = 100;

/** `{ [name]: read(value) }`, or an empty object where the value is missing. */
function optional<Name extends string, T>(
  name: Name,
  value: unknown,
  read: (value: unknown, name: string) => T,
): { [K in Name]?: T } {
  return present(value) ? ({ [name]: read(value, name) } as { [K in Name]?: T }) : {};
}

/** @throws {CrecError} `MALFORMED_EVENT` */
function fields(value: unknown, name: string): Fields {
  return isObject(value) ? value : malformed(`${name} is not an object`);
}

/** @throws {CrecError} `MALFORMED_EVENT` */
function text(value: unknown, name: string): string {
  return typeof value === "string" ? value : malformed(`${name} is not text`);
}

/**
 * Decimal digits without leading zeros.
 * @throws {CrecError} `MALFORMED_EVENT`
 */
function digits(value: unknown, name: string): string {
  const written = String(chainInteger(value, name));
  if (written.length > MOST_DIGITS) malformed(`${name} has more digits than it can have`);
  return written.replace(/^0+(?=\d)/, "");
}

/** @throws {CrecError} `MALFORMED_EVENT` */
function chainInteger(value: unknown, name: string): ChainInteger {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  if (typeof value === "string" && /^-?\d+$/.test(value)) return value;
  const written = wholeDigits(value);
  if (written !== undefined) return Number.isSafeInteger(Number(written)) ? Number(written) : written;
  return malformed(`${name} is not an integer`);
}

/**
 * Checksummed where it is an address, else as it is.
 * @throws {CrecError} `MALFORMED_EVENT` when it is not text.
 */
function address(value: unknown, name: string): string {
  const written = text(value, name);
  return Address.validate(written, { strict: false }) ? Address.checksum(written) : written;
}

function malformed(problem: string): never {
  throw new CrecError(
    "MALFORMED_EVENT",
    `The event cannot be read: ${problem}. Do not act on it, and request the event from the service again.`,
  );
}
