export { SharedCursorDamagedError } from "./errors.ts";
export { openSharedState } from "./open-shared-state.ts";
export type { RedisSentinel, SharedStateOptions } from "./options.ts";
