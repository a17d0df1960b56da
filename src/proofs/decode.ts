import * as Address from "ox/Address";
import { eventParams } from "../abi/event-params.ts";
import { CrecError } from "../errors.ts";
import {
  type Confidence,
  type EventEnvelope,
  type Open,
  type OperationStatus,
  type Query,
  type QueryErrorCode,
  type QueryStatus,
  unlisted,
  type WalletStatus,
  type WatcherStatus,
} from "../protocol/index.ts";
import { wholeDigits } from "./integer.ts";
import { signedChain } from "./signed-chain.ts";
import { type Fields, isObject, parseSignedText, present, typeOf } from "./signed-text.ts";
import { isVerifiable } from "./verifiable.ts";

/** A JSON number, or decimal text where it passes 2^53. */
export type ChainInteger = number | string;

/** A contract event; what was signed goes before what stands beside it. */
export type DecodedWatcherEvent = {
  name: string;
  /** With an ABI: its names, integers as decimal text. Without: as the service sent them, in snake_case. */
  params: Record<string, unknown>;
  contract?: string;
  chainSelector: string;
  /**
   * There, and true, where `chainSelector` is not signed: the signed text names no selector, and no chain id of a
   * well-known chain. Then anybody on the way may have changed it. Decide nothing by it.
   */
  chainSelectorUnsigned?: true;
  transactionHash?: string;
  blockNumber?: ChainInteger;
  /** Unix seconds. */
  blockTime?: ChainInteger;
  logIndex?: ChainInteger;
  confidence?: Open<Confidence>;
  watcherId: string;
  service?: string;
  /** What a service watcher made of the event. */
  data?: unknown;
};

export type DecodedOperationStatus = {
  status: Open<OperationStatus>;
  reason: string;
  operationId: string;
  walletOperationId: string;
  wallet: string;
  transactionHash?: string;
};

export type DecodedQueryStatus = {
  status: Open<QueryStatus>;
  queryId: string;
  target: string;
  /** The block it was read at; `time` in Unix seconds. */
  block?: { number: string; hash: string; time: ChainInteger };
  /** The bytes the contract returned, as hex. */
  result?: string;
  error?: { code: Open<QueryErrorCode>; message: string; data?: string };
};

export type DecodedWatcherStatus = {
  status: Open<WatcherStatus>;
  reason: string;
  watcherId: string;
  chainSelector: string;
  /** Unix seconds. */
  time?: ChainInteger;
  service?: string;
  workflowId?: string;
};

export type DecodedWalletStatus = {
  status: Open<WalletStatus>;
  reason: string;
  walletId: string;
  wallet: string;
  chainSelector: string;
  /** Unix seconds. */
  time?: ChainInteger;
};

/** What an event of each type is decoded to. */
export type DecodedByType = {
  "watcher.event": DecodedWatcherEvent;
  "operation.status": DecodedOperationStatus;
  "query.status": DecodedQueryStatus;
  "watcher.status": DecodedWatcherStatus;
  "wallet.status": DecodedWalletStatus;
};

/** What events of these types are decoded to: any of it where the type is not known. */
export type DecodedEvent<Type extends string = string> = Type extends keyof DecodedByType
  ? DecodedByType[Type]
  : string extends Type
    ? DecodedByType[keyof DecodedByType] | Record<string, unknown>
    : Record<string, unknown>;

/**
 * An event as plain JSON with short names. It does not verify: do that first.
 * With an ABI that has the event, its parameters get the ABI's names and types.
 * A type this version does not know gives its payload unchanged.
 * @throws {CrecError} `MALFORMED_EVENT` when the payload is not of the type its header names, or a
 * parameter not of the ABI's type; {ArgumentError} `ABI_INVALID`.
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
  const content = fields(fields(event, "the event").payload, "payload");
  switch (typeOf(event)) {
    case "watcher.event":
      return watcherEvent(content, abi);
    case "operation.status":
      return operationStatus(content);
    case "query.status":
      return queryStatus(content);
    case "watcher.status":
      return watcherStatus(content);
    case "wallet.status":
      return walletStatus(content);
    default:
      return content;
  }
}

function watcherEvent(payload: Fields, abi: readonly unknown[] | undefined): DecodedWatcherEvent {
  const signed = signedFields(payload.verifiable_event, "verifiable_event");
  const log = present(signed.chain_event) ? fields(signed.chain_event, "chain_event") : {};
  const params = present(log.params) ? fields(log.params, "params") : {};
  return {
    name: text(signed.name, "name"),
    params: abi === undefined ? params : eventParams(abi, log, params),
    ...optional("contract", log.address, address),
    ...chainOf(signed, payload),
    ...optional("transactionHash", log.tx_hash, text),
    ...optional("blockNumber", log.block_number, chainInteger),
    ...optional("blockTime", log.block_timestamp, chainInteger),
    ...optional("logIndex", log.log_index, chainInteger),
    ...optional("confidence", log.confidence, (value, name) => unlisted(text(value, name))),
    watcherId: text(payload.watcher_id, "watcher_id"),
    ...optional("service", signed.service, text),
    ...optional("data", signed.data, (value) => value),
  };
}

function chainOf(
  signed: Fields,
  payload: Fields,
): Pick<DecodedWatcherEvent, "chainSelector" | "chainSelectorUnsigned"> {
  const said = digits(signed.chain_selector ?? payload.chain_selector, "chain_selector");
  const { selector } = signedChain(signed);
  return selector === undefined
    ? { chainSelector: said, chainSelectorUnsigned: true }
    : { chainSelector: selector };
}

function operationStatus(payload: Fields): DecodedOperationStatus {
  // Of a status that never carries a proof, whatever looks signed is not: nobody checks it.
  const isSigned =
    isVerifiable("operation.status", text(payload.status, "status")) && present(payload.verifiable_event);
  const signed = isSigned
    ? fields(signedFields(payload.verifiable_event, "verifiable_event").data, "data")
    : undefined;
  return {
    status: unlisted(text(signed?.status ?? payload.status, "status")),
    reason: text((signed ?? payload).status_reason ?? "", "status_reason"),
    operationId: text(payload.operation_id, "operation_id"),
    walletOperationId: digits(
      signed?.wallet_operation_id ?? payload.wallet_operation_id,
      "wallet_operation_id",
    ),
    wallet: address(signed?.wallet_address ?? payload.address, "address"),
    // Two names for it are documented.
    ...optional("transactionHash", signed?.transaction_hash ?? signed?.tx_hash, text),
  };
}

function queryStatus(payload: Fields): DecodedQueryStatus {
  const decoded = {
    status: unlisted(text(payload.status, "status")),
    queryId: text(payload.query_id, "query_id"),
    target: address(payload.target, "target"),
  };
  const isSigned = isVerifiable("query.status", decoded.status) && present(payload.verifiable_result);
  if (!isSigned) return decoded;
  const data = fields(signedFields(payload.verifiable_result, "verifiable_result").data, "data");
  return { ...decoded, ...queryAnswer(data) };
}

/**
 * The answer of a query resource, as `decodeEvent` gives it for its event. Verify it first.
 * @throws {CrecError} `MALFORMED_EVENT` when what was signed does not parse.
 * @example
 * const [query] = (await client.queries.list(channelId, { status: ["completed"] })).data;
 * if (query) console.log(decodeQuery(query).status); // → "completed"
 */
export function decodeQuery(query: Query): DecodedQueryStatus {
  return queryStatus(query);
}

/** Block, result and error of the `data` that a query's signed text holds. */
function queryAnswer(data: Fields): Pick<DecodedQueryStatus, "block" | "result" | "error"> {
  const selection = isObject(data.block_selection) ? data.block_selection : {};
  const result = isObject(data.result) ? data.result : {};
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

function signedFields(signedText: unknown, name: string): Fields {
  const signed = typeof signedText === "string" ? parseSignedText(signedText) : undefined;
  return signed ?? malformed(`its ${name} does not parse`);
}

/** `{ [name]: read(value) }`, or nothing where there is no value. */
function optional<Name extends string, T>(
  name: Name,
  value: unknown,
  read: (value: unknown, name: string) => T,
): { [K in Name]?: T } {
  return present(value) ? ({ [name]: read(value, name) } as { [K in Name]?: T }) : {};
}

function fields(value: unknown, name: string): Fields {
  return isObject(value) ? value : malformed(`${name} is not an object`);
}

function text(value: unknown, name: string): string {
  return typeof value === "string" ? value : malformed(`${name} is not text`);
}

const MOST_DIGITS = 100;

function digits(value: unknown, name: string): string {
  const written = String(chainInteger(value, name));
  // None of them has more than 256 bits, and a long one takes long to count with.
  if (written.length > MOST_DIGITS) malformed(`${name} has more digits than it can have`);
  return written.replace(/^0+(?=\d)/, "");
}

function chainInteger(value: unknown, name: string): ChainInteger {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  if (typeof value === "string" && /^-?\d+$/.test(value)) return value;
  const written = wholeDigits(value);
  if (written !== undefined) return Number.isSafeInteger(Number(written)) ? Number(written) : written;
  return malformed(`${name} is not an integer`);
}

function address(value: unknown, name: string): string {
  const written = text(value, name);
  return Address.validate(written, { strict: false }) ? Address.checksum(written) : written;
}

function malformed(problem: string): never {
  throw new CrecError(
    "MALFORMED_EVENT",
    `The event cannot be read: ${problem}. Do not act on it, and ask the service for it again.`,
  );
}
