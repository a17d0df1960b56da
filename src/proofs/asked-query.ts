import { type QueryParams, ZERO_ADDRESS } from "../protocol/index.ts";
import { type Comparison, integer, object, text } from "./claim.ts";
import { parseSignedText } from "./signed-text.ts";

/** What was asked. A proof alone only says that an answer is true, not that it is the one to this question. */
export type AskedQuery = {
  /** As `queries.create` gave it. */
  queryId: string;
  chainSelector: string;
  /** As they were handed to `queries.create`. */
  params: QueryParams;
};

/**
 * What was asked beside what the signed text says that it answers.
 * @throws {Rejection} `malformed_event` when the signed text does not name it.
 */
export function compareWithAsked(asked: AskedQuery, signedText: string): Comparison[] {
  const { contract_address, from_address = ZERO_ADDRESS, call_data, block_selection } = asked.params;
  const signed = object(parseSignedText(signedText), "the signed text");
  const data = object(signed.data, "the signed data");
  const target = object(data.target, "the signed target");
  const selection = object(data.block_selection, "the signed block_selection");
  const answered = (field: string, said: string, value: unknown, read = text): Comparison => ({
    field: `it answers another ${field} than was asked`,
    said: read(said, field),
    signed: read(value, `the signed ${field}`),
  });
  return [
    answered("query_id", asked.queryId, data.query_id),
    answered("chain_selector", asked.chainSelector, signed.chain_selector, integer),
    answered("contract_address", contract_address, target.contract_address),
    answered("from_address", from_address, target.from_address),
    answered("call_data", call_data, target.call_data, hexDigits),
    answered("block_selection", blockOf(block_selection), blockOf(selection.requested)),
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
