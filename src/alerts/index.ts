export * from "./conditions/index.ts";
export type * from "./types.ts";
