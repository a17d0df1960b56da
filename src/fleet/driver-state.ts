import { reading } from "../options/index.ts";
import {
  type Copy,
  type Members,
  type OnceMark,
  type OnceResult,
  type Presence,
  type RecordWrite,
  recordText,
  type SharedRecord,
  type SharedState,
  sharedCalls,
  type TakenLease,
} from "../ownership/index.ts";
import { type CursorState, isCursorState } from "../storage/index.ts";
import type { Driver } from "./driver.ts";
import { shortName, storableLabel } from "./driver.ts";
import { DriverCalls } from "./driver-calls.ts";
import { damagedRecord, SharedCursorDamagedError } from "./errors.ts";

/** How many saves this process has sent. What was sent over a connection that was given up may still arrive, later. */
let saves = 0;

/** Shared state in an engine. What all drivers have in common: names, states as text, and errors. */
export class DriverState implements SharedState {
  readonly label: string;
  readonly #driver: Driver;
  readonly #calls: DriverCalls;

  constructor(driver: Driver, timeoutMs: number) {
    this.#driver = driver;
    this.label = driver.label;
    this.#calls = new DriverCalls(driver, timeoutMs);
  }

  get isEvictionUnknown(): boolean {
    return this.#driver.isEvictionUnknown ?? false;
  }

  /** @throws {SharedCursorDamagedError} with the lease taken */
  async take(key: string, copy: Copy, leaseMs: number): Promise<TakenLease | undefined> {
    sharedCalls.take(key, copy, leaseMs);
    const taken = await this.#calls.call((client) =>
      client.take(shortName(key), stored(copy), whole(leaseMs)),
    );
    if (taken === undefined) return undefined;
    const { epoch, replaced, state } = taken;
    if (state === undefined) return { epoch, replaced, state };
    const parsed = parse(state);
    if (parsed === undefined) throw new SharedCursorDamagedError(this.label, key, epoch);
    return { epoch, replaced, state: parsed };
  }

  async save(key: string, epoch: number, state: CursorState, leaseMs: number): Promise<boolean> {
    sharedCalls.save(key, epoch, state, leaseMs);
    const text = reading("state", () => JSON.stringify(state));
    saves += 1;
    const times = { leaseMs: whole(leaseMs), revision: saves };
    return this.#calls.call((client) => client.save(shortName(key), epoch, text, times));
  }

  async release(key: string, epoch: number, state?: CursorState): Promise<boolean> {
    sharedCalls.release(key, epoch, state);
    const text = state === undefined ? undefined : reading("state", () => JSON.stringify(state));
    return this.#calls.call((client) => client.release(shortName(key), epoch, text));
  }

  async once(mark: OnceMark): Promise<OnceResult> {
    sharedCalls.once(mark);
    const { scope, key, ttlMs, delivery, digest, fence } = mark;
    const stored = {
      scope: shortName(scope),
      key: shortName(key),
      ttlMs: whole(ttlMs),
      delivery: shortName(delivery?.id ?? ""),
      redelivered: delivery?.redelivered ?? false,
      digest: shortName(digest ?? ""),
      fence: fence && { key: shortName(fence.key), epoch: fence.epoch },
    };
    return this.#calls.call((client) => client.once(stored));
  }

  /** @throws {CrecError} `SHARED_RECORD_DAMAGED` */
  async readRecord(scope: string, key: string): Promise<SharedRecord | undefined> {
    sharedCalls.record(scope, key);
    const found = await this.#calls.call((client) => client.readRecord(shortName(scope), shortName(key)));
    if (found === undefined) return undefined;
    try {
      return { revision: found.revision, value: JSON.parse(found.text) };
    } catch {
      throw damagedRecord(this.label, scope, key);
    }
  }

  async writeRecord(write: RecordWrite): Promise<number | undefined> {
    sharedCalls.write(write);
    const { scope, key, revision, ttlMs } = write;
    const text = recordText(write);
    const short = shortName(key);
    const name = short === key ? "" : JSON.stringify(key);
    const record = { scope: shortName(scope), key: short, name, revision, text, ttlMs: whole(ttlMs) };
    return this.#calls.call((client) => client.writeRecord(record));
  }

  async recordKeys(scope: string, limit: number): Promise<string[]> {
    sharedCalls.keys(scope, limit);
    const found = await this.#calls.call((client) => client.recordKeys(shortName(scope), limit));
    return found.map(({ key, name }) => (name === "" ? key : String(JSON.parse(name))));
  }

  async members(presence: Presence): Promise<Members> {
    sharedCalls.members(presence);
    const { copy, group, leaseMs, held, wanted } = presence;
    const given = new Map(wanted.map((key) => [shortName(key), key]));
    const { others, renewed, holders } = await this.#calls.call((client) =>
      client.members({
        copy: stored(copy),
        group: shortName(group),
        leaseMs: whole(leaseMs),
        held: held.map(({ key, epoch }) => ({ key: shortName(key), epoch })),
        wanted: [...given.keys()],
      }),
    );
    const kept = new Set(renewed);
    return {
      copies: [copy, ...others.map(stored)].sort((a, b) => (a.id < b.id ? -1 : 1)),
      lost: held.map(({ key }) => key).filter((key) => !kept.has(shortName(key))),
      holders: new Map(
        holders.map(([name, holder]) => [given.get(name) ?? name, { ...holder, copy: stored(holder.copy) }]),
      ),
    };
  }

  async leave(copy: Copy): Promise<void> {
    sharedCalls.leave(copy);
    return this.#calls.call((client) => client.leave(stored(copy)));
  }

  close(): Promise<void> {
    return this.#calls.close();
  }
}

/** Also of what is read: a long name that another program wrote must not fill logs and statuses. */
function stored({ id, name }: Copy): Copy {
  return { id: shortName(id), name: storableLabel(name) };
}

/** Redis takes whole milliseconds only, and at least one. */
function whole(ms: number): number {
  return Math.max(1, Math.round(ms));
}

function parse(text: string): CursorState | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isCursorState(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
