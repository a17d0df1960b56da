import type { EventPage, EventType } from "../../src/protocol/index.ts";
import { bytesOf, type StoredPage } from "../src/store/events/pages.ts";
import { Store } from "../src/store/store.ts";
import { Yielder } from "../src/store/yielder.ts";
import { temporaryFolder } from "./support.ts";

/** An event of a store, as the test knows it. */
export type Known = { offset: number; type: string; created: number; values: Record<string, string> };

/** Values that are stored beside the payload. */
const FOUND = ["address", "service", "event_name"];

/** A store with these events. `stores` opens it with slices of so many milliseconds. */
export async function withStore(
  known: readonly Known[],
  use: (stores: (sliceMs: number) => Store, channelId: string) => Promise<void>,
): Promise<void> {
  const folder = temporaryFolder();
  const realNow = Date.now;
  let store = new Store(folder.path);
  let slice: number | undefined;
  try {
    const { channel_id: channelId } = store.channels.create({ name: "searched" });
    const { channel_id: otherId } = store.channels.create({ name: "another" });
    store.transaction(() => {
      for (const { type, created, values } of known) {
        Date.now = () => created * 1000;
        const entries = Object.entries(values);
        const event = {
          type: type as EventType,
          payload: Object.fromEntries(entries.filter(([kind]) => !FOUND.includes(kind))),
          found: Object.fromEntries(entries.filter(([kind]) => FOUND.includes(kind))),
        };
        store.events.append({ ...event, channelId });
        store.events.append({ ...event, channelId: otherId });
      }
    });
    Date.now = realNow;
    await use((sliceMs) => {
      if (slice === sliceMs) return store;
      store.close();
      store = new Store(folder.path, { yielder: new Yielder(sliceMs) });
      slice = sliceMs;
      return store;
    }, channelId);
  } finally {
    Date.now = realNow;
    store.close();
    folder.dispose();
  }
}

export async function shown(page: StoredPage): Promise<{ offsets: number[]; has_more: boolean }> {
  const { events, has_more } = JSON.parse((await bytesOf(page)).toString()) as EventPage;
  return { offsets: events.map(({ headers }) => headers.offset), has_more };
}

export function withoutUndefined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
