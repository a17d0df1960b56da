import { SEARCH_FILTERS } from "../../src/protocol/index.ts";

/** Filters that apply to some types of events only: the field of the form, and the service's name for it. */
export const FILTERS = {
  statuses: "status",
  watcher: "watcher_id",
  contractEvent: "event_name",
  address: "address",
  service: "service",
  operation: "operation_id",
  walletOperation: "wallet_operation_id",
  query: "query_id",
  wallet: "wallet_id",
  network: "chain_selector",
} as const;

export type FilterName = keyof typeof FILTERS;

export const FILTER_NAMES = Object.keys(FILTERS) as FilterName[];

/** The first of the types that a filter does not apply to. A type that this version does not know has all filters. */
export function typeWithout(filter: FilterName, types: readonly string[]): string | undefined {
  const filtersOf: Readonly<Record<string, readonly string[]>> = SEARCH_FILTERS;
  return types.find((type) => Object.hasOwn(filtersOf, type) && !filtersOf[type]?.includes(FILTERS[filter]));
}
