import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { Hex } from "../../../src/protocol/index.ts";

/** A row as SQLite returns it. */
export type Row = Record<string, SQLInputValue>;

/** Conditions of a list, joined with AND. Conditions without a value are left out. */
export class Conditions {
  readonly #parts: string[] = [];
  readonly #values: SQLInputValue[] = [];

  equal(column: string, value: SQLInputValue | undefined): this {
    return value === undefined ? this : this.add(`${column} = ?`, value);
  }

  /** One of several values; an empty list means no condition. */
  oneOf(column: string, values: readonly string[] | undefined): this {
    if (values === undefined || values.length === 0) return this;
    return this.add(`${column} IN (${values.map(() => "?").join(", ")})`, ...values);
  }

  /** None of several values. */
  noneOf(column: string, values: readonly string[] = []): this {
    return values.length === 0
      ? this
      : this.add(`${column} NOT IN (SELECT value FROM json_each(?))`, JSON.stringify(values));
  }

  add(sql: string, ...values: SQLInputValue[]): this {
    this.#parts.push(sql);
    this.#values.push(...values);
    return this;
  }

  /** The SQL after WHERE, with a question mark for each value. */
  get sql(): string {
    return this.#parts.length === 0 ? "TRUE" : this.#parts.join(" AND ");
  }

  get values(): readonly SQLInputValue[] {
    return this.#values;
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }
}

export function text(row: Row, column: string): string {
  return String(row[column]);
}

export function optionalText(row: Row, column: string): string | undefined {
  const value = row[column];
  return value === null || value === undefined ? undefined : String(value);
}

export function integer(row: Row, column: string): number {
  return Number(row[column]);
}

export function optionalInteger(row: Row, column: string): number | undefined {
  const value = row[column];
  return value === null || value === undefined ? undefined : Number(value);
}

export function json<T>(row: Row, column: string): T {
  return JSON.parse(text(row, column)) as T;
}

/** The object without its undefined members, for exact optional properties. */
export function defined<T extends object>(object: T): Defined<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>;
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Runs `work` so that all of its writes are kept or none. Nested calls are one transaction. */
export function transaction<T>(database: DatabaseSync, work: () => T): T {
  if (database.isTransaction) return work();
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** A signed transaction, stored so that the same one can be broadcast again. */
export type SentTransaction = { hash: Hex; raw: Hex };

/** The transaction in the columns `transaction_hash` and `raw_transaction`. */
export function sentTransaction(row: Row): SentTransaction | undefined {
  const hash = optionalText(row, "transaction_hash");
  const raw = optionalText(row, "raw_transaction");
  return hash === undefined || raw === undefined ? undefined : { hash: hash as Hex, raw: raw as Hex };
}
