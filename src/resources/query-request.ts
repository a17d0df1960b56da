import { randomUUID } from "node:crypto";
import { callData } from "../abi/index.ts";
import { ArgumentError } from "../errors.ts";
import {
  type BlockSelection,
  LIMITS,
  type Open,
  type QueryParams,
  type QueryStatus,
} from "../protocol/index.ts";
import { checkAddress, checkSelector } from "./checks.ts";

/** A call of a contract to run, as the service takes it. */
export type CreateQuery = {
  /** The network of the contract. */
  chain_selector: string;
  /** The call, and the block to read at. */
  params: QueryParams;
  /**
   * A text that identifies this query, so that it runs once however often it is sent.
   * @default a random UUID
   */
  idempotency_key?: string | undefined;
  /** Data of your own, stored with the query: at most 16 KB of JSON. */
  metadata?: Record<string, unknown> | undefined;
};

/** What the service answers to a new query. */
export type CreatedQuery = {
  /** The id of the query. */
  query_id: string;
  /** Its first status. */
  status: Open<QueryStatus>;
};

/**
 * The body of the request, checked.
 * @throws {ArgumentError} with the path of the value, as `params.contract_address`.
 */
export function queryRequest(query: CreateQuery): object {
  const { chain_selector, params, idempotency_key = randomUUID(), metadata } = query;
  checkAddress("params.contract_address", params.contract_address);
  if (params.from_address !== undefined) checkAddress("params.from_address", params.from_address);
  checkBlock(params.block_selection);
  const call_data = callData(params.call_data, "params.call_data");
  checkSelector(chain_selector);
  checkKey(idempotency_key);
  if (metadata) checkMetadata(metadata);
  return { query_kind: "evm_call", ...query, idempotency_key, params: { ...params, call_data } };
}

function checkBlock(selection: BlockSelection): void {
  if (selection?.type === "latest" || selection?.type === "finalized") return;
  if (selection?.type === "block_number" && /^\d{1,78}$/.test(selection.block_number)) return;
  const message = "The block must be latest, finalized, or a block number as decimal digits.";
  throw new ArgumentError("params.block_selection", message);
}

function checkKey(key: string): void {
  const length = typeof key === "string" ? key.length : 0;
  if (length >= 1 && length <= LIMITS.idempotencyKeyLength) return;
  const message = `idempotency_key must have 1 to ${LIMITS.idempotencyKeyLength} characters.`;
  throw new ArgumentError("idempotency_key", message);
}

function checkMetadata(metadata: object): void {
  if (Buffer.byteLength(JSON.stringify(metadata)) <= LIMITS.queryMetadataBytes) return;
  const message = `metadata must be at most ${LIMITS.queryMetadataBytes} bytes of JSON.`;
  throw new ArgumentError("metadata", message);
}
