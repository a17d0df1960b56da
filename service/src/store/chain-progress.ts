import type { DatabaseSync } from "node:sqlite";
import type { Confidence } from "../../../src/protocol/index.ts";
import { integer, type Row, text } from "./rows.ts";

type RememberedBlock = { number: number; hash: string };

/** A confirmed operation that is not on the chain any more. */
type LostOperation = { operationId: string; reason: string };

/** How many are lost: those that are sent again, and those that cannot be. */
type LostCounts = { missing: number; gone: number };

/** Up to which block the logs of one chain were read and reported, and the hashes of the newest blocks. */
export class Positions {
  readonly #database: DatabaseSync;
  readonly #chainSelector: string;

  constructor(database: DatabaseSync, chainSelector: string) {
    this.#database = database;
    this.#chainSelector = chainSelector;
  }

  /** Number of the last block reported at this confidence. */
  get(confidence: Confidence): number | undefined {
    const row = this.#database
      .prepare("SELECT number FROM positions WHERE chain_selector = ? AND confidence = ?")
      .get(this.#chainSelector, confidence);
    return row === undefined ? undefined : Number(row.number);
  }

  set(confidence: Confidence, number: number): void {
    this.#database
      .prepare(
        `INSERT INTO positions (chain_selector, confidence, number) VALUES (?, ?, ?)
         ON CONFLICT (chain_selector, confidence) DO UPDATE SET number = excluded.number`,
      )
      .run(this.#chainSelector, confidence, number);
  }

  /** Remembered blocks, newest first. */
  blocks(): RememberedBlock[] {
    return this.#database
      .prepare("SELECT number, hash FROM blocks WHERE chain_selector = ? ORDER BY number DESC")
      .all(this.#chainSelector)
      .map((row) => ({ number: Number(row.number), hash: String(row.hash) }));
  }

  remember(block: RememberedBlock): void {
    this.#database
      .prepare("INSERT OR REPLACE INTO blocks (chain_selector, number, hash) VALUES (?, ?, ?)")
      .run(this.#chainSelector, block.number, block.hash);
  }

  forgetAbove(number: number): void {
    this.#database
      .prepare("DELETE FROM blocks WHERE chain_selector = ? AND number > ?")
      .run(this.#chainSelector, number);
  }

  forgetBelow(number: number): void {
    this.#database
      .prepare("DELETE FROM blocks WHERE chain_selector = ? AND number < ?")
      .run(this.#chainSelector, number);
  }

  isReported(watcherId: string, blockHash: string, logIndex: number, confidence: Confidence): boolean {
    return (
      this.#database
        .prepare(
          "SELECT 1 FROM reported WHERE watcher_id = ? AND block_hash = ? AND log_index = ? AND confidence = ?",
        )
        .get(watcherId, blockHash, logIndex, confidence) !== undefined
    );
  }

  /** Marks a log as reported. False when it had been before. */
  report(watcherId: string, blockHash: string, logIndex: number, confidence: Confidence): boolean {
    const { changes } = this.#database
      .prepare(
        "INSERT OR IGNORE INTO reported (watcher_id, block_hash, log_index, confidence) VALUES (?, ?, ?, ?)",
      )
      .run(watcherId, blockHash, logIndex, confidence);
    return Number(changes) === 1;
  }
}

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
