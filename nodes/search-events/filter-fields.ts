/** A filter of the service, as `SEARCH_FILTERS` names it, and the field of the form that holds it. */
export type FilterField = {
  filter: string;
  property: FilterProperty;
  label: string;
  /** Takes several values, any of which will do. */
  several?: boolean;
};

export type FilterProperty =
  | "statuses"
  | "watcher"
  | "contractEvent"
  | "address"
  | "service"
  | "operation"
  | "walletOperation"
  | "query"
  | "wallet"
  | "network";

/** Those that apply to some types of events only, in the order of the form. */
export const FILTER_FIELDS: readonly FilterField[] = [
  { filter: "status", property: "statuses", label: "Status", several: true },
  { filter: "watcher_id", property: "watcher", label: "Watcher" },
  { filter: "event_name", property: "contractEvent", label: "Event" },
  { filter: "address", property: "address", label: "Address", several: true },
  { filter: "service", property: "service", label: "Service", several: true },
  { filter: "operation_id", property: "operation", label: "Operation" },
  { filter: "wallet_operation_id", property: "walletOperation", label: "Wallet operation" },
  { filter: "query_id", property: "query", label: "Query" },
  { filter: "wallet_id", property: "wallet", label: "Wallet" },
  { filter: "chain_selector", property: "network", label: "Network", several: true },
];

/** The first of the named types that a filter does not apply to. A type this version does not know takes any. */
export function firstUnfit(
  filter: string,
  types: readonly string[],
  applicable: Readonly<Record<string, readonly string[]>>,
): string | undefined {
  return types.find((type) => Object.hasOwn(applicable, type) && !applicable[type]?.includes(filter));
}
