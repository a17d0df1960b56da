import { WATCHER_LIFECYCLE } from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import { conflict, refuseTakenName } from "../errors.ts";
import { workflowOfWatcher } from "../oracles/workflows.ts";
import { defined } from "../store/rows.ts";
import type { NewWatcher, StoredWatcher } from "../store/watchers.ts";
import { now } from "../time.ts";
import { each } from "./retries.ts";
import { StatusMachine } from "./status-machine.ts";
import { serviceRefusal } from "./watcher-services/index.ts";

const statuses = new StatusMachine({
  eventType: "watcher.status",
  lifecycle: WATCHER_LIFECYCLE,
  get: (store, id) => store.watchers.get(id),
  setStatus: (store, id, to) => store.watchers.setStatus(id, to),
  eventOf: (watcher: StoredWatcher, { reason = "" }) => ({
    channelId: watcher.channel_id,
    payload: {
      watcher_id: watcher.watcher_id,
      status: watcher.status,
      status_reason: reason,
      chain_selector: watcher.chain_selector,
      timestamp: now(),
      ...defined({ service: watcher.service }),
      ...workflowOfWatcher(watcher),
    },
  }),
});

/**
 * Creates a watcher, `pending` until it is provisioned at the next tick.
 *
 * @throws ApiError 409 `WATCHER_ALREADY_EXISTS` when the channel has a watcher of this name.
 */
export function createWatcher(context: Context, input: NewWatcher): StoredWatcher {
  const { store, ticker } = context;
  refuseTakenName("watcher", store.watchers.named(input.channel_id, input.name));
  const created = statuses.create(store, () => store.watchers.create(input));
  ticker.wake();
  return created;
}

/**
 * Renames a watcher, and with `archive` begins to archive it: it is `archived` after the next tick.
 *
 * @throws ApiError 409 with nothing changed when the name is taken, or the watcher cannot be archived now.
 */
export function updateWatcher(
  { store, ticker }: Context,
  watcher: StoredWatcher,
  { name, archive }: { name: string; archive: boolean },
): StoredWatcher {
  const id = watcher.watcher_id;
  if (name !== watcher.name) refuseTakenName("watcher", store.watchers.named(watcher.channel_id, name));
  if (archive && !statuses.canMove(watcher, "archiving")) {
    throw conflict(`The watcher is ${watcher.status} and cannot be archived now.`);
  }
  store.transaction(() => {
    if (name !== watcher.name) store.watchers.rename(id, name);
    if (archive) statuses.move(store, id, "archiving");
  });
  if (archive) ticker.wake();
  return statuses.find(store, id);
}

/**
 * Provisions pending watchers, which report logs after block `newest`, and tears down those that are archived. No block
 * after `newest` may have been read yet, so that no log is missed.
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
      statuses.move(store, watcher_id, refusal === undefined ? "active" : "failed", { reason: refusal });
    });
  };
  await each(store.watchers.withStatus(selector, "pending"), provision, report);
  for (const { watcher_id } of store.watchers.withStatus(selector, "archiving")) {
    const failure = injected.failures.take("archive");
    const to = failure === undefined ? "archived" : "archive_failed";
    statuses.move(store, watcher_id, to, { reason: failure });
  }
}
