import type { DatabaseSync } from "node:sqlite";
import type { Confidence } from "../../../src/protocol/index.ts";

type RememberedBlock = { number: number; hash: string };

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
