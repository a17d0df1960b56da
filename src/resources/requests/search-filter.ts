import { ArgumentError } from "../../errors.ts";
import { NotFoundError } from "../../http/index.ts";
import { anyText, finite, kindOf, like, listOf, optional, request, text } from "../../options/index.ts";
import {
  type ChannelEvent,
  EVENT_TYPES,
  type EventType,
  isSameId,
  type Open,
  type Operation,
  PAGE_LIMITS,
  type Query,
  SEARCH_FILTERS,
} from "../../protocol/index.ts";
import { paging, pathId } from "./checks.ts";
import { MAX_CLOCK_SKEW_MS } from "./just-created.ts";

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

/**
 * The filters that the service does not support in a search. They are applied to what arrives, and the search is narrowed
 * as far as the service's own filters allow.
 */
const FIELDS = ["operation_id", "query_id"] as const;

/** The fields of an operation by which its events are found. */
export type NamedOperation = Pick<
  Operation,
  "operation_id" | "wallet_operation_id" | "chain_selector" | "address"
>;

/** Text that the service shows, perhaps in another form, or not at all. */
export const shownText = kindOf<string>(
  "text",
  (value) => value === null || /^(string|number|undefined)$/.test(typeof value),
);

/** The service shows it, so that only its id is certain: what it does not say does not narrow a search. */
export const namedOperationKind = like<NamedOperation>({
  operation_id: text,
  wallet_operation_id: shownText,
  chain_selector: shownText,
  address: shownText,
});

/** Reads the operation or query of an id. */
type ReadById = {
  operation: (operationId: string) => Promise<NamedOperation>;
  query: (queryId: string) => Promise<Query>;
};

/** The codes of a 404 for an operation or query that does not exist. */
const NOT_KNOWN: readonly string[] = ["OPERATION_NOT_FOUND", "QUERY_NOT_FOUND"];

/** By the clock of another machine, an event can be older than its query. */
const MAX_CLOCK_SKEW_SECONDS = MAX_CLOCK_SKEW_MS / 1000;

export function isById(filter: SearchEvents): boolean {
  return FIELDS.some((field) => filter[field] !== undefined);
}

/**
 * Whether an event belongs to the operation or query of a search.
 * @throws {ArgumentError} for a malformed id, and for types to which the filter does not apply.
 */
export function matchesId(filter: SearchEvents): (event: ChannelEvent) => boolean {
  const ids = FIELDS.flatMap((field) => {
    const id = filter[field];
    return id === undefined ? [] : [[field, pathId(field, id)] as const];
  });
  typesOf(filter);
  return ({ payload }) => {
    const fields: Record<string, unknown> = payload;
    return ids.every(([field, id]) => isSameId(String(fields[field]), id));
  };
}

/**
 * The search that is sent instead of one by id; undefined when the service does not know the operation or query, which
 * then has no events.
 */
export async function narrowed(filter: SearchEvents, read: ReadById): Promise<SearchEvents | undefined> {
  const { operation_id, query_id, limit: _limit, offset: _offset, ...rest } = filter;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  const sent = { type: typesOf(filter), ...given };
  try {
    const found = {
      ...(operation_id === undefined || given.wallet_operation_id !== undefined
        ? {}
        : filterOf(await read.operation(operation_id))),
      ...(query_id === undefined || given["created.gte"] !== undefined
        ? {}
        : sinceItsCreation(await read.query(query_id))),
    };
    return { ...found, ...sent };
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    // Without such a code, the service may just not have the path.
    return NOT_KNOWN.includes(error.code) ? undefined : sent;
  }
}

/** The search for an operation's status events. */
export function operationEvents(operation: NamedOperation): SearchEvents {
  return { type: ["operation.status"], operation_id: operation.operation_id, ...filterOf(operation) };
}

/** The search for a query's status events. */
export function queryEvents(query: Query): SearchEvents {
  return { type: ["query.status"], query_id: query.query_id, ...sinceItsCreation(query) };
}

/** The given types, else those whose events have such an id. */
function typesOf({ type: types = [], ...filter }: SearchEvents): NonNullable<SearchEvents["type"]> {
  const fields = FIELDS.filter((field) => filter[field] !== undefined);
  const applies = (type: string) => {
    const filters = Object.entries(SEARCH_FILTERS).find(([known]) => known === type)?.[1] ?? fields;
    return fields.every((field) => filters.some((one) => one === field));
  };
  const unfit = types.find((type) => !applies(type));
  if (unfit !== undefined) throw doesNotApply(fields, `events of type ${unfit}`);
  if (types.length > 0) return types;
  const having = EVENT_TYPES.filter(applies);
  if (having.length === 0) throw doesNotApply(fields, "the same event");
  return having;
}

function doesNotApply(fields: readonly string[], to: string): ArgumentError {
  const message = `The filter ${fields.join(" together with ")} does not apply to ${to}. Leave one of them out.`;
  return new ArgumentError(fields[0] ?? "filter", message);
}

/** Absent fields do not narrow the search. */
function filterOf(operation: Partial<NamedOperation>): SearchEvents {
  const { wallet_operation_id: id, chain_selector, address } = operation;
  return {
    ...(id ? { wallet_operation_id: String(id) } : {}),
    ...(chain_selector ? { chain_selector: [String(chain_selector)] } : {}),
    ...(address ? { address: [address] } : {}),
  };
}

function sinceItsCreation(query: Partial<Query>): SearchEvents {
  const { created_at: createdAt, chain_selector } = query;
  const since = typeof createdAt === "number" && Number.isSafeInteger(createdAt) ? createdAt : 0;
  return {
    ...(since > MAX_CLOCK_SKEW_SECONDS ? { "created.gte": since - MAX_CLOCK_SKEW_SECONDS } : {}),
    ...(chain_selector ? { chain_selector: [String(chain_selector)] } : {}),
  };
}

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
