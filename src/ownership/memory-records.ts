import { recordText } from "./shared-record.ts";
import type { RecordWrite, SharedRecord } from "./shared-state.ts";

type Kept = { revision: number; text: string; endsAt: number };

/** How many records each write checks for expired ones. */
const FORGOTTEN_AT_ONCE = 10;

/** The records of a shared state in memory. Times are milliseconds of the clock that is given with each call. */
export class MemoryRecords {
  /** By scope and key; the one that was written longest ago comes first. */
  readonly #scopes = new Map<string, Map<string, Kept>>();
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
    const records = this.#scopes.get(scope) ?? new Map<string, Kept>();
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

function forget(records: Map<string, Kept>, now: number): void {
  let looked = 0;
  for (const [key, { endsAt }] of records) {
    if (endsAt <= now) records.delete(key);
    looked += 1;
    if (looked === FORGOTTEN_AT_ONCE) return;
  }
}
