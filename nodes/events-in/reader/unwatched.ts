import { setTimeout as sleep } from "node:timers/promises";
import type { ChannelEvent, ChannelReader, CrecClient, Watcher } from "../../../src/index.ts";
import { isSameId, isUuid } from "../../../src/protocol/ids.ts";
import { bareName } from "../../common/shared/text.ts";

import type { Filters } from "./settings.ts";

type Asked = Pick<Filters, "types" | "watchers" | "filter">;

/** Events that the node waits for and no watcher sends: these names, or with none any contract event. */
export type Unwatched = { names: string[] };

/** `maxAgeMs`: what another node on the channel has found out no longer ago than this will do. */
type Find = (signal: AbortSignal, maxAgeMs: number) => Promise<Unwatched | undefined>;

/** A list that is longer than this is not read to its end: the watcher may be in the rest. */
const MOST = 200;
const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** How often it is checked that the watchers are still there. */
const WATCHED_MS = 600_000;
/** After an event that shows a change, the check waits this long: several come together. */
const SOON_MS = 500;
/** Of the calls of an idle node, the checks are a tenth at most while nothing is missing. */
const LEAST_POLLS = 10;

/** Waits for so long, or until the signal fires. Never rejects. */
type Pause = (ms: number, signal: AbortSignal) => Promise<unknown>;

/**
 * What the node waits for although no watcher of the channel sends it. Archived watchers send nothing.
 * @throws what listing the watchers throws: then nothing is known
 */
export async function findUnwatched(
  { types, watchers, filter: { contractEvents = [], addresses = [] } }: Asked,
  source: WatcherSource,
  { signal, maxAgeMs }: { signal: AbortSignal; maxAgeMs: number },
): Promise<Unwatched | undefined> {
  const isOnlyContractEvents = types.length === 1 && types[0] === "watcher.event";
  if (!isOnlyContractEvents && contractEvents.length === 0) return undefined;
  const isAsked = ({ watcher_id, name, address }: Watcher) =>
    (watchers.length === 0 ||
      watchers.some((one) => (isUuid(one) ? isSameId(one, watcher_id) : one === name))) &&
    (addresses.length === 0 || addresses.some((one) => one.toLowerCase() === address.toLowerCase()));
  const isSent = async (event?: string): Promise<boolean> => {
    const listed = { limit: 50, ...(event === undefined ? {} : { event_name: event }) };
    const found = await listWatchers(source, listed, { signal, maxAgeMs, most: MOST + 1 });
    return found.length > MOST || found.some((one) => one.status !== "archived" && isAsked(one));
  };
  if (contractEvents.length === 0) return (await isSent()) ? undefined : { names: [] };
  const names: string[] = [];
  // The service knows events by their name, without parameters.
  for (const event of new Set(contractEvents.map(bareName))) if (!(await isSent(event))) names.push(event);
  return names.length > 0 ? { names } : undefined;
}

/**
 * Checks again and again whether watchers send what the node waits for: often while they do not, and rarely while they
 * do. A check that fails changes nothing.
 */
export class WatcherCheck {
  readonly #find: Find;
  readonly #onChange: () => void;
  readonly #pause: Pause;
  readonly #longestMs: number;
  readonly #watchedMs: number;
  #unwatched: Unwatched | undefined;
  #hasNews = false;
  #wake = new AbortController();

  /** `pollMaxMs` is how often an idle node reads its channel: the checks are not more frequent than that. */
  constructor(
    find: Find,
    onChange: () => void,
    { pollMaxMs = 0, pause = pauseFor }: { pollMaxMs?: number; pause?: Pause } = {},
  ) {
    this.#find = find;
    this.#onChange = onChange;
    this.#pause = pause;
    this.#longestMs = Math.max(LONGEST_MS, pollMaxMs);
    this.#watchedMs = Math.max(WATCHED_MS, LEAST_POLLS * pollMaxMs);
  }

  get unwatched(): Unwatched | undefined {
    return this.#unwatched;
  }

  /** Until the signal fires. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    let [waitMs, soonMs] = [FIRST_MS, SOON_MS];
    while (!signal.aborted) {
      // What others found out before the event says nothing about it.
      const maxAgeMs = this.#hasNews ? SOON_MS / 2 : waitMs / 2;
      this.#hasNews = false;
      this.#wake = new AbortController();
      waitMs = await this.#check(waitMs, maxAgeMs, signal);
      await this.#pause(waitMs, AbortSignal.any([signal, this.#wake.signal]));
      if (this.#hasNews) await this.#pause(Math.min(soonMs, waitMs), signal);
      // A busy channel must not cause a check for each event.
      soonMs = this.#hasNews ? Math.min(2 * soonMs, LONGEST_MS) : SOON_MS;
    }
  }

  /** Called with events that are read: the status of a watcher may have changed. */
  note({ headers: { type } }: ChannelEvent): void {
    this.#hasNews ||=
      type === "watcher.status" || (type === "watcher.event" && this.#unwatched !== undefined);
    if (this.#hasNews) this.#wake.abort();
  }

  /** Returns how long to wait for the next check. */
  async #check(waitedMs: number, maxAgeMs: number, signal: AbortSignal): Promise<number> {
    try {
      const found = await this.#find(signal, maxAgeMs);
      if (signal.aborted) return 0;
      const isNew = String(found?.names) !== String(this.#unwatched?.names);
      this.#unwatched = found;
      if (isNew) this.#onChange();
      if (found === undefined) return this.#watchedMs;
      return isNew ? FIRST_MS : Math.min(this.#longestMs, 2 * waitedMs);
    } catch {
      return this.#longestMs;
    }
  }
}

function pauseFor(ms: number, signal: AbortSignal): Promise<unknown> {
  return sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** The watchers of a channel: all nodes on the channel share the answers. */
type WatcherSource = {
  client: Pick<CrecClient, "watchers">;
  channelId: string;
  once: ChannelReader["once"];
};

type Sharing = {
  signal: AbortSignal;
  /** Also an answer that another node got no longer ago than this. */
  maxAgeMs: number;
  /** So many are listed at most. */
  most: number;
  /** Events that were read before: only nodes that have read these share the answer, so that it is newer than they are. */
  after?: readonly unknown[];
};

type Query = NonNullable<Parameters<CrecClient["watchers"]["list"]>[1]>;

/**
 * The watchers that match.
 * @throws what listing the watchers throws
 */
export function listWatchers(
  { client, channelId, once }: WatcherSource,
  query: Query,
  { signal, maxAgeMs, most, after = [] }: Sharing,
): Promise<readonly Watcher[]> {
  const ask = async (ended: AbortSignal) => {
    const found: Watcher[] = [];
    for await (const watcher of client.watchers.list(channelId, query, { signal: ended })) {
      found.push(watcher);
      if (found.length >= most) break;
    }
    return found;
  };
  return once(`watchers ${JSON.stringify([query, most, after])}`, ask, { signal, maxAgeMs });
}
