import type { Hex } from "../../../../src/protocol/index.ts";
import type { RawLog } from "../chain-data.ts";
import { LearnedSize } from "./learned-size.ts";
import { isRefusal, isTooMuch, isUnreachable } from "./refusals.ts";

/** Blocks, contracts and topics. As a topic, null matches any, and a list one of them. */
type LogFilter = { addresses: readonly string[]; topics?: ReadonlyArray<Hex | readonly Hex[] | null> };
export type LogRange = LogFilter & { from: number; to: number };

/** Blocks in one request, unless the node has a lower limit. */
const MOST_BLOCKS = 500;
/** Logs returned together, and characters of their data, unless one block has more. */
const MANY = { logs: 2000, characters: 4_000_000 };

/** Logs from a node that limits the blocks or logs of a request: what it refuses is requested in parts. */
export class LogRanges {
  readonly #ask: (range: LogRange) => Promise<RawLog[]>;
  readonly #blocks = new LearnedSize(MOST_BLOCKS);

  constructor(ask: (range: LogRange) => Promise<RawLog[]>) {
    this.#ask = ask;
  }

  /** How many blocks probably fit one request. */
  get size(): number {
    return this.#blocks.size;
  }

  /**
   * All logs of the range, both ends included, in the order of the chain.
   *
   * @throws what the call throws when the node refuses even the logs of one contract in one block.
   */
  async all({ from, to, ...filter }: LogRange): Promise<RawLog[]> {
    const found: RawLog[] = [];
    for (let next = from; next <= to; ) {
      const part = await this.some({ ...filter, from: next, to });
      append(found, part.logs);
      next = part.to + 1;
    }
    return found;
  }

  /**
   * Logs from the start of the range, of as many blocks as fit one request. `to` is the last block.
   *
   * @throws as `all`.
   */
  async some({ from, to, ...filter }: LogRange): Promise<{ logs: RawLog[]; to: number }> {
    for (;;) {
      const last = Math.min(from + this.#blocks.size - 1, to);
      const blocks = last - from + 1;
      try {
        return this.#noMoreThanMany(inOrder(await this.#ask({ ...filter, from, to: last })), from, last);
      } catch (error) {
        if (!this.#isForItsSize(error, blocks)) throw error;
        if (blocks === 1) {
          const logs = await this.#readBlock({ ...filter, from, to: from }, error);
          return { logs: inOrder(logs), to: from };
        }
        this.#blocks.refused(blocks);
      }
    }
  }

  /** Requests fewer blocks at a time where they have many logs. */
  #noMoreThanMany(logs: RawLog[], from: number, to: number): { logs: RawLog[]; to: number } {
    const { share, first } = upTo(MANY, logs);
    if (first === undefined) {
      if (2 * share <= 1 || to - from + 1 < this.#blocks.size) this.#blocks.fitted(to - from + 1);
      return { logs, to };
    }
    const last = Math.max(from, first.blockNumber - 1);
    this.#blocks.keepTo(last - from + 1);
    return { logs: logs.filter(({ blockNumber }) => blockNumber <= last), to: last };
  }

  /** Requests one block that has too many logs by fewer contracts, then by fewer topics. */
  async #readBlock(range: LogRange, refusal: unknown): Promise<RawLog[]> {
    const found: RawLog[] = [];
    for (const part of halves(range) ?? raise(refusal)) {
      try {
        append(found, await this.#ask(part));
      } catch (error) {
        if (!isTooMuch(error)) throw error;
        append(found, await this.#readBlock(part, error));
      }
    }
    return found;
  }

  /** Nodes report limits in many forms. A request that is refused repeatedly is tried in parts. */
  #isForItsSize(error: unknown, blocks: number): boolean {
    if (isTooMuch(error)) return true;
    const mayBe = isRefusal(error) || isUnreachable(error);
    return mayBe && blocks > 1 && this.#blocks.isSuspect(blocks);
  }
}

/** Which share of the most these logs are, and the first one that is too many. */
function upTo(most: typeof MANY, logs: readonly RawLog[]): { share: number; first: RawLog | undefined } {
  let characters = 0;
  for (const [index, log] of logs.entries()) {
    characters += log.data.length;
    if (index >= most.logs || characters > most.characters) return { share: 1, first: log };
  }
  return { share: Math.max(logs.length / most.logs, characters / most.characters), first: undefined };
}

function halves(range: LogRange): [LogRange, LogRange] | undefined {
  const { addresses, topics = [] } = range;
  if (addresses.length > 1) {
    const [first, second] = split(addresses);
    return [
      { ...range, addresses: first },
      { ...range, addresses: second },
    ];
  }
  const [kinds, ...others] = topics;
  if (!Array.isArray(kinds) || kinds.length < 2) return undefined;
  const [first, second] = split(kinds as readonly Hex[]);
  return [
    { ...range, topics: [first, ...others] },
    { ...range, topics: [second, ...others] },
  ];
}

function inOrder(logs: RawLog[]): RawLog[] {
  return logs.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
}

function split<T>(list: readonly T[]): [T[], T[]] {
  const middle = Math.ceil(list.length / 2);
  return [list.slice(0, middle), list.slice(middle)];
}

/** Without spread arguments, whose number is limited. */
function append<T>(to: T[], more: readonly T[]): void {
  for (const item of more) to.push(item);
}

function raise(error: unknown): never {
  throw error;
}
