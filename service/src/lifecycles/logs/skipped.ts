import type { RawLog } from "../../chain/chain-data.ts";
import { isRefusal, isUnreachable } from "../../chain/node/refusals.ts";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { isOfStorage } from "../../store/database.ts";
import type { StoredWatcher } from "../../store/watchers.ts";

/** Logs that are remembered, so that each is counted once: it is read at each confidence level. */
const REMEMBERED = 10_000;

/** The logs that could not be decoded, signed or stored for a watcher since the start. Nothing else waits for them. */
export class SkippedLogs {
  readonly #log: Log;
  readonly #seen = new Set<string>();
  #count = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  /** How many, each counted once for a watcher. */
  get count(): number {
    return this.#count;
  }

  /**
   * Notes that a watcher does not report a log.
   *
   * @throws the error when it says nothing about this log: reading continues there later.
   */
  skip(watcher: Pick<StoredWatcher, "watcher_id">, log: RawLog, error: unknown): void {
    if (!isOfOneLog(error)) throw error;
    const key = `${watcher.watcher_id} ${log.blockHash} ${log.logIndex}`;
    if (this.#seen.has(key)) return;
    if (this.#seen.size >= REMEMBERED) this.#seen.clear();
    this.#seen.add(key);
    this.#count += 1;
    this.#log.warn(
      `Watcher ${watcher.watcher_id} skips log ${log.logIndex} of block ${log.blockNumber}, transaction ${log.transactionHash}: ${messageOf(error)}`,
    );
  }
}

/** Whether an error is about the log in hand: not about the chain, the node or the disk, which others meet as well. */
export function isOfOneLog(error: unknown): boolean {
  const isOfAll =
    error instanceof ChainMoved || isRefusal(error) || isUnreachable(error) || isOfStorage(error);
  return !isOfAll;
}

/** The chain replaced blocks while they were read. */
export class ChainMoved extends Error {
  override readonly name = "ChainMoved";
  constructor() {
    super("the chain replaced blocks while they were read; reading them again");
  }
}
