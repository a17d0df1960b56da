import { type QueryParams, ZERO_ADDRESS } from "../protocol/index.ts";
import { integer, object, text } from "./required-fields.ts";
import type { Comparison, SignedText } from "./unverified-event.ts";

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

/** The `0x` may be left out on input; `0X` stays, and equals nothing. */
function hexDigits(value: unknown, name: string): string {
  return text(value, name).trim().replace(/^0x/, "");
}

function blockOf(selection: unknown): string {
  const { type, block_number } = object(selection, "the requested block");
  return type === "block_number" ? integer(block_number, "the block number") : text(type, "the block's type");
}
