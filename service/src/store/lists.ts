import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { anyOf, type Cursor, IndexCursor, type Step } from "./cursors.ts";
import { Conditions, type Row } from "./rows.ts";
import type { Turns } from "./turns.ts";
import { walk } from "./walk.ts";

/** What a list goes by. The columns of each member of `indexed` must be an index of the table. */
export type List = {
  table: string;
  step: Step;
  /** Values that the rows have, by column; a list of values means one of them. */
  indexed: ReadonlyArray<Record<string, string | readonly string[]>>;
  /** What each row has to meet beside that. */
  conditions?: Conditions;
};

export type PageRequest = {
  limit: number;
  offset: number;
  /** Whether nobody waits for the answer any more. */
  isAbandoned?: (() => boolean) | undefined;
};

export type Page<T> = { data: T[]; has_more: boolean };

/** One page of a list, by sequence. It takes as many turns of the event loop as it needs. */
export async function pageOfList<T>(
  { database, turns }: { database: DatabaseSync; turns: Turns },
  list: List,
  request: PageRequest,
  toItem: (row: Row) => T,
): Promise<Page<T>> {
  const { table, step, indexed, conditions = new Conditions() } = list;
  const { limit, offset, isAbandoned } = request;
  const meets = conditions.isEmpty
    ? undefined
    : database.prepare(`SELECT 1 FROM ${table} WHERE sequence = ? AND ${conditions.sql}`);
  const found = await walk(
    {
      cursors: indexed.map((columns) => cursorOf(database, { table, step, columns })),
      matches: meets && ((place) => meets.get(place, ...conditions.values) !== undefined),
      ...(step === 1 ? { from: 0, to: Number.POSITIVE_INFINITY } : { from: Number.POSITIVE_INFINITY, to: 0 }),
      step,
      skip: offset,
      limit,
      isAbandoned,
    },
    turns,
  );
  // What has changed since it was found may not belong to the list any more.
  const all = new Conditions().add("sequence = ?", 0);
  for (const columns of indexed) {
    for (const [column, value] of Object.entries(columns)) all.oneOf(column, [value].flat());
  }
  all.add(conditions.sql, ...conditions.values);
  const read = database.prepare(`SELECT * FROM ${table} WHERE ${all.sql}`);
  const [, ...values] = all.values;
  const data: T[] = [];
  for (const place of found.places) {
    if (turns.isOver()) await turns.next();
    const row = read.get(place, ...values);
    if (row !== undefined) data.push(toItem(row as Row));
  }
  return { data, has_more: found.hasMore };
}

/** A cursor for each combination of the values. */
function cursorOf(
  database: DatabaseSync,
  of: { table: string; step: Step; columns: Record<string, string | readonly string[]> },
): Cursor {
  const { table, step, columns } = of;
  const combinations = Object.values(columns).reduce<SQLInputValue[][]>(
    (starts, value) => starts.flatMap((start) => [...new Set([value].flat())].map((one) => [...start, one])),
    [[]],
  );
  const equal = Object.keys(columns).map((column) => `${column} = ?`);
  const select = `SELECT sequence AS place FROM ${table} WHERE ${equal.join(" AND ")}
    AND sequence ${step === 1 ? ">=" : "<="} ? ORDER BY sequence ${step === 1 ? "" : "DESC"} LIMIT ?`;
  const cursors = combinations.map((values) => new IndexCursor(database, select, values, step));
  return anyOf(cursors, step);
}
