import { text, whole } from "../../options/index.ts";
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
