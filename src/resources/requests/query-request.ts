import { randomUUID } from "node:crypto";
import { callData } from "../../abi/index.ts";
import { ArgumentError } from "../../errors.ts";
import { anything, jsonObject, optional, reading, request, shape } from "../../options/index.ts";
import {
  type BlockSelection,
  LIMITS,
  type Open,
  type QueryParams,
  type QueryStatus,
} from "../../protocol/index.ts";
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

/** What its text must be is said below. */
const createQuery = request<CreateQuery>({
  chain_selector: anything(),
  params: shape<QueryParams>({
    ...{ contract_address: anything(), call_data: anything(), from_address: anything() },
    block_selection: blockSelection,
  }),
  idempotency_key: anything(),
  metadata: optional(jsonObject),
});

/**
 * The body of the request, checked.
 * @throws {ArgumentError} with the path of the value, as `params.contract_address`.
 */
export function queryRequest(given: CreateQuery): CreateQuery & { query_kind: string } {
  const query = createQuery(given, "query");
  const { chain_selector, params, idempotency_key = randomUUID(), metadata } = query;
  checkAddress("params.contract_address", params.contract_address);
  if (params.from_address !== undefined) checkAddress("params.from_address", params.from_address);
  const call_data = callData(params.call_data, "params.call_data");
  checkSelector(chain_selector);
  checkKey(idempotency_key);
  if (metadata !== undefined) checkMetadata(metadata);
  return { query_kind: "evm_call", ...query, idempotency_key, params: { ...params, call_data } };
}

function blockSelection(value: unknown, path: string): BlockSelection {
  const selection = value as Partial<BlockSelection & { block_number: string }> | undefined;
  const isBlock = reading(path, () => {
    if (selection?.type === "latest" || selection?.type === "finalized") return true;
    const number = selection?.type === "block_number" ? selection.block_number : undefined;
    return typeof number === "string" && /^\d{1,78}$/.test(number);
  });
  if (isBlock) return value as BlockSelection;
  throw new ArgumentError(path, "The block must be latest, finalized, or a block number as decimal digits.");
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
