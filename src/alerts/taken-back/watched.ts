import { Journal, PersistentMap, type StoredJournal } from "../journal/journal.ts";
import type { LogPlace } from "../types.ts";
import { type WatchedAlert, watchIdOf } from "./watched-alert.ts";

/** Ids of alerts, by what they have in common. */
type Index = PersistentMap<PersistentMap<true>>;
/** The earliest times at which one was raised, and undone; or earlier ones. */
type Earliest = { raisedAt: number; undoneAt: number };

/** So many are looked at one by one. */
const FEW = 64;
/** In place of a block: the log of an alert has moved. */
const SEVERAL = "*";

const NOTHING: Earliest = { raisedAt: Number.POSITIVE_INFINITY, undoneAt: Number.POSITIVE_INFINITY };

/** The alerts that are watched, so that few of them are looked at for each log. It never changes: a change returns another one. */
export class WatchedAlerts {
  readonly journal: Journal<WatchedAlert>;
  readonly #index: Index;
  readonly #groups: Index;
  readonly #next: number;
  #earliest: Earliest;

  private constructor(
    journal: Journal<WatchedAlert>,
    { index, groups, next, earliest }: { index: Index; groups: Index; next: number; earliest: Earliest },
  ) {
    this.journal = journal;
    this.#index = index;
    this.#groups = groups;
    this.#next = next;
    this.#earliest = earliest;
  }

  /** `known`: what differs by some ids, so that the others need not be looked at. */
  static read(
    journal: Journal<WatchedAlert>,
    known?: { watched: WatchedAlerts; changed: Set<string> | undefined },
  ): WatchedAlerts {
    const { watched, changed } = known ?? {};
    if (watched !== undefined && changed !== undefined) return watched.#changed(journal, changed);
    let index: Index = PersistentMap.of();
    let groups: Index = PersistentMap.of();
    let [next, earliest] = [0, NOTHING];
    for (const one of journal.items.values()) {
      index = added(index, keysOf(one), one);
      groups = added(groups, [groupOf(one)], one);
      next = Math.max(next, one.no + 1);
      earliest = earlier(earliest, one);
    }
    return new WatchedAlerts(journal, { index, groups, next, earliest });
  }

  /** A new list, such as of an earlier version. */
  static of(all: ReadonlyArray<Omit<WatchedAlert, "no">> = []): WatchedAlerts {
    return WatchedAlerts.read(Journal.of(all.map((one, no) => [watchIdOf(one.alert), { ...one, no }])));
  }

  get size(): number {
    return this.journal.size;
  }

  has(id: string): boolean {
    return this.journal.get(id) !== undefined;
  }

  /** All of them, in the order in which they were added. */
  all(): WatchedAlert[] {
    return inOrder(this.journal.items.values());
  }

  add(alert: Omit<WatchedAlert, "no">): WatchedAlerts {
    return this.put({ ...alert, no: this.#next });
  }

  put(one: WatchedAlert): WatchedAlerts {
    const id = watchIdOf(one.alert);
    const before = this.journal.get(id);
    const [index, groups] = before === undefined ? [this.#index, this.#groups] : this.#without(before);
    return new WatchedAlerts(this.journal.put(id, one), {
      index: added(index, keysOf(one), one),
      groups: added(groups, [groupOf(one)], one),
      next: Math.max(this.#next, one.no + 1),
      earliest: earlier(this.#earliest, one),
    });
  }

  remove(one: WatchedAlert): WatchedAlerts {
    const before = this.journal.get(watchIdOf(one.alert));
    if (before === undefined) return this;
    const [index, groups] = this.#without(before);
    const journal = this.journal.remove(watchIdOf(one.alert));
    return new WatchedAlerts(journal, { index, groups, next: this.#next, earliest: this.#earliest });
  }

  /** One of each group: what a log of another transaction shows is the same for all of a group. */
  groups(): Array<{ one: WatchedAlert; all: () => WatchedAlert[] }> {
    return [...this.#groups.values()].flatMap((ids) => {
      const [first] = ids.entries().next().value ?? [];
      const one = first === undefined ? undefined : this.journal.get(first);
      return one === undefined ? [] : [{ one, all: () => this.#these(ids) }];
    });
  }

  /** Those whose logs are at this index of this block, perhaps by another transaction. */
  atPlace(log: LogPlace): WatchedAlert[] {
    return this.#these(this.#index.get(placeKey(log)));
  }

  /** Those whose logs are of this transaction, and not in this block. */
  ofTransaction(
    log: Pick<LogPlace, "chainSelector" | "transactionHash">,
    butIn: string | undefined,
  ): WatchedAlert[] {
    const key = transactionKey(log);
    const blocks = [...(this.#index.get(key)?.entries() ?? [])].map(([block]) => block);
    return blocks.flatMap((block) =>
      block === butIn ? [] : this.#these(this.#index.get(`${key} ${block}`)),
    );
  }

  /** Those that say the same in this transaction, and were reported at this place. */
  reportedAt(log: LogPlace): WatchedAlert[] {
    return this.#these(this.#index.get(`${sameKey(log)} ${log.blockNumber} ${log.logIndex}`));
  }

  /** Those that say the same in this transaction, but for those that are in this block since they were raised. */
  fromElsewhere(log: LogPlace): WatchedAlert[] {
    const key = sameKey(log);
    const homes = [...(this.#index.get(key)?.entries() ?? [])].map(([home]) => home);
    return inOrder(
      homes.flatMap((home) =>
        home === log.blockNumber ? [] : this.#these(this.#index.get(`${key} in ${home}`)),
      ),
    );
  }

  /** Those that say the same in this transaction, and are in this block since they were raised. */
  hasInBlock(log: LogPlace): boolean {
    return this.#index.has(`${sameKey(log)} in ${log.blockNumber}`);
  }

  inBlock(log: LogPlace): WatchedAlert[] {
    return this.#these(this.#index.get(`${sameKey(log)} in ${log.blockNumber}`));
  }

  /** When one was raised or undone first. What is long ago may not be there any more. */
  get earliest(): Earliest {
    if (this.size <= FEW) this.look();
    return this.#earliest;
  }

  /** Finds out when that was by looking at all of them. */
  look(): void {
    let earliest = NOTHING;
    for (const one of this.journal.items.values()) earliest = earlier(earliest, one);
    this.#earliest = earliest;
  }

  /** The same alerts, as they were stored. */
  of(journal: Journal<WatchedAlert>): WatchedAlerts {
    const [index, groups, next, earliest] = [this.#index, this.#groups, this.#next, this.#earliest];
    return new WatchedAlerts(journal, { index, groups, next, earliest });
  }

  toJSON(): StoredJournal<WatchedAlert> {
    return this.journal.toJSON();
  }

  #changed(journal: Journal<WatchedAlert>, changed: Set<string>): WatchedAlerts {
    let [index, groups, next, earliest] = [this.#index, this.#groups, this.#next, this.#earliest];
    // First all of this version, then all of the other one: going from one to the other is work.
    for (const one of [...changed].flatMap((id) => this.journal.get(id) ?? [])) {
      index = removed(index, keysOf(one), one);
      groups = removed(groups, [groupOf(one)], one);
    }
    for (const one of [...changed].flatMap((id) => journal.get(id) ?? [])) {
      index = added(index, keysOf(one), one);
      groups = added(groups, [groupOf(one)], one);
      next = Math.max(next, one.no + 1);
      earliest = earlier(earliest, one);
    }
    return new WatchedAlerts(journal, { index, groups, next, earliest });
  }

  #these(ids: PersistentMap<true> | undefined): WatchedAlert[] {
    const found = [...(ids?.entries() ?? [])].flatMap(([id]) => this.journal.get(id) ?? []);
    return inOrder(found);
  }

  #without(one: WatchedAlert): readonly [Index, Index] {
    return [removed(this.#index, keysOf(one), one), removed(this.#groups, [groupOf(one)], one)];
  }
}

/** The alerts after some of them were judged. */
export function withChanged(
  watched: WatchedAlerts,
  changed: ReadonlyArray<{ one: WatchedAlert; judged: { watched: WatchedAlert | undefined } }>,
): WatchedAlerts {
  let next = watched;
  for (const { one, judged } of changed) {
    next = judged.watched === undefined ? next.remove(one) : next.put(judged.watched);
  }
  return next;
}

/** Whether a value from a store is an alert that is watched. */
export function isWatchedAlert(value: unknown): value is WatchedAlert {
  const { no, alert, log } = (value ?? {}) as Partial<WatchedAlert>;
  return Number.isFinite(no) && typeof alert?.id === "string" && typeof log?.blockNumber === "string";
}

function inOrder(all: Iterable<WatchedAlert>): WatchedAlert[] {
  return [...all].sort((one, other) => one.no - other.no);
}

function earlier({ raisedAt, undoneAt }: Earliest, one: WatchedAlert): Earliest {
  return {
    raisedAt: Math.min(raisedAt, one.undone === undefined ? one.raisedAt : Number.POSITIVE_INFINITY),
    undoneAt: Math.min(undoneAt, one.undone?.at ?? Number.POSITIVE_INFINITY),
  };
}

/** What decides about an alert, where a log of another transaction is reported. */
function groupOf({ log, passed, undone }: WatchedAlert): Key {
  const { chainSelector, blockNumber, confidence, source } = log;
  return { key: JSON.stringify([chainSelector, blockNumber, confidence, source, passed, undone]) };
}

/** A key of the index; `group`: what lists such keys, and this one in it. */
type Key = { key: string; group?: readonly [key: string, name: string] };

function keysOf({ alert, log, others = [] }: WatchedAlert): Key[] {
  const { blockNumber } = log;
  const [same, transaction] = [sameKey(log), transactionKey(log)];
  const home = alert.log?.blockNumber === blockNumber ? blockNumber : SEVERAL;
  return [
    { key: placeKey(log) },
    { key: `${transaction} ${blockNumber}`, group: [transaction, blockNumber] },
    ...[...others, [blockNumber, log.logIndex] as const].map(([block, index]) => ({
      key: `${same} ${block} ${index}`,
    })),
    { key: `${same} in ${home}`, group: [same, home] },
  ];
}

function transactionKey({
  chainSelector,
  transactionHash,
}: Pick<LogPlace, "chainSelector" | "transactionHash">) {
  return `t ${chainSelector} ${transactionHash}`;
}

function placeKey(log: LogPlace): string {
  return `p ${log.chainSelector} ${log.blockNumber} ${log.logIndex}`;
}

function sameKey(log: LogPlace): string {
  return `s ${log.contract} ${log.content} ${transactionKey(log)}`;
}

function added(index: Index, keys: readonly Key[], { alert }: WatchedAlert): Index {
  let next = index;
  for (const { key, group } of keys) {
    next = withName(next, key, watchIdOf(alert));
    if (group !== undefined) next = withName(next, ...group);
  }
  return next;
}

function removed(index: Index, keys: readonly Key[], { alert }: WatchedAlert): Index {
  let next = index;
  for (const { key, group } of keys) {
    next = withoutName(next, key, watchIdOf(alert));
    if (group !== undefined && !next.has(key)) next = withoutName(next, ...group);
  }
  return next;
}

function withName(index: Index, key: string, name: string): Index {
  const names = index.get(key) ?? PersistentMap.of<true>();
  return names.has(name) ? index : index.with(key, names.with(name, true));
}

function withoutName(index: Index, key: string, name: string): Index {
  const names = index.get(key);
  if (names === undefined || !names.has(name)) return index;
  return names.size === 1 ? index.without(key) : index.with(key, names.without(name));
}
