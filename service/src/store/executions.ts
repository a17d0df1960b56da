import type { DatabaseSync } from "node:sqlite";
import { integer, type Row, text } from "./rows.ts";

/** A confirmed operation that is not on the chain any more. */
type LostOperation = { operationId: string; reason: string };

/** How many are lost: those that are sent again, and those that cannot be. */
type LostCounts = { missing: number; gone: number };

/**
 * The block of each confirmed operation, and whether the chain still has it: `there`, `missing` until it is executed
 * again, or `gone` when it cannot be. On disk, so that a restart forgets none.
 */
export class Executions {
  readonly #database: DatabaseSync;
  readonly #chainSelector: string;

  constructor(database: DatabaseSync, chainSelector: string) {
    this.#database = database;
    this.#chainSelector = chainSelector;
  }

  /** The chain has it, in this block. */
  setThere(operationId: string, block: number): void {
    this.#database
      .prepare(
        `INSERT INTO executions (operation_id, chain_selector, block, state) VALUES (?, ?, ?, 'there')
         ON CONFLICT (operation_id) DO UPDATE SET block = excluded.block, state = 'there', reason = NULL`,
      )
      .run(operationId, this.#chainSelector, block);
  }

  /** Marks operations in blocks after this one, which were replaced, as missing. Returns how many. */
  setMissingAfter(block: number): number {
    const { changes } = this.#database
      .prepare(
        "UPDATE executions SET state = 'missing' WHERE chain_selector = ? AND block > ? AND state = 'there'",
      )
      .run(this.#chainSelector, block);
    return Number(changes);
  }

  /** It cannot be executed again. */
  setGone(operationId: string, reason: string): void {
    this.#database
      .prepare("UPDATE executions SET state = 'gone', reason = ? WHERE operation_id = ?")
      .run(reason, operationId);
  }

  /** Ids of missing operations, in the order of confirmation. */
  missing(limit: number): string[] {
    return this.#database
      .prepare(
        "SELECT operation_id FROM executions WHERE chain_selector = ? AND state = 'missing' ORDER BY sequence LIMIT ?",
      )
      .all(this.#chainSelector, limit)
      .map((row) => text(row as Row, "operation_id"));
  }

  /** The newest operations that cannot be executed again. */
  gone(limit: number): LostOperation[] {
    return this.#database
      .prepare(
        "SELECT operation_id, reason FROM executions WHERE chain_selector = ? AND state = 'gone' ORDER BY sequence DESC LIMIT ?",
      )
      .all(this.#chainSelector, limit)
      .map((row) => ({
        operationId: text(row as Row, "operation_id"),
        reason: text(row as Row, "reason"),
      }));
  }

  lost(): LostCounts {
    const count = (state: keyof LostCounts) => {
      const sql = `SELECT count(*) AS count FROM executions WHERE chain_selector = ? AND state = '${state}'`;
      return integer(this.#database.prepare(sql).get(this.#chainSelector) as Row, "count");
    };
    return { missing: count("missing"), gone: count("gone") };
  }
}
