import { callable, finiteDuration, like, options, text, whole } from "../../options/index.ts";
import type { SharedState } from "../../ownership/index.ts";
import type { AlertRecord, AlertStore } from "../types.ts";

/**
 * Keeps what a rule remembers in memory only: after a restart, windows are empty. For tests, and for programs that read
 * their channel from its beginning. Values are kept as they are given: do not change them afterwards.
 * @example
 * await new MemoryAlertStore().read("a"); // → undefined
 */
export class MemoryAlertStore implements AlertStore {
  readonly #records = new Map<string, AlertRecord>();

  async read(key: string): Promise<AlertRecord | undefined> {
    return this.#records.get(text(key, "key"));
  }

  async write(key: string, revision: number, value: unknown): Promise<boolean> {
    checkWrite(key, revision);
    return replaced(this.#records, key, revision, value);
  }

  async keys(): Promise<string[]> {
    return [...this.#records.keys()];
  }

  async close(): Promise<void> {}
}

const revisionKind = whole(0);

/** @internal @throws {ArgumentError} */
export function checkWrite(key: string, revision: number): void {
  text(key, "key");
  revisionKind(revision, "revision");
}

/** @internal Writes to records, as a store does. */
export function replaced(
  records: Map<string, AlertRecord>,
  key: string,
  revision: number,
  value: unknown,
): boolean {
  if ((records.get(key)?.revision ?? 0) !== revision) return false;
  if (value === undefined) records.delete(key);
  else records.set(key, { revision: revision + 1, value });
  return true;
}

export type SharedAlertStoreOptions = {
  shared: Pick<SharedState, "readRecord" | "writeRecord" | "recordKeys">;
  /** The rule. Each copy has to name it the same, and no other rule of the same shared state. */
  scope: string;
  /** How long what belongs to a key is kept after it changed last, in milliseconds: longer than the rule's longest time. */
  ttlMs: number;
};

const storeOptions = options<SharedAlertStoreOptions>({
  shared: like<SharedAlertStoreOptions["shared"]>({
    readRecord: callable(),
    writeRecord: callable(),
    recordKeys: callable(),
  }),
  scope: text,
  ttlMs: finiteDuration,
});

/** Above what a rule leaves to its store. */
const MOST_KEYS = 1_200_000;
/** Records of which it is remembered how their revisions are counted. */
const MOST_COUNTED = 10_000;

/**
 * Keeps what a rule remembers in shared state, so that several copies raise each alert once. Every call rejects with a
 * retryable `CrecError` while the engine cannot be reached.
 * @example
 * const shared = await openSharedState("postgres://crec:secret@db.example.com/app");
 * const store = new SharedAlertStore({ shared, scope: "large transfers", ttlMs: 86_400_000 });
 */
export class SharedAlertStore implements AlertStore {
  readonly isShared = true;
  readonly #options: SharedAlertStoreOptions;
  /** How much higher the engine's revision of a record is: a rule counts each write, the engine perhaps all records. */
  readonly #offsets = new Map<string, number>();

  constructor(options: SharedAlertStoreOptions) {
    this.#options = storeOptions(options);
  }

  async read(key: string): Promise<AlertRecord | undefined> {
    text(key, "key");
    const { shared, scope } = this.#options;
    const record = await shared.readRecord(scope, key);
    const revision = (record?.revision ?? 0) - (this.#offsets.get(key) ?? 0);
    if (record !== undefined && revision > 0) return { revision, value: record.value };
    this.#offsets.delete(key);
    return record;
  }

  /** @throws {ArgumentError} `SHARED_RECORD_TOO_LARGE` */
  async write(key: string, revision: number, value: unknown): Promise<boolean> {
    checkWrite(key, revision);
    const { shared, scope, ttlMs } = this.#options;
    const present = revision === 0 ? 0 : revision + (this.#offsets.get(key) ?? 0);
    const write = { scope, key, revision: present, value, ttlMs };
    const written = await shared.writeRecord(write);
    if (written === undefined) return false;
    if (value === undefined) this.#offsets.delete(key);
    else this.#remember(key, written - (revision + 1));
    return true;
  }

  async keys(): Promise<string[]> {
    const { shared, scope } = this.#options;
    return shared.recordKeys(scope, MOST_KEYS);
  }

  /** The shared state stays open: others use it. */
  async close(): Promise<void> {
    this.#offsets.clear();
  }

  #remember(key: string, offset: number): void {
    this.#offsets.delete(key);
    if (offset !== 0) this.#offsets.set(key, offset);
    for (const oldest of this.#offsets.keys()) {
      if (this.#offsets.size <= MOST_COUNTED) return;
      this.#offsets.delete(oldest);
    }
  }
}
