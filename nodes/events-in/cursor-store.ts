import type { Node, NodeAPI } from "node-red";
import type {
  CursorIdentity,
  CursorState,
  CursorStore,
  FileCursorStoreOptions,
  Lease,
  StartPosition,
} from "../../src/index.ts";
import type { Fleet } from "../common/fleet/join-fleet.ts";
import { stateFiles } from "../common/folder/state-files.ts";
import { type Library, loadLibrary } from "../common/library.ts";
import { ConsumerMemory, type Remembered } from "./consumer-memory.ts";
import { ContextCursorStore } from "./context-store.ts";
import { publishedOf } from "./fleet/lost-cursor.ts";
import { cursorLost, RestoringStore } from "./fleet/restoring-store.ts";
import { cursorLocation, cursorPath } from "./reader/settings.ts";
import { storeOf } from "./status/notes.ts";

type Files = NonNullable<FileCursorStoreOptions["files"]>;

type CursorStoreOptions = {
  library: Library;
  identity: CursorIdentity;
  contextStore: string | undefined;
  /** For a cursor in a file. */
  files: Files;
  /** The cursor that several copies share; without it, this Node-RED has one of its own. */
  cursor: SharedCursor | undefined;
  start: StartPosition;
  /** Called when another process has moved a cursor in a context store. */
  onOtherWriter: () => void;
};

/** Where the cursor of a node is. */
type OpenedCursorStore = {
  store: CursorStore;
  /** The same, for the consumer: it reports a cursor that is lost. */
  noted: CursorStore;
  /** For people. */
  place: string;
};

type Place = {
  name: string;
  contextStore: string | undefined;
  files?: Files;
  /** Called when another process has moved a cursor in a context store. */
  onOtherWriter?: () => void;
};

type LostCursorGuardOptions = {
  store: CursorStore;
  memory: Pick<ConsumerMemory, "recall" | "note">;
  start: StartPosition;
  /** Where the cursor should be, for people. */
  place: string;
  /** Called when a missing cursor is replaced by the start, and events of before are sent again. */
  onStartsOver: () => void;
};

/** The store of a node's cursor. One that is lost is reported, where that shows: apart from the cursor, or on other copies. */
export function openCursorStore(RED: NodeAPI, node: Node, options: CursorStoreOptions): OpenedCursorStore {
  const { library, identity, contextStore, files, cursor, start, onOtherWriter } = options;
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
  const store = localCursorStore(RED, node, library, { name, contextStore, files, onOtherWriter });
  // A store in memory loses the cursor at each restart, as its user has chosen.
  const isLasting = !contextStore || storeOf(RED, contextStore).module !== "memory";
  if (!isLasting) return { store, noted: store, place };
  const memory = new ConsumerMemory(RED, node, identity);
  return { store, noted: new LostCursorGuard({ store, start, place, memory, onStartsOver }), place };
}

/** Where this Node-RED stores the cursor of a consumer alone: in a file, or in one of its context stores. */
function localCursorStore(
  RED: NodeAPI,
  node: Node,
  library: Pick<Library, "FileCursorStore">,
  { name, contextStore, files = stateFiles, onOtherWriter = () => {} }: Place,
): CursorStore {
  if (contextStore) return new ContextCursorStore(node, name, contextStore, { onOtherWriter });
  return new library.FileCursorStore({ path: cursorPath(RED, name), files });
}

/**
 * A cursor store that does not take a lost cursor for a new consumer. Starting with new events would skip all events since
 * the cursor was stored: the consumer stops with `CURSOR_LOST` until a person chooses. Another start skips nothing.
 */
class LostCursorGuard implements CursorStore {
  readonly #options: LostCursorGuardOptions;
  #isNoted = false;

  constructor(options: LostCursorGuardOptions) {
    this.#options = options;
  }

  /** @throws CURSOR_LOST; what the store throws */
  async load(): Promise<CursorState | undefined> {
    const { store, memory, start, place, onStartsOver } = this.#options;
    const state = await store.load();
    if (state !== undefined) await this.#note();
    else if (await memory.recall()) {
      if (start === "now") throw await cursorLost(place);
      onStartsOver();
    }
    return state;
  }

  async save(state: CursorState, urgency?: "now" | "soon"): Promise<void> {
    await this.#options.store.save(state, urgency);
    await this.#note();
  }

  async close(): Promise<void> {
    await this.#options.store.close?.();
  }

  async #note(): Promise<void> {
    if (this.#isNoted) return;
    this.#isNoted = true;
    await this.#options.memory.note();
  }
}

/** The cursor of a consumer that several copies share, for the time of one lease. */
export type SharedCursor = {
  lease: Lease;
  store: CursorStore;
  memory: ConsumerMemory;
  shared: Fleet["shared"];
  /** How long other copies have to publish what they remember, in milliseconds. */
  waitMs: number;
  /** What other copies remember. */
  published: () => Promise<Remembered[]>;
  /** The cursor that this Node-RED had stored alone. It may become the shared one: the change must not pass events over. */
  former: CursorState | undefined;
  /** Where it is kept, for people. */
  place: string;
};

export type Leased = { lease: Lease; fleet: Pick<Fleet, "shared" | "isAlone">; memory: ConsumerMemory };

/**
 * The shared cursor of a lease. What is saved is remembered by this copy, too.
 * @throws what the former store throws, since a cursor may be lost in it
 */
export async function sharedCursorOf(
  RED: NodeAPI,
  node: Node,
  { lease, fleet, memory, name, contextStore }: Leased & { name: string; contextStore: string | undefined },
): Promise<SharedCursor> {
  const { shared } = fleet;
  const library = await loadLibrary();
  let saved = 0;
  const save: typeof shared.save = async (key, epoch, state, leaseMs) => {
    saved += 1;
    const position = { ...state, epoch, saved };
    const isOwn = await shared.save(key, epoch, position, leaseMs);
    if (isOwn) void memory.note({ position });
    return isOwn;
  };
  const store = new library.SharedCursorStore({ shared: { save }, lease });
  const isNew = lease.state === undefined && lease.damaged === undefined;
  const hasShared = (await memory.recall())?.epoch !== undefined;
  const former =
    isNew && !hasShared
      ? await localCursorStore(RED, node, library, { name, contextStore }).load()
      : undefined;
  const published = () => publishedOf(shared, lease.key);
  const waitMs = fleet.isAlone ? 0 : lease.leaseMs;
  return { lease, store, memory, shared, waitMs, published, former, place: shared.label };
}
