import type { DatabaseSync } from "node:sqlite";

/** How many there are of each kind, by status where it has one. */
export type Counts = {
  channels: Record<string, number>;
  watchers: Record<string, number>;
  wallets: Record<string, number>;
  operations: Record<string, number>;
  queries: Record<string, number>;
  events: number;
};

const KINDS = ["channels", "watchers", "wallets", "operations", "queries"] as const;

/** Counts what the store holds. */
export function countAll(database: DatabaseSync): Counts {
  const byStatus = (table: (typeof KINDS)[number]) =>
    Object.fromEntries(
      database
        .prepare(`SELECT status, COUNT(*) AS count FROM ${table} GROUP BY status ORDER BY MIN(sequence)`)
        .all()
        .map((row) => [String(row.status), Number(row.count)]),
    );
  // Offsets have no gaps: the last one of a channel is how many events it has.
  const events = database.prepare("SELECT COALESCE(SUM(last_offset), 0) AS count FROM channels").get();
  return {
    channels: byStatus("channels"),
    watchers: byStatus("watchers"),
    wallets: byStatus("wallets"),
    operations: byStatus("operations"),
    queries: byStatus("queries"),
    events: Number(events?.count ?? 0),
  };
}
