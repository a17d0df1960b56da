import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { type List, type Page, type PageRequest, pageOfList } from "./lists.ts";
import { Conditions, type Row, text } from "./rows.ts";
import type { Ids } from "./settings.ts";
import type { Yielder } from "./yielder.ts";

/** What all tables share. */
export type Shared = { database: DatabaseSync; yielder: Yielder; ids: Ids };

/** Values by column. One that is undefined is NULL; objects are stored as JSON. */
type Values = Readonly<Record<string, string | number | null | object | undefined>>;

/** The rows of one kind of resource, as objects. */
export class Table<T> {
  protected readonly database: DatabaseSync;
  protected readonly ids: Ids;
  readonly #shared: Shared;
  readonly #name: string;
  readonly #id: string;
  readonly #toItem: (row: Row) => T;

  /** `id` is the column with the id. */
  constructor(shared: Shared, name: string, id: string, toItem: (row: Row) => T) {
    this.database = shared.database;
    this.ids = shared.ids;
    this.#shared = shared;
    this.#name = name;
    this.#id = id;
    this.#toItem = toItem;
  }

  get(id: string): T | undefined {
    return this.find(`${this.#id} = ?`, id);
  }

  protected find(condition: string, ...values: SQLInputValue[]): T | undefined {
    const row = this.database.prepare(`SELECT * FROM ${this.#name} WHERE ${condition}`).get(...values);
    return row === undefined ? undefined : this.#toItem(row as Row);
  }

  protected exists(condition: string, ...values: SQLInputValue[]): boolean {
    const sql = `SELECT 1 FROM ${this.#name} WHERE ${condition} LIMIT 1`;
    return this.database.prepare(sql).get(...values) !== undefined;
  }

  protected all(conditions: Conditions, order = "sequence", limit = -1): T[] {
    return this.#select("*", conditions, order, limit).map(this.#toItem);
  }

  protected idsOf(conditions: Conditions, order = "sequence", limit = -1): string[] {
    return this.#select(this.#id, conditions, order, limit).map((row) => text(row, this.#id));
  }

  protected page(list: Omit<List, "table">, request: PageRequest): Promise<Page<T>> {
    list.conditions?.noneOf(this.#id, request.absent);
    return pageOfList(this.#shared, { ...list, table: this.#name }, request, this.#toItem);
  }

  protected insert(values: Values): void {
    const columns = Object.keys(values);
    const sql = `INSERT INTO ${this.#name} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
    this.database.prepare(sql).run(...stored(values));
  }

  protected change(id: string, values: Values): void {
    const columns = Object.keys(values).map((column) => `${column} = ?`);
    const sql = `UPDATE ${this.#name} SET ${columns.join(", ")} WHERE ${this.#id} = ?`;
    this.database.prepare(sql).run(...stored(values), id);
  }

  #select(columns: string, { sql, values }: Conditions, order: string, limit: number): Row[] {
    const select = `SELECT ${columns} FROM ${this.#name} WHERE ${sql} ORDER BY ${order} LIMIT ?`;
    return this.database.prepare(select).all(...values, limit) as Row[];
  }
}

function stored(values: Values): SQLInputValue[] {
  return Object.values(values).map((value) =>
    typeof value === "object" && value !== null ? JSON.stringify(value) : (value ?? null),
  );
}

/** Conditions of a list with an optional part of the name, without case. */
export function nameContains(part: string | undefined): Conditions {
  const conditions = new Conditions();
  return part === undefined ? conditions : conditions.add("instr(fold(name), fold(?)) > 0", part);
}

/** The statuses of a filter; without one, all except archived. */
export function shownStatuses(
  asked: readonly string[] | undefined,
  all: readonly string[],
): readonly string[] {
  return asked === undefined || asked.length === 0 ? all.filter((status) => status !== "archived") : asked;
}
