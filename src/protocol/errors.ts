/** The `type` of an error body. */
export const ERROR_TYPES = [
  "VALIDATION_ERROR",
  "NOT_FOUND",
  "CONFLICT",
  "INTERNAL_ERROR",
  "ORGANIZATION_NOT_FOUND",
] as const;
export type ErrorType = (typeof ERROR_TYPES)[number];

/** The `code` of an error body, which says more about a 404 or 409. */
export const ERROR_CODES = [
  "CHANNEL_NOT_FOUND",
  "WALLET_NOT_FOUND",
  "OPERATION_NOT_FOUND",
  "WATCHER_NOT_FOUND",
  "QUERY_NOT_FOUND",
  "EVENT_NOT_FOUND",
  "CHANNEL_ALREADY_EXISTS",
  "WALLET_ALREADY_EXISTS",
  "WATCHER_ALREADY_EXISTS",
  "OPERATION_ALREADY_EXISTS",
  "IDEMPOTENCY_KEY_MISMATCH",
  "OPERATION_NOT_FINALIZABLE",
  "OPERATION_NOT_CANCELLABLE",
  "OPERATION_DEADLINE_ELAPSED",
  "RESOURCE_VERSION_CONFLICT",
  "WALLET_ALREADY_ARCHIVED",
  "CHAIN_UNAVAILABLE",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** The body of every answer that is not 2xx. Programs use `type` and `code`, never `message`. */
export type ErrorBody = { type: string; code?: string; message: string };

/** The codes of errors with which the service refuses a key or its rights: a person has to change one of them. */
export const KEY_REFUSALS = ["KEY_REFUSED", "ORGANIZATION_NOT_FOUND", "FORBIDDEN"] as const;
export type KeyRefusal = (typeof KEY_REFUSALS)[number];
