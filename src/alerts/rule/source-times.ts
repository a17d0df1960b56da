/** How far a source has come, as it is stored. */
export type SourceTime = [source: string, newest: number, behindMs?: number];

type Source = {
  /** The newest time that it reported, and the one before. */
  newest: number;
  before: number;
  /** How far behind `readUpTo` what it reports may be; undefined until that is known. */
  behindMs: number | undefined;
};

/** When an input came, and when its source reported it, where that is known. */
type Moment = { now: number; slackMs: number; reportedAt: number | undefined };

/** With more sources, it is not known what all of them have reported. */
const MOST_SOURCES = 100;
/** Finality comes in steps: the next event may be so much further behind than the last one. */
const MARGIN = 2;
/** A source that says nothing for longer may not exist any more; and an event that is older may come from a search. */
const DAY_MS = 24 * 60 * 60_000;
/** A time that is older than this is stored again. */
const STORED_MS = 60_000;

/**
 * How far the sources of logs have come, by the times of their blocks. What a source reports comes in order, except
 * within the slack, but perhaps long after its block: a source that waits for finality is a quarter of an hour behind the
 * clock by which a channel is read.
 */
export class SourceTimes {
  readonly #sources = new Map<string, Source>();
  #hasMore = false;
  #readUpTo: number | undefined;

  /** Whether there is any. Without one, nothing but `readUpTo` says which inputs were given. */
  get isKnown(): boolean {
    return this.#sources.size > 0;
  }

  /** How far behind `readUpTo` the sources may be. */
  get behindMs(): number {
    return Math.max(0, ...[...this.#sources.values()].map(({ behindMs = 0 }) => behindMs));
  }

  /** Returns whether the source is new. */
  note(source: string, at: number, moment: Moment): boolean {
    const known = this.#sources.get(source);
    if (known === undefined) {
      this.#hasMore ||= this.#sources.size >= MOST_SOURCES;
      if (this.#sources.size >= MOST_SOURCES) return false;
      this.#sources.set(source, { newest: at, before: 0, behindMs: this.#behind(undefined, at, moment) });
      return true;
    }
    if (at <= known.newest) return false;
    const behindMs = this.#behind(known.behindMs, at, moment);
    this.#sources.set(source, { newest: at, before: known.newest, behindMs });
    return false;
  }

  /**
   * By an event in order. Where it does not say when it was reported, its source is behind what was read before it, and
   * not more behind than its time is behind the present. While a channel catches up, `readUpTo` stands still, and both
   * are far apart. The first event of a source may be the only one for long: it gets no margin.
   */
  #behind(known: number | undefined, at: number, { now, slackMs, reportedAt }: Moment): number | undefined {
    if (reportedAt !== undefined && reportedAt > 0)
      return bounded(MARGIN * (Math.min(reportedAt, now) - slackMs - at));
    const read = Math.max(this.#readUpTo ?? 0, this.#newest - slackMs);
    const least = bounded(read - at);
    if (known === undefined) return this.#readUpTo === undefined && least === 0 ? undefined : least;
    return Math.max(bounded(MARGIN * least), Math.min(known, bounded(MARGIN * (now - slackMs - at))));
  }

  get #newest(): number {
    return Math.max(0, ...[...this.#sources.values()].map(({ newest }) => newest));
  }

  /** What is reported in order is not older than this by more than the slack; infinity where that is not known. */
  get slowest(): number {
    if (!this.isKnown) return Number.POSITIVE_INFINITY;
    const least = Math.min(...[...this.#sources.values()].map(({ newest }) => newest));
    return Math.max(this.#hasMore ? 0 : least, Math.max(this.#readUpTo ?? 0, this.#newest) - this.behindMs);
  }

  /** A channel was read up to this time. Returns the event time up to which all inputs were given. */
  readUpTo(at: number): number {
    this.#readUpTo = at;
    for (const source of this.#sources.values()) source.behindMs ??= bounded(at - source.newest);
    return at - this.behindMs;
  }

  /**
   * Up to when all sources have reported by what they said themselves, without a clock; undefined where that is not known.
   */
  reportedUpTo(slackMs: number): number | undefined {
    if (this.#hasMore || !this.isKnown) return undefined;
    const silentAt = (this.#readUpTo ?? 0) - DAY_MS;
    const times = [...this.#sources.values()].map(({ newest, behindMs = 0 }) =>
      Math.max(newest - slackMs, silentAt - behindMs),
    );
    return Math.min(...times);
  }

  /** Up to when inputs were given, where keys have to be removed to make room for others. */
  givenUpTo(slackMs: number): number | undefined {
    if (!this.isKnown) return undefined;
    const read = this.#readUpTo === undefined ? undefined : this.#readUpTo - this.behindMs;
    const times = [this.reportedUpTo(slackMs), read].filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  /** Up to when a source had reported before what it reports in order at this time; infinity where that is out of order. */
  before(source: string, at: number): number {
    const known = this.#sources.get(source);
    return known === undefined || at < known.newest ? Number.POSITIVE_INFINITY : known.before;
  }

  /** Takes over what an earlier run or another copy stored. */
  restore(stored: readonly SourceTime[] = []): void {
    for (const [source, newest, behindMs] of stored) {
      const known = this.#sources.get(source);
      if (known !== undefined && known.newest >= newest) continue;
      if (known === undefined && this.#sources.size >= MOST_SOURCES) continue;
      this.#sources.set(source, { newest, before: newest, behindMs: behindMs ?? known?.behindMs });
    }
  }

  /** What is to be stored; the same list where nothing important changed. */
  stored(before: SourceTime[] = []): SourceTime[] {
    const known = new Map(before.map((one) => [one[0], one]));
    const isStored = ([source, { newest, behindMs }]: [string, Source]) => {
      const [, storedNewest, storedBehind] = known.get(source) ?? [];
      const isNear = (one = -STORED_MS, other = -STORED_MS) => Math.abs(one - other) < STORED_MS;
      return isNear(storedNewest, newest) && isNear(storedBehind, behindMs);
    };
    const sources = [...this.#sources];
    if (sources.every(isStored)) return before;
    return sources.map(([source, { newest, behindMs }]) =>
      behindMs === undefined ? [source, newest] : [source, newest, behindMs],
    );
  }
}

const bounded = (behindMs: number) => Math.min(DAY_MS, Math.max(0, behindMs));

/** Whether a value from a store is what this version wrote. */
export function areSourceTimes(value: unknown): value is SourceTime[] {
  return Array.isArray(value) && value.every(isSourceTime);
}

function isSourceTime(value: unknown): boolean {
  const [source, newest, behindMs = 0] = Array.isArray(value) ? value : [];
  return typeof source === "string" && Number.isFinite(newest) && Number.isFinite(behindMs);
}
