import type { EventReadings } from "../../../nodes/common/contracts/event-readings.ts";
import { setNewest } from "../../../nodes/common/shared/collections.ts";

/** More than flows have. The oldest is forgotten. */
const MOST = 1_000;
/** Each has many watchers. */
const MOST_CHANNELS = 50;

type Answer<T> = { value: T; at: number };

/** What the service has answered to questions that only a person causes. It is in memory only. */
export class AnswerCache {
  /** Whether there is code at an address. By `placeKey`. */
  readonly contracts = new Answers<boolean>();
  /** The addresses of the keys that may sign, in lower case. By the id of the wallet. */
  readonly signers = new Answers<readonly string[]>();
  /** Whether the channel has a watcher of this name or id. By `watcherKey`. */
  readonly watchers = new Answers<boolean>();
  /** Whether a watcher of the channel sends this event; without a name, any contract event. By `watcherKey`. */
  readonly events = new Answers<boolean>();
  /** The watchers of a channel that flows use, also archived ones. By `channelKey`. */
  readonly channels = new Answers<ChannelWatchers>(MOST_CHANNELS);
  /** How watchers read their events, which never changes. By the id of the watcher. */
  readonly readings = new Answers<EventReadings>();
}

/** A watcher as a list has it. */
export type ListedWatcher = {
  id: string;
  /** Its id where it has none. */
  name: string;
  chainSelector: string;
  address: string;
  /** As its proofs name it; undefined until the service states one. */
  workflowId: string | undefined;
  createdAt: number;
};

/** `isWhole`: there are no others. */
export type ChannelWatchers = { watchers: readonly ListedWatcher[]; isWhole: boolean };

class Answers<T> {
  readonly #byKey = new Map<string, Answer<T>>();
  readonly #most: number;

  constructor(most = MOST) {
    this.#most = most;
  }

  get(key: string): Answer<T> | undefined {
    return this.#byKey.get(key);
  }

  set(key: string, value: T): void {
    setNewest(this.#byKey, key, { value, at: Date.now() }, this.#most);
  }
}

export function placeKey(service: string, chainSelector: string, address: string): string {
  return `${service} ${chainSelector} ${address.toLowerCase()}`;
}

/** `channel` as its node names it: a name or an id. */
export function channelKey(service: string, channel: string): string {
  return `${service} ${channel}`;
}

export function watcherKey(channelId: string, watcher: string): string {
  return `${channelId} ${watcher}`;
}
