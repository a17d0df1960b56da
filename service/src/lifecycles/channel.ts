import type { Channel } from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import { conflict, invalid, refuseTakenName } from "../errors.ts";
import type { Store } from "../store/store.ts";

/** @throws ApiError 409 `CHANNEL_ALREADY_EXISTS` when the name is taken. */
export function createChannel({ store }: Context, input: { name: string; description?: string }): Channel {
  refuseTakenName("channel", store.channels.named(input.name));
  return store.transaction(() => noted(store, store.channels.create(input)));
}

/**
 * Renames, describes or archives a channel.
 *
 * @throws ApiError 409 with nothing changed when the name is taken, or when the channel is to be archived and still has
 * watchers that run.
 */
export function updateChannel(
  { store }: Context,
  channel: Channel,
  change: Partial<Pick<Channel, "name" | "description">> & { status?: "archived" },
): Channel {
  const { name, status } = change;
  if (name !== undefined && name !== channel.name) refuseTakenName("channel", store.channels.named(name));
  if (status === "archived" && store.watchers.anyRunning(channel.channel_id)) {
    throw conflict(
      "The channel still has watchers that are pending, active or archiving. Archive them first.",
    );
  }
  const changed = { ...channel, ...change };
  store.transaction(() => {
    store.channels.update(changed);
    if (name !== undefined || status !== undefined) noted(store, changed);
  });
  return changed;
}

/** Channels have no events of their own: the time line shows the channel as it is now. */
function noted(store: Store, channel: Channel): Channel {
  const { channel_id, name, status } = channel;
  store.timeline.add({ kind: "channel", facts: { channel_id, name, status } });
  return channel;
}

/** @throws ApiError 400 with `message` when the channel is archived: it takes nothing new. */
export function refuseArchivedChannel({ status }: Channel, message: string): void {
  if (status === "archived") throw invalid(message);
}
