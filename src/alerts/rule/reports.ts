import type { StepWarning } from "./arrival.ts";
import type { KeyRecord } from "./records/stored-keys.ts";

export type Report = StepWarning | "clock" | "forgotten" | "forgottenEvents" | "refused" | "unreadable";

const PERIOD_MS = 10 * 60_000;

const SENTENCES: Record<Report, string> = {
  details: `the details of an alert were left out: they are not JSON, or have more than 8,192 characters. Keep less in an alert.`,
  ahead:
    "the time of an event is more than ten minutes ahead of this computer's clock. It counts as ten minutes ahead. Check the clock.",
  clock:
    "this computer's clock was set, or it slept: the clock and the time that has passed differ by more than a minute. Waits for an absence began again. Check the clock if this comes again.",
  forgotten:
    "its store has a million events of keys beyond maxKeys. The keys that were used least recently were forgotten: their alerts may be repeated. Use a key with fewer values.",
  forgottenEvents:
    "it had seen more than a million events that may come again. The oldest ones were forgotten: if they come again, their alerts may be repeated, and they count again. Add a condition, or use a shorter window.",
  refused:
    "an event of a new key was not counted: there are maxKeys keys whose window, quiet time, alert or absence runs. Use a key with fewer values, or allow more keys.",
  unreadable: "the stored record of a key cannot be read, and was dropped. Its window starts again.",
};

/** Passes on what happened, each kind at most once in ten minutes, with how often it happened. */
export class Reports {
  readonly #ruleId: string;
  readonly #now: () => number;
  readonly #onWarning: (message: string) => void;
  readonly #kinds = new Map<Report, { count: number; reportedAt: number }>();

  constructor(ruleId: string, now: () => number, onWarning: (message: string) => void) {
    this.#ruleId = ruleId;
    this.#now = now;
    this.#onWarning = onWarning;
  }

  add(kind: Report, tell = this.#onWarning): void {
    const known = this.#kinds.get(kind) ?? { count: 0, reportedAt: Number.NEGATIVE_INFINITY };
    const count = known.count + 1;
    const now = this.#now();
    if (now - known.reportedAt < PERIOD_MS) {
      this.#kinds.set(kind, { ...known, count });
      return;
    }
    this.#kinds.set(kind, { count: 0, reportedAt: now });
    const times = count > 1 ? `${count} times since the last warning: ` : "";
    tell(`Alert rule ${this.#ruleId}: ${times}${SENTENCES[kind]}`);
  }
}

const MOST_EVENTS = 1_000_000;
/** A key with fewer events costs little, and there are not more of them than `maxKeys`. */
const LARGE = 64;
/** A part of all events. */
const FORGOTTEN_AT_ONCE = 0.1;

/** How many events the keys in memory remember together. Beyond a number of them, the oldest are forgotten. */
export class EventBudget {
  readonly #most: number;
  readonly #report: (kind: Report) => void;
  /** Keys that remember many events, and how many. */
  readonly #large = new Map<string, number>();
  #total = 0;
  #forgotten = 0;

  constructor({ most = MOST_EVENTS, report }: { most?: number | undefined; report: (kind: Report) => void }) {
    this.#most = most;
    this.#report = report;
  }

  /** How many were forgotten although they may come again. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Notes what a key remembers; nothing where it is in memory no more. */
  note({ key, value }: KeyRecord, isHere: boolean): void {
    const size = isHere ? (value?.logs.size ?? 0) : 0;
    this.#total -= this.#large.get(key) ?? 0;
    this.#large.delete(key);
    if (size < LARGE) return;
    this.#large.set(key, size);
    this.#total += size;
  }

  /** Where there are too many, forgets the oldest of the key that remembers most. What they count in a window stays. */
  async keep(records: ReadonlyMap<string, KeyRecord>): Promise<void> {
    if (this.#total <= this.#most) return;
    const [[key = "", size = 0] = []] = [...this.#large].sort(([, one], [, other]) => other - one);
    const record = records.get(key);
    if (record === undefined) return;
    const count = Math.min(size, Math.ceil(this.#most * FORGOTTEN_AT_ONCE));
    await record.change((state) => ({ state: state && { ...state, logs: state.logs.withoutFirst(count) } }));
    this.note(record, true);
    this.#forgotten += count;
    this.#report("forgottenEvents");
  }
}
