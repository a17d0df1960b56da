import type { DatabaseSync } from "node:sqlite";

/** Small values that survive a restart, by name. */
export class Settings {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get<T>(key: string): T | undefined {
    const row = this.#database.prepare("SELECT value FROM settings WHERE key = ?").get(key);
    return row === undefined ? undefined : (JSON.parse(String(row.value)) as T);
  }

  set(key: string, value: unknown): void {
    this.#database
      .prepare(
        "INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      )
      .run(key, JSON.stringify(value));
  }
}
