import { anyText, finite, listOf, optional, request, text } from "../../options/index.ts";
import { type EventType, type Open, PAGE_LIMITS } from "../../protocol/index.ts";
import { paging } from "./checks.ts";

/**
 * Filters of a search, as the service names them; several of them apply together. One that does not apply to a type in
 * `type` is refused: see `SEARCH_FILTERS`.
 */
export type SearchEvents = {
  /** One of these types. */
  type?: ReadonlyArray<Open<EventType>> | undefined;
  /** Created after this time, in Unix seconds. */
  "created.gt"?: number | undefined;
  /** Created at this time or after it, in Unix seconds. */
  "created.gte"?: number | undefined;
  /** Created before this time, in Unix seconds. */
  "created.lt"?: number | undefined;
  /** Created at this time or before it, in Unix seconds. */
  "created.lte"?: number | undefined;
  /** About one of these networks. */
  chain_selector?: readonly string[] | undefined;
  /** About all main networks, or all test networks. */
  chain_environment?: Open<"mainnet" | "testnet"> | undefined;
  /** With one of these statuses. */
  status?: readonly string[] | undefined;
  /** Of this watcher. */
  watcher_id?: string | undefined;
  /** Of this wallet. */
  wallet_id?: string | undefined;
  /** About one of these addresses: of a contract, or of a wallet. */
  address?: readonly string[] | undefined;
  /** Of the operation with this id, a uint256 as decimal digits. */
  wallet_operation_id?: string | undefined;
  /** Of this operation. The service does not support it: the client compares what arrives, see `search`. */
  operation_id?: string | undefined;
  /** Of this query. The service does not support it: the client compares what arrives, see `search`. */
  query_id?: string | undefined;
  /** Contract events of this name. */
  event_name?: string | undefined;
  /** Contract events of watchers of one of these services. */
  service?: readonly string[] | undefined;
  /**
   * The size of a page, at most 200.
   * @default 50
   */
  limit?: number | undefined;
  /**
   * How many events to skip.
   * @default 0
   */
  offset?: number | undefined;
};

/** @throws {ArgumentError} naming the filter. */
export const searchFilter = request<SearchEvents>({
  type: optional(listOf(anyText())),
  "created.gt": optional(finite),
  "created.gte": optional(finite),
  "created.lt": optional(finite),
  "created.lte": optional(finite),
  chain_selector: optional(listOf(text)),
  chain_environment: optional(anyText()),
  status: optional(listOf(text)),
  watcher_id: optional(text),
  wallet_id: optional(text),
  address: optional(listOf(text)),
  wallet_operation_id: optional(text),
  operation_id: optional(text),
  query_id: optional(text),
  event_name: optional(text),
  service: optional(listOf(text)),
  ...paging(PAGE_LIMITS.eventsSearch),
});
