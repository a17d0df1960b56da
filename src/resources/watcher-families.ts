import { NotFoundError, ValidationError } from "../http/index.ts";
import { canonicalId, isUuid, type Watcher } from "../protocol/index.ts";
import { SHOWN_WITHIN_MS } from "./requests/just-created.ts";

type WatcherFamiliesOptions = {
  get: (channelId: string, watcherId: string) => Promise<Pick<Watcher, "don_family">>;
  /** A steady clock, in milliseconds. */
  now?: () => number;
};

/** `since` is when the watcher was first looked up. */
type Known = { family: Promise<string | undefined>; since: number; until: number };

/** How many watchers are remembered: the ones looked up last. */
const MAX_WATCHERS = 1_000;
/** A missing watcher may be shown late, so it is looked up again after this time. */
const RECHECK_MS = 60_000;

/** The oracle families of watchers. Each is looked up once, since a watcher keeps its family. */
export class WatcherFamilies {
  readonly #get: WatcherFamiliesOptions["get"];
  readonly #now: () => number;
  readonly #known = new Map<string, Known>();

  constructor({ get, now = () => performance.now() }: WatcherFamiliesOptions) {
    this.#get = get;
    this.#now = now;
  }

  /**
   * Undefined when the watcher does not exist or has no family. Another client may have just created it, so "not found"
   * counts only from 30 s after the first lookup.
   * @throws {NotFoundError} `WATCHER_NOT_FOUND` until then: try again; what else reading the watcher throws.
   */
  of(channelId: string, watcherId: string): Promise<string | undefined> {
    if (!isUuid(watcherId)) return Promise.resolve(undefined);
    const key = `${canonicalId(channelId)}/${canonicalId(watcherId)}`;
    const known = this.#known.get(key);
    const current =
      known && this.#now() < known.until ? known : this.#ask(channelId, watcherId, known?.since);
    this.#known.delete(key);
    this.#known.set(key, current);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_WATCHERS) break;
      this.#known.delete(oldest);
    }
    return current.family;
  }

  #ask(channelId: string, watcherId: string, since = this.#now()): Known {
    const family = this.#read(channelId, watcherId, since);
    const known: Known = { family, since, until: Number.POSITIVE_INFINITY };
    family.then(
      (name) => {
        if (name === undefined) known.until = this.#now() + RECHECK_MS;
      },
      // The next event looks it up again.
      () => {
        known.until = Number.NEGATIVE_INFINITY;
      },
    );
    return known;
  }

  async #read(channelId: string, watcherId: string, since: number): Promise<string | undefined> {
    try {
      const { don_family: family } = await this.#get(channelId, watcherId);
      return typeof family === "string" && family !== "" ? family : undefined;
    } catch (error) {
      if (error instanceof NotFoundError && this.#now() - since < SHOWN_WITHIN_MS)
        throw notShown(watcherId, error);
      if (error instanceof NotFoundError || error instanceof ValidationError) return undefined;
      throw error;
    }
  }
}

function notShown(watcherId: string, cause: NotFoundError): NotFoundError {
  const message = `The service does not show the watcher of this event yet, so its oracle family is not known. Try again: from 30 s after the first lookup the watcher counts as missing. Watcher ${watcherId}.`;
  return new NotFoundError("WATCHER_NOT_FOUND", message, { status: cause.status, cause, retryable: true });
}
