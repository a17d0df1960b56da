import { type Query, type QueryParams, ZERO_ADDRESS } from "../protocol/index.ts";
import { integer, isObject, object, present, text } from "./fields.ts";
import { Rejection } from "./reasons.ts";
import { readSignedPayload } from "./signed-event.ts";
import type { Comparison, SignedText, UnverifiedEvent } from "./unverified-event.ts";

/** The operation that a status must be about. The service's id of it is not signed, so these identify it. */
export type RequestedOperation = {
  /** Decimal, as the wallet's owner signed it. */
  walletOperationId: string;
  /** The wallet's address. */
  wallet: string;
  /** The wallet's network. */
  chainSelector: string;
};

/**
 * The requested operation compared with the one that the signed text is about.
 * @throws {Rejection} `unsigned_field_mismatch` when the text is not about an operation.
 */
export function compareWithOperation(
  requested: RequestedOperation,
  { type }: UnverifiedEvent,
  { content }: SignedText,
): Comparison[] {
  if (type !== "operation.status") {
    throw new Rejection("unsigned_field_mismatch", "it is not about an operation");
  }
  const { data, chain_selector } = content;
  const { wallet_operation_id, wallet_address } = object(data, "the signed data");
  const field = "it is about another operation than the requested one";
  const [id, wallet] = [
    integer(wallet_operation_id, "the signed id"),
    text(wallet_address, "the signed address"),
  ];
  return [
    { field, unsigned: integer(requested.walletOperationId, "walletOperationId"), signed: id },
    { field, unsigned: text(requested.wallet, "wallet"), signed: wallet },
    // Not every service signs it. The id is unique to one wallet on one network.
    ...(present(chain_selector)
      ? [
          {
            field,
            unsigned: integer(requested.chainSelector, "chainSelector"),
            signed: integer(chain_selector, "the signed chain_selector"),
          },
        ]
      : []),
  ];
}

/** The query that an answer must belong to. A proof alone says that the answer is true, but not to which query. */
export type RequestedQuery = {
  /** As `queries.create` returned it. */
  queryId: string;
  /** The network that was queried. */
  chainSelector: string;
  /** As they were given to `queries.create`. */
  params: QueryParams;
};

/**
 * The requested query compared with the one that the signed text answers.
 * @throws {Rejection} `malformed_event` when the signed text does not name its query.
 */
export function compareWithQuery(requested: RequestedQuery, { content }: SignedText): Comparison[] {
  const { contract_address, from_address = ZERO_ADDRESS, call_data, block_selection } = requested.params;
  const data = object(content.data, "the signed data");
  const target = object(data.target, "the signed target");
  const selection = object(data.block_selection, "the signed block_selection");
  const compared = (field: string, unsigned: string, signed: unknown, read = text): Comparison => ({
    field: `it answers another ${field} than the requested one`,
    unsigned: read(unsigned, field),
    signed: read(signed, `the signed ${field}`),
  });
  return [
    compared("query_id", requested.queryId, data.query_id),
    compared("chain_selector", requested.chainSelector, content.chain_selector, integer),
    compared("contract_address", contract_address, target.contract_address),
    compared("from_address", from_address, target.from_address),
    compared("call_data", call_data, target.call_data, hexDigits),
    compared("block_selection", blockOf(block_selection), blockOf(selection.requested)),
  ];
}

/** What an answer says of its query beside what was requested, for an answer whose proof is not checked. */
export function answeredQuery(
  query: Query,
  { queryId, chainSelector, params }: RequestedQuery,
): Array<[what: string, is: string | undefined, requested: string]> {
  const { content } = readSignedPayload("query.status", query);
  const data = part(content, "data");
  const target = part(data, "target");
  const block = part(part(data, "block_selection"), "requested");
  const { type } = params.block_selection;
  return [
    ["network", shown(query.chain_selector), chainSelector],
    ["contract", shown(query.target), shown(params.contract_address)],
    ["signed id", shown(data.query_id), shown(queryId)],
    ["signed network", shown(part(content).chain_selector), chainSelector],
    ["signed contract", shown(target.contract_address), shown(params.contract_address)],
    ["signed caller", shown(target.from_address), shown(params.from_address ?? ZERO_ADDRESS)],
    ["signed call data", shown(target.call_data), shown(params.call_data)],
    ["signed kind of block", shown(block.type), type],
    [
      "signed block",
      type === "block_number" ? shown(block.block_number) : undefined,
      type === "block_number" ? params.block_selection.block_number : "",
    ],
  ];
}

function part(value: unknown, name?: string): Readonly<Record<string, unknown>> {
  const found = name === undefined ? value : part(value)[name];
  return isObject(found) ? found : {};
}

/** In the form in which it is compared; undefined where the answer does not say it. */
function shown(value: string): string;
function shown(value: unknown): string | undefined;
function shown(value: unknown): string | undefined {
  return value === undefined || value === null
    ? undefined
    : String(value).trim().toLowerCase().replace(/^0x/, "");
}

/** The `0x` may be left out on input; `0X` stays, and equals nothing. */
function hexDigits(value: unknown, name: string): string {
  return text(value, name).trim().replace(/^0x/, "");
}

function blockOf(selection: unknown): string {
  const { type, block_number } = object(selection, "the requested block");
  return type === "block_number" ? integer(block_number, "the block number") : text(type, "the block's type");
}
