import { setNewest } from "../../../nodes/lib/shared/drop-oldest.ts";

/** More than flows have. The oldest is forgotten. */
const MOST = 1_000;

type Answer<T> = { value: T; at: number };

/** What the service has answered to questions that only a person causes. It is in memory only. */
export class Asked {
  /** Whether there is code at an address. By `placeKey`. */
  readonly contracts = new Answers<boolean>();
  /** The addresses of the keys that may sign, in lower case. By the id of the wallet. */
  readonly signers = new Answers<readonly string[]>();
  /** Whether the channel has a watcher of this name or id. By `watcherKey`. */
  readonly watchers = new Answers<boolean>();
  /** Whether a watcher of the channel sends this event; without a name, any contract event. By `watcherKey`. */
  readonly events = new Answers<boolean>();
}

export class Answers<T> {
  readonly #byKey = new Map<string, Answer<T>>();

  get(key: string): Answer<T> | undefined {
    return this.#byKey.get(key);
  }

  set(key: string, value: T): void {
    setNewest(this.#byKey, key, { value, at: Date.now() }, MOST);
  }
}

export function placeKey(service: string, chainSelector: string, address: string): string {
  return `${service} ${chainSelector} ${address.toLowerCase()}`;
}

export function watcherKey(channelId: string, watcher: string): string {
  return `${channelId} ${watcher}`;
}
