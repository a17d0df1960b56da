export * from "./chains.ts";
export * from "./errors.ts";
export * from "./events.ts";
export * from "./limits.ts";
export * from "./resources.ts";
export * from "./signers.ts";
export * from "./statuses.ts";
