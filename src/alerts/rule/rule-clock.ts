import type { Clock } from "../../timing/index.ts";
import { MOST_AHEAD_MS } from "./state.ts";

type Clocks = Pick<Clock, "now" | "elapsed">;

/** Clocks that disagree by more were not merely adjusted. */
const STEP_MS = 60_000;
/** A clock that says this long what no event has shown is believed. */
const BELIEVED_MS = 60 * 60_000;

/**
 * The present of a rule, which goes on evenly when the machine's clock is set ahead: nothing is over before its time. That
 * clock is believed again once it is back, once an event is dated by what it says, or after an hour. What it is set
 * back to is believed at once, except for what events were dated by.
 */
export class RuleClock {
  readonly #clocks: Clocks;
  /** How far the machine's clock is ahead of elapsed time; the same of the clock in use, and the most that this had. */
  #seen = 0;
  #used = 0;
  #most = 0;
  /** At least so far ahead is the truth: no block is dated before it is made. */
  #least = Number.NEGATIVE_INFINITY;
  #heldSince: number | undefined;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
  }

  /** Call it first. The machine's clock is believed. */
  start(): void {
    this.#seen = this.#clocks.now() - this.#clocks.elapsed();
    this.#used = this.#seen;
    this.#most = this.#seen;
  }

  /** In Unix milliseconds. */
  get now(): number {
    return Math.round(this.#clocks.elapsed() + this.#used);
  }

  /** What a time by the machine's clock is by this one. */
  timeOf(at: number): number {
    return Math.round(at + this.#used - this.#seen);
  }

  /** What a time by this clock is by the machine's. */
  wallTimeOf(at: number): number {
    return Math.round(at + this.#seen - this.#used);
  }

  /** By how much the machine's clock is ahead and not believed; 0 where it is believed. */
  get heldMs(): number {
    return this.#heldSince === undefined ? 0 : this.#seen - this.#used;
  }

  /** An earlier run did not believe the machine's clock by so much. It is right again if `newest` was read before. */
  hold(byMs: number, newest: number): void {
    if (newest > this.now - byMs + MOST_AHEAD_MS) return;
    this.#used = this.#seen - byMs;
    this.#most = this.#used;
    this.#heldSince = this.#clocks.elapsed();
  }

  /** The time of a block was read. */
  note(at: number): void {
    const ahead = at - this.#clocks.elapsed();
    if (ahead <= Math.max(this.#seen, this.#most) + STEP_MS) this.#least = Math.max(this.#least, ahead);
  }

  /** Returns whether the clocks have come to disagree: one was set, or stood still while the machine slept. */
  look(): boolean {
    const elapsed = this.#clocks.elapsed();
    const seen = this.#clocks.now() - elapsed;
    const step = seen - this.#seen;
    const isStep = Math.abs(step) > STEP_MS;
    this.#seen = seen;
    if (!isStep) {
      this.#used += step;
      this.#most += step;
    }
    const before = this.#used;
    if (this.#isUnproven(elapsed)) {
      this.#heldSince ??= elapsed;
    } else {
      this.#heldSince = undefined;
      this.#used = Math.max(seen, Math.min(this.#least, this.#most));
      this.#most = Math.max(this.#most, this.#used);
    }
    return isStep || Math.abs(this.#used - before) > STEP_MS;
  }

  #isUnproven(elapsed: number): boolean {
    if (this.#seen <= this.#most + STEP_MS || this.#least > this.#used + STEP_MS) return false;
    return elapsed - (this.#heldSince ?? elapsed) < BELIEVED_MS;
  }
}

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
