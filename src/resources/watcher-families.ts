import { NotFoundError, ValidationError } from "../http/index.ts";
import { isUuid, type Watcher } from "../protocol/index.ts";

export type WatcherFamiliesOptions = {
  get: (channelId: string, watcherId: string) => Promise<Pick<Watcher, "don_family">>;
  /** Milliseconds, from any start. */
  now?: () => number;
};

type Known = { family: Promise<string | undefined>; until: number };

/** So many watchers are remembered, those asked for last. */
const MOST = 1_000;
/** One that is not there may be shown late, or be made again. */
const GONE_MS = 60_000;

/** The oracle families of watchers. Each is asked for once, since a watcher keeps its family. */
export class WatcherFamilies {
  readonly #get: WatcherFamiliesOptions["get"];
  readonly #now: () => number;
  readonly #known = new Map<string, Known>();

  constructor({ get, now = () => performance.now() }: WatcherFamiliesOptions) {
    this.#get = get;
    this.#now = now;
  }

  /** Undefined where there is no such watcher, or it names no family. Throws what reading it throws. */
  of(channelId: string, watcherId: string): Promise<string | undefined> {
    if (!isUuid(watcherId)) return Promise.resolve(undefined);
    const key = `${channelId}/${watcherId}`.toLowerCase();
    const known = this.#known.get(key);
    const current = known && this.#now() < known.until ? known : this.#ask(channelId, watcherId);
    this.#known.delete(key);
    this.#known.set(key, current);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST) break;
      this.#known.delete(oldest);
    }
    return current.family;
  }

  #ask(channelId: string, watcherId: string): Known {
    const known: Known = { family: this.#read(channelId, watcherId), until: Number.POSITIVE_INFINITY };
    known.family.then(
      (family) => {
        if (family === undefined) known.until = this.#now() + GONE_MS;
      },
      // The next event asks again.
      () => {
        known.until = Number.NEGATIVE_INFINITY;
      },
    );
    return known;
  }

  async #read(channelId: string, watcherId: string): Promise<string | undefined> {
    try {
      const { don_family: family } = await this.#get(channelId, watcherId);
      return typeof family === "string" && family !== "" ? family : undefined;
    } catch (error) {
      if (error instanceof NotFoundError || error instanceof ValidationError) return undefined;
      throw error;
    }
  }
}
