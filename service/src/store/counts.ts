import type { DatabaseSync } from "node:sqlite";
import type { COUNTED_TABLES } from "./schema.ts";

type Kind = (typeof COUNTED_TABLES)[number];

/** How many there are of each kind, by status where it has one. */
export type Counts = Record<Kind, Record<string, number>> & { events: number };

/** Counts what the store holds. Triggers keep the numbers: to count takes the longer the more there is. */
export function countAll(database: DatabaseSync): Counts {
  const counts: Counts = { channels: {}, watchers: {}, wallets: {}, operations: {}, queries: {}, events: 0 };
  for (const { kind, status, count } of database.prepare("SELECT kind, status, count FROM counts").all()) {
    if (Number(count) > 0) counts[kind as Kind][String(status)] = Number(count);
  }
  return { ...counts, events: countEvents(database) };
}

/** Offsets have no gaps: the last one of a channel is how many events it has. */
export function countEvents(database: DatabaseSync): number {
  const row = database.prepare("SELECT COALESCE(SUM(last_offset), 0) AS count FROM channels").get();
  return Number(row?.count ?? 0);
}
