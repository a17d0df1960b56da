export { FileDedupeStore, type FileDedupeStoreOptions } from "./file-dedupe-store.ts";
export {
  type DedupeDelivery,
  type DedupeDetails,
  type DedupeResult,
  type SeenEntry,
  SeenKeys,
} from "./seen-keys.ts";
