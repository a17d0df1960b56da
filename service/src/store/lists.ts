import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { anyOf, IndexCursor, type Step } from "./cursors.ts";
import { Conditions, type Row } from "./rows.ts";
import { walk } from "./walk.ts";
import type { Yielder } from "./yielder.ts";

/** A filtered list. The columns of each member of `indexed` must have an index. */
export type List = {
  table: string;
  step: Step;
  /** Required values by column; a list of values means one of them. */
  indexed: ReadonlyArray<Record<string, string | readonly string[]>>;
  /** More conditions of each row. */
  conditions?: Conditions;
};

export type PageRequest = {
  limit: number;
  offset: number;
  /** Ids to omit. */
  absent?: readonly string[];
  /** Whether the caller has gone. */
  isAbandoned?: (() => boolean) | undefined;
};

export type Page<T> = { data: T[]; has_more: boolean };

/**
 * One page of a list, by sequence. It yields to the event loop, and rows may change meanwhile. Nothing that was read of a
 * row is kept over a yield, so each row that always meets the conditions is counted once, and the counted rows are
 * returned.
 */
export async function pageOfList<T>(
  { database, yielder }: { database: DatabaseSync; yielder: Yielder },
  list: List,
  request: PageRequest,
  toItem: (row: Row) => T,
): Promise<Page<T>> {
  const { table, step, indexed, conditions = new Conditions() } = list;
  const { limit, offset, isAbandoned } = request;
  const cursors = indexed.map((columns) => cursorsOf(database, { table, step, columns }));
  const meets = conditions.isEmpty
    ? undefined
    : database.prepare(`SELECT 1 FROM ${table} WHERE sequence = ? AND ${conditions.sql}`);
  const read = database.prepare(`SELECT * FROM ${table} WHERE sequence = ?`);
  const data: T[] = [];
  const { hasMore } = await walk(
    {
      cursors: cursors.map((some) => anyOf(some, step)),
      matches: meets && ((place) => meets.get(place, ...conditions.values) !== undefined),
      take: (place) => data.push(toItem(read.get(place) as Row)),
      resume: () => {
        for (const cursor of cursors.flat()) cursor.forget();
      },
      ...(step === 1 ? { from: 0, to: Number.POSITIVE_INFINITY } : { from: Number.POSITIVE_INFINITY, to: 0 }),
      step,
      skip: offset,
      limit,
      isAbandoned,
    },
    yielder,
  );
  return { data, has_more: hasMore };
}

/** A cursor for each combination of the values. */
function cursorsOf(
  database: DatabaseSync,
  of: { table: string; step: Step; columns: Record<string, string | readonly string[]> },
): IndexCursor[] {
  const { table, step, columns } = of;
  const combinations = Object.values(columns).reduce<SQLInputValue[][]>(
    (starts, value) => starts.flatMap((start) => [...new Set([value].flat())].map((one) => [...start, one])),
    [[]],
  );
  const equal = Object.keys(columns).map((column) => `${column} = ?`);
  const select = `SELECT sequence AS place FROM ${table} WHERE ${equal.join(" AND ")}
    AND sequence ${step === 1 ? ">=" : "<="} ? ORDER BY sequence ${step === 1 ? "" : "DESC"} LIMIT ?`;
  return combinations.map((values) => new IndexCursor(database, select, values, step));
}
