import type { DatabaseSync } from "node:sqlite";
import type { Log } from "../log.ts";
import { countEvents } from "./counts.ts";
import { findOldEvents } from "./old-events.ts";
import {
  ADD_OLD_EXECUTIONS,
  COUNT_OLD,
  COUNT_TRIGGERS,
  EVENT_TRIGGER,
  INDEXES,
  LATER_COLUMNS,
  LATER_VALUES,
  TABLES,
} from "./schema.ts";
import { transaction } from "./transaction.ts";

/** With fewer events it takes less than a second. */
const MANY_EVENTS = 50_000;

/** Creates or upgrades everything that this version needs in a database. */
export function upgrade(database: DatabaseSync, log?: Log): void {
  transaction(database, () => {
    database.exec(TABLES);
    addMissingColumns(database);
    database.exec(ADD_OLD_EXECUTIONS);
    const start = performance.now();
    const events = hasTrigger(database, "events_are_found") ? 0 : countEvents(database);
    if (events >= MANY_EVENTS) {
      log?.info(
        `Building the search indexes of ${events.toLocaleString("en")} events. This happens once, and can take some seconds for each 100,000.`,
      );
    }
    database.exec(INDEXES);
    if (events > 0) findOldEvents(database);
    database.exec(EVENT_TRIGGER);
    if (!hasTrigger(database, "channels_are_counted")) database.exec(COUNT_OLD);
    database.exec(COUNT_TRIGGERS);
    if (events >= MANY_EVENTS) {
      log?.info(`The search indexes are built. It took ${Math.round((performance.now() - start) / 1000)} s.`);
    }
  });
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
