import type { DatabaseSync } from "node:sqlite";
import type { COUNTED_TABLES } from "./schema.ts";

type Kind = (typeof COUNTED_TABLES)[number];

/** How many there are of each kind, by status where it has one. */
export type Counts = Record<Kind, Record<string, number>> & { events: number };

/** Counts what the store holds. Triggers keep the numbers: to count takes the longer the more there is. */
export function countAll(database: DatabaseSync): Counts {
  const counts: Counts = { channels: {}, watchers: {}, wallets: {}, operations: {}, queries: {}, events: 0 };
  for (const { kind, status, count } of database.prepare("SELECT kind, status, count FROM counts").all()) {
    if (kind === "events") counts.events = Number(count);
    else if (Number(count) > 0) counts[kind as Kind][String(status)] = Number(count);
  }
  return counts;
}
