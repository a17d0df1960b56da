import type { Node, NodeAPI } from "node-red";
import type { CursorStore } from "../../src/index.ts";
import type { FolderLease } from "../common/folder/folder-lease.ts";
import { guardedFiles } from "../common/folder/folder-lease.ts";
import { stateFiles } from "../common/folder/state-files.ts";
import type { Library } from "../common/library.ts";
import { ContextCursorStore } from "./context-store.ts";
import { cursorPath } from "./reader/settings.ts";

type Place = {
  name: string;
  contextStore: string | undefined;
  folderLease?: FolderLease | undefined;
  /** Called when another process has moved a cursor in a context store. */
  onOtherWriter?: () => void;
};

/** Where this Node-RED stores the cursor of a consumer alone: in a file, or in one of its context stores. */
export function localCursorStore(
  RED: NodeAPI,
  node: Node,
  library: Pick<Library, "FileCursorStore">,
  { name, contextStore, folderLease, onOtherWriter = () => {} }: Place,
): CursorStore {
  if (contextStore) return new ContextCursorStore(node, name, contextStore, { onOtherWriter });
  const files = folderLease ? guardedFiles(folderLease) : stateFiles;
  return new library.FileCursorStore({ path: cursorPath(RED, name), files });
}
