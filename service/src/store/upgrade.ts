import type { DatabaseSync } from "node:sqlite";
import type { Log } from "../log.ts";
import { BLOCK, blockOf } from "./events/places.ts";
import { EventTail } from "./events/tail.ts";
import { transaction } from "./rows.ts";
import {
  ADD_OLD_EXECUTIONS,
  COUNT_OLD,
  COUNT_TRIGGERS,
  DROP_OLD_INDEX,
  INDEXES,
  LATER_COLUMNS,
  LATER_VALUES,
  TABLES,
} from "./schema.ts";

/** With fewer blocks it takes less than a second. */
const MANY_BLOCKS = 20;
const LOG_EVERY_MS = 5_000;

/** Creates or upgrades everything that this version needs in a database. */
export function upgrade(database: DatabaseSync, log?: Log): void {
  transaction(database, () => {
    database.exec(TABLES);
    addMissingColumns(database);
    database.exec(ADD_OLD_EXECUTIONS);
    database.exec(INDEXES);
    database.exec(DROP_OLD_INDEX);
    if (!hasTrigger(database, "channels_are_counted")) database.exec(COUNT_OLD);
    database.exec(COUNT_TRIGGERS);
  });
  indexOldEvents(database, log);
}

function addMissingColumns(database: DatabaseSync): void {
  for (const [table, columns] of Object.entries(LATER_COLUMNS)) {
    const known = new Set(
      database
        .prepare("SELECT name FROM pragma_table_info(?)")
        .all(table)
        .map(({ name }) => name),
    );
    for (const [name, type] of Object.entries(columns)) {
      if (known.has(name)) continue;
      database.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${type}`);
      const values = LATER_VALUES[name];
      if (values !== undefined) database.exec(values);
    }
  }
}

function hasTrigger(database: DatabaseSync, name: string): boolean {
  return (
    database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name = ?").get(name) !==
    undefined
  );
}

/**
 * Indexes the full blocks of events that an earlier version wrote. Each is a transaction of its own: after a kill, the next
 * start goes on with the first block that is missing.
 */
function indexOldEvents(database: DatabaseSync, log?: Log): void {
  const channels = database
    .prepare("SELECT channel_id, last_offset FROM channels")
    .all()
    .map(({ channel_id, last_offset }) => ({ id: String(channel_id), last: Number(last_offset) }));
  // The block of the next event is not full yet.
  const total = channels.reduce(
    (sum, { id, last }) => sum + blockOf(last + 1) - new EventTail(database, id).block,
    0,
  );
  if (total === 0) return;
  const start = performance.now();
  let loggedAt = start;
  let done = 0;
  if (total >= MANY_BLOCKS) {
    log?.info(
      `Building the search indexes of ${(total * BLOCK).toLocaleString("en")} events. This happens once, can take some seconds for each 100,000, and goes on after a stop.`,
    );
  }
  for (const { id, last } of channels) {
    for (let tail = new EventTail(database, id); tail.end <= last; tail = new EventTail(database, id)) {
      transaction(database, () => tail.store());
      done += 1;
      if (performance.now() - loggedAt < LOG_EVERY_MS) continue;
      loggedAt = performance.now();
      log?.info(`Building the search indexes: ${Math.floor((done / total) * 100)} %.`);
    }
  }
  if (total >= MANY_BLOCKS) {
    log?.info(`The search indexes are built. It took ${Math.round((performance.now() - start) / 1000)} s.`);
  }
}
