import type { DatabaseSync } from "node:sqlite";
import type { COUNTED_TABLES } from "./schema.ts";

type Kind = (typeof COUNTED_TABLES)[number];

/** The number of resources of each kind by status, and of events. */
export type Counts = Record<Kind, Record<string, number>> & { events: number };

/** Counts everything in the store. Triggers keep the numbers, since counting rows gets slower as they grow. */
export function countAll(database: DatabaseSync): Counts {
  const counts: Counts = { channels: {}, watchers: {}, wallets: {}, operations: {}, queries: {}, events: 0 };
  for (const { kind, status, count } of database.prepare("SELECT kind, status, count FROM counts").all()) {
    if (Number(count) > 0) counts[kind as Kind][String(status)] = Number(count);
  }
  return { ...counts, events: countEvents(database) };
}

/** Offsets have no gaps: the last one of a channel is its number of events. */
function countEvents(database: DatabaseSync): number {
  const row = database.prepare("SELECT COALESCE(SUM(last_offset), 0) AS count FROM channels").get();
  return Number(row?.count ?? 0);
}
