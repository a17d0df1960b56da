export { type CursorIdentity, type CursorState, isCursorState } from "./cursor/cursor-state.ts";
export { copyCursorFile, FileCursorStore, type FileCursorStoreOptions } from "./cursor/file-store.ts";
export { type CursorStore, MemoryCursorStore } from "./cursor/store.ts";
export { FileDedupeStore, type FileDedupeStoreOptions } from "./dedupe/file-dedupe-store.ts";
export {
  type DedupeDelivery,
  type DedupeDetails,
  type DedupeResult,
  type SeenEntry,
  SeenKeys,
} from "./dedupe/seen-keys.ts";
