import type { LogPlace } from "../../../src/alerts/index.ts";
import { unlisted } from "../../../src/index.ts";
import { CHAIN, hashOf, TOKEN } from "./logs.ts";

/** What a transaction emits: `a`, which may be twice, and `b` are reported by the source with alerts, the others by another one. */
type Emitted = { content: string; isOther: boolean };
export type Transaction = { number: number; emits: readonly Emitted[] };
type Block = { id: number; time: number; transactions: readonly Transaction[] };

/** A log as a service reports it. `at`: the time of its block. `hash`: of its block, which is not reported. */
export type Reported = { log: LogPlace; at: number; hash: number };

/** Blocks that are this many below the newest one are final. Reorganizations are less deep. */
const FINAL_DEPTH = 4;
const FIRST_BLOCK = 100;

/** A chain with a service that reports its logs: at `latest` when they are mined, and once when they are final. */
export class ChainModel {
  #blocks: Block[] = [];
  #mined = 0;
  #time = 0;
  #final = 0;
  /** Blocks that were replaced. */
  readonly replaced = new Set<number>();

  /** Adds a block; what is reported then. */
  mine(transactions: readonly Transaction[], at: number): Reported[] {
    this.#mined += 1;
    // A block that replaces another one has another time.
    this.#time = Math.max(this.#time + 1, at);
    this.#blocks.push({ id: this.#mined, time: this.#time, transactions });
    return [...this.#logsOf(this.#blocks.length - 1, "latest"), ...this.#finalized()];
  }

  /** Replaces the newest blocks. `again` chooses the transactions of each new block among those that were undone. */
  reorganize(depth: number, again: (undone: Transaction[]) => Transaction[][], at: number): Reported[] {
    const most = Math.min(depth, this.#blocks.length - this.#final);
    if (most <= 0) return [];
    const undone = this.#blocks.splice(this.#blocks.length - most);
    for (const { id } of undone) this.replaced.add(id);
    return again(undone.flatMap(({ transactions }) => [...transactions])).flatMap((block) =>
      this.mine(block, at),
    );
  }

  /** The names of the logs that are in the chain now. */
  get names(): string[] {
    return this.#blocks.flatMap((_block, index) =>
      this.#logsOf(index, "latest").map(({ log }) => nameOf(log)),
    );
  }

  #finalized(): Reported[] {
    const reported: Reported[] = [];
    for (; this.#final < this.#blocks.length - FINAL_DEPTH; this.#final += 1) {
      reported.push(...this.#logsOf(this.#final, "finalized"));
    }
    return reported;
  }

  #logsOf(index: number, confidence: string): Reported[] {
    const { id, time, transactions } = this.#blocks[index] as Block;
    const emitted = transactions.flatMap(({ number, emits }) => emits.map((one) => ({ number, ...one })));
    return emitted.map(({ number, content, isOther }, logIndex) => ({
      at: time,
      hash: id,
      log: {
        chainSelector: CHAIN,
        transactionHash: hashOf(number),
        blockNumber: `${FIRST_BLOCK + index}`,
        logIndex: `${logIndex}`,
        confidence: unlisted(confidence),
        contract: TOKEN,
        content,
        source: isOther ? "others" : "alerts",
      },
    }));
  }
}

/** The same for a log in each block, and for those of a transaction that are the same. */
export function nameOf({ transactionHash, content }: LogPlace): string {
  return `${Number(transactionHash)} ${content}`;
}
