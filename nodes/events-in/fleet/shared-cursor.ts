import type { Node, NodeAPI } from "node-red";
import type { CursorState, CursorStore, Lease } from "../../../src/index.ts";
import type { Fleet } from "../../common/fleet/join-fleet.ts";
import { loadLibrary } from "../../common/library.ts";
import type { ConsumerMemory, Remembered } from "../consumer-memory.ts";
import { localCursorStore } from "../local-cursor-store.ts";
import { publishedOf } from "./lost-cursor.ts";

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
