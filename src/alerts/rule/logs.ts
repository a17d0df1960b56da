import { Journal } from "../journal/journal.ts";
import type { RaisedAlert } from "../types.ts";
import type { KnownLog, Mark } from "./ids.ts";
import { isMatchId } from "./ids.ts";
import { areManyIn, blockOf, each, FEW, type Index, indexed, indexOf, keys, unindexed } from "./log-index.ts";

/** A log, as one watcher reads it. */
export type Reading = { place: string; at: number; tx: string; says: string };

/** Other readings that are remembered for a log, each as a short hash: 1 kB in all. */
const MOST_READINGS = 64;
/** So many are looked at one by one, without an index. */
const WITHOUT_INDEX = 16;
/**
 * The logs that a key remembers, so that each counts once, in the order in which they came. It never changes: a change
 * returns another one.
 */
export class Logs {
  readonly journal: Journal<Mark>;
  /** The latest time. */
  readonly newestAt: number;
  /** The numbers of marks: by id, by place, and by what other readings say. */
  readonly #index: Index | undefined;
  readonly #next: number;

  private constructor(
    journal: Journal<Mark>,
    index: Index | undefined,
    { newestAt, next }: { newestAt: number; next: number },
  ) {
    this.journal = journal;
    this.#index = index;
    this.newestAt = newestAt;
    this.#next = next;
  }

  static empty(): Logs {
    return Logs.read(Journal.of());
  }

  /** `known`: what differs by some numbers, so that the others need not be looked at. */
  static read(journal: Journal<Mark>, known?: { logs: Logs; changed: Set<string> | undefined }): Logs {
    const { logs, changed } = known ?? {};
    if (logs !== undefined && changed !== undefined) return logs.#changed(journal, changed);
    const index = journal.size > WITHOUT_INDEX ? indexOf(journal) : undefined;
    let [newestAt, next] = [Number.NEGATIVE_INFINITY, 0];
    for (const [no, mark] of journal.items.entries()) {
      newestAt = Math.max(newestAt, mark.at);
      next = Math.max(next, Number(no) + 1);
    }
    return new Logs(journal, index, { newestAt, next });
  }

  get size(): number {
    return this.journal.size;
  }

  /** With one more. `no`: its number. */
  add(mark: Mark): { logs: Logs; no: string } {
    const no = String(this.#next);
    return { logs: this.#with(no, mark, this.#index), no };
  }

  /** With another mark of this number. */
  put(no: string, mark: Mark): Logs {
    const before = this.journal.get(no);
    const index = before && this.#index ? unindexed(this.#index, no, before) : this.#index;
    return this.#with(no, mark, index);
  }

  get(no: string): Mark | undefined {
    return this.journal.get(no);
  }

  /**
   * The mark of an input. A transaction may emit the same several times, each with a mark; but it is in one block at a
   * time, so that what comes from another block is what had a mark before.
   */
  find(id: string | undefined, log: Pick<Reading, "place" | "tx"> | undefined): string | undefined {
    if (id === undefined) return undefined;
    const place = log?.place;
    let [moved, elsewhere]: Array<string | undefined> = [];
    const areMany = areManyIn(blockOf(place), this.#index?.get(keys.id(id)));
    for (const no of this.#numbers(areMany && log ? keys.place(log.tx, log.place) : keys.id(id))) {
      const mark = this.journal.get(no);
      if (mark?.id !== id || mark === undefined) continue;
      if (mark.place === place) return no;
      if (mark.moved === place) moved ??= no;
      else if (blockOf(mark.moved ?? mark.place) !== blockOf(place)) elsewhere ??= no;
    }
    return moved ?? elsewhere;
  }

  /**
   * The mark of the same log with another content: two watchers read it with different ABIs. It is at the same place and
   * time. A block that replaces another one of its number has another time, and may have another log of the transaction
   * there. A reading that was seen before is also known from another block. A mark that matches comes first.
   */
  findOther(reading: Reading): string | undefined {
    const { tx, place, says } = reading;
    let found: string | undefined;
    for (const key of [keys.place(tx, place), keys.says(tx, says)]) {
      for (const no of this.#numbers(key)) {
        const mark = this.journal.get(no);
        if (mark === undefined || mark.tx !== tx || mark.says === says) continue;
        if (!isAt(mark, reading) && !isKnown(mark, reading)) continue;
        if (isOfMatch(mark)) return no;
        found ??= no;
      }
    }
    return found;
  }

  /** The mark of the input that raised an alert. */
  findAlert({ id, log, reminder }: Pick<RaisedAlert, "id" | "log" | "reminder">): string | undefined {
    if (log === undefined) return undefined;
    const key = keys.place(log.transactionHash.slice(-8), `${log.blockNumber} ${log.logIndex}`);
    return [...this.#numbers(key)].find((no) => {
      const alert = this.journal.get(no)?.alert;
      return alert?.id === id && alert?.reminder === reminder;
    });
  }

  /** Without those that are older than this; of many, without some that came after newer ones until these are older too. */
  since(at: number): Logs {
    const old: string[] = [];
    for (const [no, mark] of this.journal.items.entries()) {
      if (mark.at < at) old.push(no);
      else if (this.size > FEW) break;
    }
    return this.#without(old);
  }

  /** Without those that came first. */
  withoutFirst(count: number): Logs {
    const first: string[] = [];
    for (const [no] of this.journal.items.entries()) {
      if (first.length >= count) break;
      first.push(no);
    }
    const rest = this.#without(first);
    // They are not to come back when it is read.
    return rest.of(rest.journal.renewed());
  }

  /** The same logs, as they were stored. */
  of(journal: Journal<Mark>): Logs {
    return new Logs(journal, this.#index, { newestAt: this.newestAt, next: this.#next });
  }

  #changed(journal: Journal<Mark>, changed: Set<string>): Logs {
    let [index, newestAt, next] = [this.#index, this.newestAt, this.#next];
    // First all of this version, then all of the other one: going from one to the other is work.
    const before = [...changed].map((no) => [no, this.journal.get(no)] as const);
    for (const [no, mark] of before) if (mark && index) index = unindexed(index, no, mark);
    for (const no of changed) {
      const mark = journal.get(no);
      if (mark === undefined) continue;
      if (index) index = indexed(index, { no, mark, marks: journal });
      newestAt = Math.max(newestAt, mark.at);
      next = Math.max(next, Number(no) + 1);
    }
    const isMany = journal.size > WITHOUT_INDEX;
    return new Logs(journal, index ?? (isMany ? indexOf(journal) : undefined), { newestAt, next });
  }

  /** Those that may be what is looked for. */
  *#numbers(key: string): Generator<string> {
    if (this.#index !== undefined) yield* each(this.#index.get(key));
    else for (const [no] of this.journal.items.entries()) yield no;
  }

  /** `before`: the index without the mark. */
  #with(no: string, mark: Mark, before: Index | undefined): Logs {
    const newestAt = Math.max(this.newestAt, mark.at);
    const next = Math.max(this.#next, Number(no) + 1);
    const index = before && indexed(before, { no, mark, marks: this.journal });
    const journal = this.journal.put(no, mark);
    const isMany = journal.size > WITHOUT_INDEX;
    return new Logs(journal, index ?? (isMany ? indexOf(journal) : undefined), { newestAt, next });
  }

  #without(old: readonly string[]): Logs {
    if (old.length === 0) return this;
    let [journal, index] = [this.journal, this.#index];
    for (const no of old) {
      const mark = journal.get(no);
      if (mark && index) index = unindexed(index, no, mark);
      journal = journal.expire(no);
    }
    return new Logs(journal, index, { newestAt: this.newestAt, next: this.#next });
  }
}

/** Whether the input of a mark matched. */
export function isOfMatch({ id }: Mark): boolean {
  return id !== undefined && isMatchId(id);
}

/** The mark of a log with another reading of it, which does not count. */
export function withReading(mark: Mark, reading: Reading): Mark {
  const { also = [] } = mark;
  const { says } = reading;
  const known = also.includes(says) ? mark : { ...mark, also: [...also, says].slice(-MOST_READINGS) };
  return movedTo(known, reading);
}

/** The mark with the other place or time of its log. It counts once. */
export function movedTo(mark: Mark, { place, at }: Pick<Reading, "place" | "at">): Mark {
  return isAt(mark, { place, at }) ? mark : { ...mark, moved: place, movedAt: at };
}

/** What a mark has of its input, so that it is known when it comes again. */
export function identified(id: string | undefined, log: KnownLog | undefined): Partial<Mark> {
  return id === undefined ? {} : { ...log, id };
}

function isAt(mark: Mark, { place, at }: Pick<Reading, "place" | "at">): boolean {
  return (mark.place === place && mark.at === at) || (mark.moved === place && mark.movedAt === at);
}

function isKnown({ also, place, moved }: Mark, reading: Reading): boolean {
  if (also === undefined || !also.includes(reading.says)) return false;
  return (
    place === reading.place || moved === reading.place || blockOf(moved ?? place) !== blockOf(reading.place)
  );
}
