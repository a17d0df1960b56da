import { setTimeout as sleep } from "node:timers/promises";
import type { Node, NodeAPI } from "node-red";
import type { CursorState, CursorStore, Lease } from "../../../src/index.ts";
import type { Fleet } from "../../lib/runtime/join-fleet.ts";
import { loadLibrary } from "../../lib/runtime/library.ts";
import { ownStore } from "../own-store.ts";
import { cursorLocation } from "../settings.ts";

const RETRY_MS = 500;

/** The cursor of a consumer that several copies share, for the time of one lease. */
export type SharedCursor = {
  lease: Lease;
  store: CursorStore;
  /** Where it is kept, for people. */
  place: string;
};

export type Leased = { lease: Lease; fleet: Pick<Fleet, "shared"> };

/**
 * The shared cursor of a lease. Where there is none yet, the one that this Node-RED had stored alone becomes it: the
 * change must not pass events over.
 * @throws what the former store throws, since a cursor may be lost in it; and CONSUMER_MOVED
 */
export async function sharedCursorOf(
  RED: NodeAPI,
  node: Node,
  { lease, fleet, name, contextStore }: Leased & { name: string; contextStore: string | undefined },
): Promise<SharedCursor> {
  const { shared } = fleet;
  const library = await loadLibrary();
  const store = new library.SharedCursorStore({ shared, lease });
  const isNew = lease.state === undefined && lease.damaged === undefined;
  const former = isNew ? await ownStore(RED, node, library, { name, contextStore }).load() : undefined;
  if (former !== undefined) {
    await saved(store, former, lease);
    const place = cursorLocation(RED, contextStore, name);
    node.log(RED._("events-in.log.cursor-shared", { consumer: name, place, label: shared.label }));
  }
  return { lease, store, place: shared.label };
}

/** A save that failed may work again once the engine can be reached, as long as the lease lasts. */
async function saved(store: CursorStore, state: CursorState, lease: Lease): Promise<void> {
  for (;;) {
    await lease.confirm();
    try {
      return await store.save(state, "now");
    } catch (error) {
      if (lease.over.aborted || (error as { retryable?: unknown }).retryable !== true) throw error;
      await sleep(RETRY_MS, undefined, { signal: lease.over, ref: false });
    }
  }
}
