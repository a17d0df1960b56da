import type { Report } from "./reports.ts";
import type { KeyRecord } from "./stored-keys.ts";

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
