import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { seededBytes } from "../secrets.ts";
import type { COUNTED_TABLES } from "./schema.ts";

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

/** The ids of new rows: random, or with a seed the same ones in the same order. */
export class Ids {
  readonly #database: DatabaseSync;
  readonly #seed: number | undefined;

  constructor(database: DatabaseSync, seed?: number) {
    this.#database = database;
    this.#seed = seed;
  }

  /** Of the next row of a table: write it before anything else can. */
  next(table: (typeof COUNTED_TABLES)[number]): string {
    if (this.#seed === undefined) return randomUUID();
    const last = this.#database.prepare(`SELECT max(sequence) AS sequence FROM ${table}`).get();
    return this.#seeded(this.#seed, `${table} ${Number(last?.sequence ?? 0) + 1}`);
  }

  ofEvent(channelId: string, offset: number): string {
    return this.#seed === undefined ? randomUUID() : this.#seeded(this.#seed, `event ${channelId} ${offset}`);
  }

  /** In the form of a random UUID, which clients may check. */
  #seeded(seed: number, purpose: string): string {
    const bytes = seededBytes(seed, purpose);
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
    return bytes.toString("hex", 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  }
}
