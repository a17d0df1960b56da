import { WATCHER_LIFECYCLE, type WatcherStatus } from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import type { Store } from "../store/store.ts";
import type { StoredWatcher } from "../store/watchers.ts";
import { now } from "../time.ts";

export type NewWatcher = Pick<
  StoredWatcher,
  "channel_id" | "name" | "chain_selector" | "address" | "events" | "abi"
>;

/** Creates a watcher, `pending` until it is provisioned at the next beat. */
export function createWatcher(context: Context, input: NewWatcher): StoredWatcher {
  const { store } = context;
  const created = store.transaction(() => {
    const watcherId = store.watchers.create(input);
    return announce(store, watcherId, "");
  });
  context.pulse.poke();
  return created;
}

/** Begins to archive a watcher; it is `archived` after the next beat. The caller has checked that it may. */
export function archiveWatcher(context: Context, watcherId: string): StoredWatcher {
  moveWatcher(context.store, watcherId, "archiving");
  context.pulse.poke();
  return found(context.store, watcherId);
}

/** Whether a watcher can be archived now. */
export function canArchive(watcher: StoredWatcher): boolean {
  return WATCHER_LIFECYCLE[watcher.status].includes("archiving");
}

/**
 * Provisions what is pending: from the block after `lastReadBlock` on, the watcher reports. To be called when
 * all logs up to there have been read, so that none is missed and none is reported from before.
 */
export function provisionWatchers(store: Store, chainSelector: string, lastReadBlock: number): void {
  for (const { watcher_id } of store.watchers.withStatus(chainSelector, "pending")) {
    store.transaction(() => {
      store.watchers.setFromBlock(watcher_id, lastReadBlock + 1);
      moveWatcher(store, watcher_id, "active");
    });
  }
  for (const { watcher_id } of store.watchers.withStatus(chainSelector, "archiving")) {
    moveWatcher(store, watcher_id, "archived");
  }
}

/** The one way a watcher's status changes: with its event, in one transaction. */
function moveWatcher(store: Store, watcherId: string, to: WatcherStatus, reason = ""): void {
  store.transaction(() => {
    const { status } = found(store, watcherId);
    if (!WATCHER_LIFECYCLE[status].includes(to)) return;
    store.watchers.setStatus(watcherId, to);
    announce(store, watcherId, reason);
  });
}

function announce(store: Store, watcherId: string, reason: string): StoredWatcher {
  const watcher = found(store, watcherId);
  store.events.append({
    channelId: watcher.channel_id,
    type: "watcher.status",
    payload: {
      watcher_id: watcherId,
      status: watcher.status,
      status_reason: reason,
      chain_selector: watcher.chain_selector,
      timestamp: now(),
    },
  });
  return watcher;
}

function found(store: Store, watcherId: string): StoredWatcher {
  const watcher = store.watchers.get(watcherId);
  if (watcher === undefined) throw new Error(`There is no watcher ${watcherId}.`);
  return watcher;
}
