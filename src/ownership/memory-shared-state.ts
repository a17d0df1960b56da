import { callable, like, optional, options, reading } from "../options/index.ts";
import type { CursorState } from "../storage/cursor/cursor-state.ts";
import { type Clock, systemClock } from "../timing/index.ts";
import { sharedCalls } from "./shared-calls.ts";
import {
  type Copy,
  type LeaseHolder,
  type Members,
  type OnceMark,
  type OnceResult,
  type Presence,
  type RecordWrite,
  recordText,
  type SharedRecord,
  type SharedState,
  type TakenLease,
} from "./shared-state.ts";

export type MemorySharedStateOptions = {
  /**
   * Decides when a lease is over. Tests give a clock that they move themselves.
   * @default that of the machine
   */
  clock?: Pick<Clock, "elapsed"> | undefined;
};

const stateOptions = options<MemorySharedStateOptions>({
  clock: optional(like<Pick<Clock, "elapsed">>({ elapsed: callable() })),
});

/** `holder` is undefined while the lease is free; the epoch and the state stay. */
type Lease = {
  epoch: number;
  state: string | undefined;
  holder: { copy: Copy; renewedAt: number; endsAt: number } | undefined;
};

type Seen = { delivery: string; digest: string | undefined; endsAt: number };

type Member = { copy: Copy; group: string; endsAt: number };

/** How many marks, or records, each call looks at to forget those that are over. */
const FORGOTTEN_AT_ONCE = 10;

/**
 * Keeps what copies share in memory: for tests, and for several consumers in one process.
 * @example
 * const shared = new MemorySharedState();
 * const lease = await shared.take("alerts", { id: "1", name: "first" }, 30_000);
 * lease?.epoch; // → 1
 * await shared.take("alerts", { id: "2", name: "second" }, 30_000); // → undefined
 */
export class MemorySharedState implements SharedState {
  readonly label = "memory";
  readonly #clock: Pick<Clock, "elapsed">;
  readonly #leases = new Map<string, Lease>();
  /** By scope and key; the one that was seen longest ago comes first. */
  readonly #seen = new Map<string, Seen>();
  readonly #members = new Map<string, Member>();
  readonly #records = new MemoryRecords();

  constructor(options?: MemorySharedStateOptions) {
    this.#clock = stateOptions(options).clock ?? systemClock;
  }

  async take(key: string, copy: Copy, leaseMs: number): Promise<TakenLease | undefined> {
    sharedCalls.take(key, copy, leaseMs);
    const now = this.#clock.elapsed();
    const before = this.#leases.get(key);
    const { epoch, state, holder } = before ?? { epoch: 0, state: undefined, holder: undefined };
    if (holder !== undefined && holder.endsAt > now && holder.copy.id !== copy.id) return undefined;
    this.#leases.set(key, {
      epoch: epoch + 1,
      state,
      holder: { copy, renewedAt: now, endsAt: now + leaseMs },
    });
    return {
      ...{ epoch: epoch + 1, replaced: before?.epoch },
      state: state === undefined ? undefined : (JSON.parse(state) as CursorState),
    };
  }

  async save(key: string, epoch: number, state: CursorState, leaseMs: number): Promise<boolean> {
    sharedCalls.save(key, epoch, state, leaseMs);
    const lease = this.#heldWith(key, epoch);
    if (lease === undefined) return false;
    lease.state = reading("state", () => JSON.stringify(state));
    this.#renew(lease, leaseMs);
    return true;
  }

  async release(key: string, epoch: number, state?: CursorState): Promise<boolean> {
    sharedCalls.release(key, epoch, state);
    const lease = this.#heldWith(key, epoch);
    if (lease === undefined) return false;
    if (state !== undefined) lease.state = reading("state", () => JSON.stringify(state));
    lease.holder = undefined;
    return true;
  }

  async once(mark: OnceMark): Promise<OnceResult> {
    sharedCalls.once(mark);
    const { scope, key, ttlMs, delivery, digest, fence } = mark;
    if (fence !== undefined && this.#heldWith(fence.key, fence.epoch) === undefined) return "moved";
    const now = this.#clock.elapsed();
    forget(this.#seen, now);
    const name = JSON.stringify([scope, key]);
    const found = this.#seen.get(name);
    const known = found !== undefined && found.endsAt > now ? found : undefined;
    const { id = "", redelivered = false } = delivery ?? {};
    this.#seen.delete(name);
    this.#seen.set(name, { ...(known ?? { delivery: id, digest }), endsAt: now + ttlMs });
    if (known === undefined) return "new";
    if (known.digest !== undefined && digest !== undefined && known.digest !== digest) return "contradicts";
    return redelivered && known.delivery !== "" && known.delivery === id ? "new" : "seen";
  }

  async readRecord(scope: string, key: string): Promise<SharedRecord | undefined> {
    sharedCalls.record(scope, key);
    return this.#records.read(scope, key, this.#clock.elapsed());
  }

  async writeRecord(write: RecordWrite): Promise<number | undefined> {
    sharedCalls.write(write);
    return this.#records.write(write, this.#clock.elapsed());
  }

  async recordKeys(scope: string, limit: number): Promise<string[]> {
    sharedCalls.keys(scope, limit);
    return this.#records.keys(scope, limit, this.#clock.elapsed());
  }

  async members(presence: Presence): Promise<Members> {
    sharedCalls.members(presence);
    const { copy, group, leaseMs, held, wanted } = presence;
    const now = this.#clock.elapsed();
    this.#members.set(copy.id, { copy, group, endsAt: now + leaseMs });
    const lost: string[] = [];
    for (const { key, epoch } of held) {
      const lease = this.#heldWith(key, epoch);
      if (lease === undefined) lost.push(key);
      else this.#renew(lease, leaseMs);
    }
    for (const [id, member] of this.#members) if (member.endsAt <= now) this.#members.delete(id);
    const copies = [...this.#members.values()]
      .filter((member) => member.group === group)
      .map((member) => member.copy)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    return { copies, lost, holders: new Map(wanted.flatMap((key) => this.#holderOf(key, now))) };
  }

  async leave(copy: Copy): Promise<void> {
    sharedCalls.leave(copy);
    this.#members.delete(copy.id);
  }

  /** Other consumers of the process may still use it: nothing is closed. */
  async close(): Promise<void> {}

  /** The lease, if it was not taken or released since it had this epoch. It may be over. */
  #heldWith(key: string, epoch: number): Lease | undefined {
    const lease = this.#leases.get(key);
    return lease?.holder !== undefined && lease.epoch === epoch ? lease : undefined;
  }

  #renew({ holder }: Lease, leaseMs: number): void {
    if (holder === undefined) return;
    holder.renewedAt = this.#clock.elapsed();
    holder.endsAt = holder.renewedAt + leaseMs;
  }

  #holderOf(key: string, now: number): Array<[string, LeaseHolder]> {
    const { epoch = 0, holder } = this.#leases.get(key) ?? {};
    if (holder === undefined || holder.endsAt <= now) return [];
    return [[key, { copy: holder.copy, epoch, renewedMsAgo: now - holder.renewedAt }]];
  }
}

type Entry = { revision: number; text: string; endsAt: number };

/** The records of a shared state in memory. Times are milliseconds of the clock that is given with each call. */
class MemoryRecords {
  /** By scope and key; the one that was written longest ago comes first. */
  readonly #scopes = new Map<string, Map<string, Entry>>();
  #revision = 0;

  read(scope: string, key: string, now: number): SharedRecord | undefined {
    const found = this.#scopes.get(scope)?.get(key);
    if (found === undefined || found.endsAt <= now) return undefined;
    return { revision: found.revision, value: JSON.parse(found.text) };
  }

  write(write: RecordWrite, now: number): number | undefined {
    const { scope, key, revision, ttlMs } = write;
    const text = recordText(write);
    if ((this.read(scope, key, now)?.revision ?? 0) !== revision) return undefined;
    const records = this.#scopes.get(scope) ?? new Map<string, Entry>();
    this.#scopes.set(scope, records);
    records.delete(key);
    forget(records, now);
    if (text === undefined) return 0;
    // One number for all of them: so it also rises for a record that was removed.
    this.#revision += 1;
    records.set(key, { revision: this.#revision, text, endsAt: now + ttlMs });
    return this.#revision;
  }

  keys(scope: string, limit: number, now: number): string[] {
    const alive = [...(this.#scopes.get(scope) ?? [])].filter(([, { endsAt }]) => endsAt > now);
    return alive.map(([key]) => key).slice(0, limit);
  }
}

/** What was written longest ago comes first. */
function forget(entries: Map<string, { endsAt: number }>, now: number): void {
  let looked = 0;
  for (const [key, { endsAt }] of entries) {
    if (endsAt <= now) entries.delete(key);
    looked += 1;
    if (looked === FORGOTTEN_AT_ONCE) return;
  }
}
