import type { SharedState } from "../../consumer/index.ts";
import type { AlertRecord, AlertStore } from "../types.ts";

export type SharedAlertStoreOptions = {
  shared: Pick<SharedState, "readRecord" | "writeRecord" | "recordKeys">;
  /** The rule. Each copy has to name it the same, and no other rule of the same shared state. */
  scope: string;
  /** How long what belongs to a key is kept after it changed last, in milliseconds: longer than the rule's longest time. */
  ttlMs: number;
};

/** Above what a rule leaves to its store. */
const MOST_KEYS = 1_200_000;
/** Records whose first revision is remembered. */
const MOST_CREATED = 10_000;

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
  /** The first revision of a new record, which the engine chooses; a rule counts from 1. */
  readonly #created = new Map<string, number>();

  constructor(options: SharedAlertStoreOptions) {
    this.#options = options;
  }

  async read(key: string): Promise<AlertRecord | undefined> {
    const { shared, scope } = this.#options;
    this.#created.delete(key);
    return shared.readRecord(scope, key);
  }

  /** @throws {ArgumentError} `SHARED_RECORD_TOO_LARGE` */
  async write(key: string, revision: number, value: unknown): Promise<boolean> {
    const { shared, scope, ttlMs } = this.#options;
    const first = this.#created.get(key);
    const present =
      first === undefined || revision === 0 || revision >= first ? revision : first + revision - 1;
    const write = { scope, key, revision: present, value, ttlMs };
    const written = await shared.writeRecord(write);
    if (written === undefined) return false;
    if (value === undefined) this.#created.delete(key);
    else if (revision === 0) this.#remember(key, written);
    return true;
  }

  async keys(): Promise<string[]> {
    const { shared, scope } = this.#options;
    return shared.recordKeys(scope, MOST_KEYS);
  }

  /** The shared state stays open: others use it. */
  async close(): Promise<void> {
    this.#created.clear();
  }

  #remember(key: string, first: number): void {
    this.#created.delete(key);
    this.#created.set(key, first);
    for (const oldest of this.#created.keys()) {
      if (this.#created.size <= MOST_CREATED) return;
      this.#created.delete(oldest);
    }
  }
}
