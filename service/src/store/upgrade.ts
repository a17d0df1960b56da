import type { DatabaseSync } from "node:sqlite";
import type { Log } from "../log.ts";
import { indexOldEvents } from "./old-events.ts";
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
import { transaction } from "./transaction.ts";

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
