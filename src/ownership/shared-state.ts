import { ArgumentError } from "../errors.ts";
import { reading } from "../options/index.ts";
import type { CursorState } from "../storage/cursor/cursor-state.ts";

/** One process of several that read the same channels. */
export type Copy = {
  /** Another one for each process, and after each start. */
  id: string;
  /** What people call it, such as the name of its host. */
  name: string;
};

/** Who has a lease now. */
export type LeaseHolder = {
  copy: Copy;
  epoch: number;
  /** How long ago it last renewed the lease, in milliseconds, by the clock of the engine. */
  renewedMsAgo: number;
};

/** A lease that was taken. */
export type TakenLease = {
  /** Higher than that of every holder before. Whatever changes the cursor has to name it. */
  epoch: number;
  /** The epoch before; undefined where there was none. One that a copy has seen higher shows that data were lost. */
  replaced?: number | undefined;
  /** The cursor that was saved last; undefined when there is none. */
  state: CursorState | undefined;
};

/** Something that is processed once by all copies together. */
export type OnceMark = {
  /** Marks of different scopes do not meet: one for each node. */
  scope: string;
  /** Such as the dedupe key of an event. */
  key: string;
  /** How long it is remembered since it was last seen, in milliseconds. */
  ttlMs: number;
  /**
   * The delivery that it comes with, where that can come again: the id is the same each time the event is delivered to
   * the same consumer. With `redelivered`, a key counts as new again for the delivery it first came with.
   */
  delivery?: { id: string; redelivered: boolean } | undefined;
  /** Of what is processed: see `paramsDigest`. Without one, the key alone counts. */
  digest?: string | undefined;
  /** Marks nothing unless the lease `key` still has this epoch. */
  fence?: { key: string; epoch: number } | undefined;
};

/**
 * `new`: process it. `seen`: it was processed. `contradicts`: it was processed with another digest; this one is not
 * remembered. `moved`: the lease of the fence is another copy's by now.
 */
export type OnceResult = "new" | "seen" | "contradicts" | "moved";

/** A value that copies share. */
export type SharedRecord = {
  /** Higher after each write, also after the record was removed or has expired. */
  revision: number;
  /** JSON. */
  value: unknown;
};

export type RecordWrite = {
  /** Records of different scopes are separate. */
  scope: string;
  key: string;
  /** The revision that is replaced; 0 where there is no record. */
  revision: number;
  /** JSON. Undefined removes the record. */
  value: unknown;
  /** How long it is kept after this write, in milliseconds. */
  ttlMs: number;
};

/** What a copy says regularly. */
export type Presence = {
  copy: Copy;
  /** Copies with the same group share out the same leases. */
  group: string;
  leaseMs: number;
  /** Its leases: each is renewed, unless another copy has it by now. */
  held: ReadonlyArray<{ key: string; epoch: number }>;
  /** Leases that it would take if they were free. */
  wanted: readonly string[];
};

/** What a copy is told. */
export type Members = {
  /** The copies of the group that are alive, this one included. */
  copies: Copy[];
  /** Of `held`: the leases that it has lost. */
  lost: string[];
  /** Of `wanted`: who has each lease that is not free. */
  holders: ReadonlyMap<string, LeaseHolder>;
};

/**
 * What several copies of a flow share: who reads which channel, its cursor, what was processed, and what alerts
 * remember. It is kept by an engine such as PostgreSQL. Only the clock of the engine decides when a lease is over. Each call rejects with a
 * retryable `CrecError` while the engine cannot be reached; whether it took effect is not known then.
 */
export type SharedState = {
  /** The engine and its host, for people. Without credentials. */
  readonly label: string;
  /**
   * True while the engine does not say whether it evicts keys when its memory is full, as a Redis whose user may not call
   * `INFO`. With a policy `allkeys-…` it would lose leases and marks.
   */
  readonly isEvictionUnknown?: boolean;
  /**
   * Takes the lease of a cursor for `leaseMs`, if it is free, over, or this copy's own. Each success raises the epoch.
   * Undefined while another copy has it.
   */
  take(key: string, copy: Copy, leaseMs: number): Promise<TakenLease | undefined>;
  /** Saves the cursor and renews the lease. False, with nothing changed, when the epoch is not the present one. */
  save(key: string, epoch: number, state: CursorState, leaseMs: number): Promise<boolean>;
  /** Ends a lease, with a last state if one is given. False, with nothing changed, when the epoch is not the present one. */
  release(key: string, epoch: number, state?: CursorState): Promise<boolean>;
  /** Whether to process what has this key. It is remembered from now on. */
  once(mark: OnceMark): Promise<OnceResult>;
  /** Undefined if there is no record, or if it has expired. */
  readRecord(scope: string, key: string): Promise<SharedRecord | undefined>;
  /**
   * Writes or removes a record, if it has this revision. Resolves with the new revision, which is 0 for a record that was
   * removed; with undefined, and nothing changed, when the revision is not the present one.
   * @throws {ArgumentError} `SHARED_RECORD_TOO_LARGE` when the key or the value is longer than `RECORD_LIMITS` allow
   */
  writeRecord(write: RecordWrite): Promise<number | undefined>;
  /** The keys of the records of a scope, at most `limit` of them, in any order. */
  recordKeys(scope: string, limit: number): Promise<string[]>;
  /** Says that this copy is alive, renews its leases, and tells about the others. */
  members(presence: Presence): Promise<Members>;
  /** Takes a copy off the list of members immediately. Its leases stay. */
  leave(copy: Copy): Promise<void>;
  /** Closes the connections. */
  close(): Promise<void>;
};

/** The largest record: its key, and its value as JSON. In characters. */
export const RECORD_LIMITS = { key: 1_000, value: 16_000_000 } as const;

/**
 * The value of a record as text; undefined where it is to be removed.
 * @throws {ArgumentError} `SHARED_RECORD_TOO_LARGE`
 */
export function recordText({ key, value }: Pick<RecordWrite, "key" | "value">): string | undefined {
  const text = value === undefined ? undefined : reading("value", () => JSON.stringify(value));
  if (key.length > RECORD_LIMITS.key) throw tooLarge("key", key.length, RECORD_LIMITS.key);
  const length = text?.length ?? 0;
  if (length > RECORD_LIMITS.value) throw tooLarge("value", length, RECORD_LIMITS.value);
  return text;
}

function tooLarge(name: string, length: number, most: number): ArgumentError {
  return new ArgumentError(
    name,
    `The ${name} of the shared record has ${length} characters, and at most ${most} are allowed. Store less in it.`,
    { code: "SHARED_RECORD_TOO_LARGE" },
  );
}
