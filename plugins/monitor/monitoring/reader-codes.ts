/** These stop a reader until a person acts: a service that comes back, or more time, does not help. */
const FAILING = [
  // The shared state.
  ...["SHARED_STATE_REFUSED", "SHARED_STATE_NEWER", "SHARED_CURSOR_DAMAGED", "FLEET_INCOMPLETE"],
  // The key, and what is sent.
  ...["KEY_REFUSED", "FORBIDDEN", "ORGANIZATION_NOT_FOUND", "VALIDATION_ERROR"],
  // The cursor, and the folder of this copy.
  ...["CHANNEL_REPLACED", "CURSOR_OF_ANOTHER_CHANNEL", "CURSOR_LOST", "CURSOR_FILE_DAMAGED"],
  ...["STATE_FILE_NEWER", "CURSOR_NOT_READ", "CURSOR_NOT_SAVED", "FOLDER_NOT_LOCKED", "STATE_NOT_PERMITTED"],
  "CONSUMER_NAME_TAKEN",
  // The configuration.
  ...["CONNECTION_MISSING", "CONNECTION_INCOMPLETE", "KEY_NEEDS_CONFIRMATION", "KEY_BINDING_NOT_SAVED"],
  ...["CONFIG_NODE_DISABLED", "CONFIG_NODE_DELETED"],
  ...["PROXY_INCOMPLETE", "CHANNEL_MISSING", "CHANNEL_INCOMPLETE", "VARIABLE_MISSING"],
  ...["INVALID_FIELD", "INVALID_ARGUMENT", "MISSING_VALUE", "PACKAGE_DAMAGED"],
] as const;

/** These may pass without help, are of one event, or another copy reads. */
const DEGRADED = [
  // The shared state gives no answer, is full, or is read only for a time: the same for all copies.
  "SHARED_STATE_UNREACHABLE",
  // The service. Its certificate is the matter of who runs it.
  ...["SERVICE_UNREACHABLE", "TLS_ERROR", "TIMEOUT", "BAD_RESPONSE", "SERVICE_ERROR", "CHAIN_UNAVAILABLE"],
  ...["RATE_LIMITED", "BUDGET_EXHAUSTED", "CURSOR_BEYOND_END", "PAGES_DO_NOT_ADVANCE"],
  // The flow, or somebody else, may be about to create it.
  ...["NOT_FOUND", "CHANNEL_NOT_FOUND", "WATCHER_NOT_FOUND"],
  // One event.
  ...["EVENT_TOO_LARGE", "ITEM_TOO_LARGE", "RESPONSE_TOO_LARGE", "DELIVERY_FAILED", "CONSUMER_FAILED"],
  // Another copy, or the next deploy, goes on.
  ...["CONSUMER_MOVED", "CLIENT_CLOSED", "SHARED_STATE_CLOSED"],
] as const;

/** What an error of a reader means for the health. The page about metrics has the same table. */
export const READER_CODES: ReadonlyMap<string, "failing" | "degraded"> = new Map([
  ...FAILING.map((code) => [code, "failing"] as const),
  ...DEGRADED.map((code) => [code, "degraded"] as const),
]);
