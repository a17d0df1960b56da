import type { Node, NodeAPI } from "node-red";
import type { CursorIdentity, CursorStore, StartPosition } from "../../src/index.ts";
import type { FolderLease } from "../common/folder/folder-lease.ts";
import type { Library } from "../common/library.ts";
import { ConsumerMemory } from "./consumer-memory.ts";
import { RestoringStore } from "./fleet/restoring-store.ts";
import type { SharedCursor } from "./fleet/shared-cursor.ts";
import { localCursorStore } from "./local-cursor-store.ts";
import { LostCursorGuard } from "./lost-cursor-guard.ts";
import { cursorLocation } from "./reader/settings.ts";
import { storeOf } from "./status/notes.ts";

type ReaderStoreOptions = {
  library: Library;
  identity: CursorIdentity;
  contextStore: string | undefined;
  folderLease: FolderLease | undefined;
  /** The cursor that several copies share; without it, this Node-RED has one of its own. */
  cursor: SharedCursor | undefined;
  start: StartPosition;
  /** Called when another process has moved a cursor in a context store. */
  onOtherWriter: () => void;
};

/** Where the cursor of a node is. */
type ReaderStore = {
  store: CursorStore;
  /** The same, for the consumer: it reports a cursor that is lost. */
  noted: CursorStore;
  /** For people. */
  place: string;
};

export function readerStore(RED: NodeAPI, node: Node, options: ReaderStoreOptions): ReaderStore {
  const { library, identity, contextStore, folderLease, cursor, start, onOtherWriter } = options;
  const name = identity.consumer;
  const ownPlace = cursorLocation(RED, contextStore, name);
  const place = cursor?.place ?? ownPlace;
  const warn = (text: string) => node.warn(RED._(text, { consumer: name, place }));
  const onStartsOver = () => warn("events-in.warning.starts-over");
  if (cursor) {
    const noted = new RestoringStore({
      ...{ ...cursor, start, onStartsOver },
      onAdopted: () =>
        node.log(RED._("events-in.log.cursor-shared", { consumer: name, place: ownPlace, label: place })),
      onFirst: () => warn("events-in.warning.nothing-known"),
    });
    return { store: cursor.store, noted, place };
  }
  const store = localCursorStore(RED, node, library, { name, contextStore, folderLease, onOtherWriter });
  // A store in memory loses the cursor at each restart, as its user has chosen.
  const isLasting = !contextStore || storeOf(RED, contextStore).module !== "memory";
  if (!isLasting) return { store, noted: store, place };
  const memory = new ConsumerMemory(RED, node, identity);
  return { store, noted: new LostCursorGuard({ store, start, place, memory, onStartsOver }), place };
}
