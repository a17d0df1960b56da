import { WATCHER_LIFECYCLE, type WatcherStatus } from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import { workflowOfWatcher } from "../oracles/workflows.ts";
import type { Store } from "../store/store.ts";
import type { NewWatcher, StoredWatcher } from "../store/watchers.ts";
import { now } from "../time.ts";
import { each } from "./each.ts";
import { serviceRefusal } from "./watcher-services/index.ts";

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
 * Provisions what is pending, which is reported from the block after `newest` on, and tears down what is archived. No
 * block after `newest` may have been read yet, so that nothing is missed.
 */
export async function provisionWatchers(context: Context, newest: number): Promise<void> {
  const { store, chain, injected, log } = context;
  const selector = chain.network.chain_selector;
  const report = { log, with: ({ watcher_id }: StoredWatcher) => `watcher ${watcher_id}` };
  const provision = async (watcher: StoredWatcher) => {
    const { watcher_id } = watcher;
    const refusal = (await serviceRefusal(chain, watcher)) ?? injected.failures.take("watcher");
    store.transaction(() => {
      if (refusal === undefined) store.watchers.setFromBlock(watcher_id, newest + 1);
      moveWatcher(store, watcher_id, refusal === undefined ? "active" : "failed", refusal);
    });
  };
  await each(store.watchers.withStatus(selector, "pending"), provision, report);
  for (const { watcher_id } of store.watchers.withStatus(selector, "archiving")) {
    const failure = injected.failures.take("archive");
    moveWatcher(store, watcher_id, failure === undefined ? "archived" : "archive_failed", failure);
  }
}

/** Ends a watcher that cannot go on. */
export function failWatcher(store: Store, watcherId: string, reason: string): void {
  moveWatcher(store, watcherId, "failed", reason);
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
      ...(watcher.service === undefined ? {} : { service: watcher.service }),
      ...workflowOfWatcher(watcher),
    },
  });
  return watcher;
}

function found(store: Store, watcherId: string): StoredWatcher {
  const watcher = store.watchers.get(watcherId);
  if (watcher === undefined) throw new Error(`There is no watcher ${watcherId}.`);
  return watcher;
}
