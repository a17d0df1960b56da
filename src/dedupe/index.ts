export { FileDedupeStore, type FileDedupeStoreOptions } from "./file-dedupe-store.ts";
export type { DedupeDelivery } from "./keys.ts";
