export {
  type DedupeDelivery,
  FileDedupeStore,
  type FileDedupeStoreOptions,
} from "./file-dedupe-store.ts";
