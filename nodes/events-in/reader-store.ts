import type { Node, NodeAPI } from "node-red";
import type { CursorIdentity, CursorStore, StartPosition } from "../../src/index.ts";
import type { Tenure } from "../lib/runtime/folder/tenure.ts";
import type { Library } from "../lib/runtime/library.ts";
import type { SharedCursor } from "./fleet/shared-cursor.ts";
import { NotedStore } from "./noted-store.ts";
import { ownStore } from "./own-store.ts";
import { RanBefore } from "./ran-before.ts";
import { cursorLocation } from "./settings.ts";
import { storeOf } from "./store-note.ts";

export type ReaderStoreOptions = {
  library: Library;
  identity: CursorIdentity;
  contextStore: string | undefined;
  tenure: Tenure | undefined;
  /** The cursor that several copies share; without it, this Node-RED has one of its own. */
  cursor: SharedCursor | undefined;
  start: StartPosition;
  /** Called when another process has moved a cursor in a context store. */
  onOtherWriter: () => void;
};

/** Where the cursor of a node is. */
export type ReaderStore = {
  store: CursorStore;
  /** The same, for the consumer: it reports a cursor that is lost. */
  noted: CursorStore;
  /** For people. */
  place: string;
};

export function readerStore(RED: NodeAPI, node: Node, options: ReaderStoreOptions): ReaderStore {
  const { library, identity, contextStore, tenure, cursor, start, onOtherWriter } = options;
  const name = identity.consumer;
  const store = cursor?.store ?? ownStore(RED, node, library, { name, contextStore, tenure, onOtherWriter });
  const place = cursor?.place ?? cursorLocation(RED, contextStore, name);
  // A store in memory loses the cursor at each restart, as its user has chosen.
  const isLasting = cursor || !contextStore || storeOf(RED, contextStore).module !== "memory";
  if (!isLasting) return { store, noted: store, place };
  const noted = new NotedStore({
    ...{ store, start, place, ranBefore: new RanBefore(RED, node, identity) },
    onStartsOver: () => node.warn(RED._("events-in.warning.starts-over", { consumer: name, place })),
  });
  return { store, noted, place };
}
