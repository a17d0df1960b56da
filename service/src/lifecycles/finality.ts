import type { Confidence } from "../../../src/protocol/index.ts";
import type { Chain } from "../chain/chain.ts";
import type { Heads } from "../chain/chain-data.ts";
import type { Log } from "../log.ts";

/** So long a level may stand still: on a development chain, and where a minute is nothing. */
const STANDSTILL_MS = { development: 60_000, public: 1_800_000 };

/**
 * Finds out which levels of confidence the node does not reach: some nodes do not know them, or make blocks for
 * transactions only, and then call none of them finalized.
 */
export class FinalityWatch {
  readonly #chain: Pick<Chain, "isDevelopment" | "minesOnRequest">;
  readonly #levels: readonly Exclude<Confidence, "latest">[];
  readonly #log: Log;
  readonly #now: () => number;
  /** Per level: the block it has been at, since when, and whether that has been said. */
  readonly #seen = new Map<Confidence, { block: number; since: number; told: boolean }>();
  #problem: string | undefined;

  /** `confidences` are those that the network is to have; `now` counts milliseconds. */
  constructor(
    chain: Pick<Chain, "isDevelopment" | "minesOnRequest">,
    confidences: readonly Confidence[],
    log: Log,
    now = () => performance.now(),
  ) {
    this.#chain = chain;
    this.#levels = confidences.filter((level) => level !== "latest");
    this.#log = log;
    this.#now = now;
  }

  /** What stands still and what to do, as long as it does. */
  get problem(): string | undefined {
    return this.#problem;
  }

  look(heads: Heads): void {
    this.#problem = undefined;
    for (const level of this.#levels) this.#lookAt(level, heads);
  }

  #lookAt(level: Exclude<Confidence, "latest">, heads: Heads): void {
    const block = heads[level];
    const seen = this.#seen.get(level);
    if (seen === undefined || seen.block !== block || block >= heads.latest.number) {
      if (seen?.told === true) this.#log.info(`The chain's ${level} block moves again: it is ${block}.`);
      this.#seen.set(level, { block, since: this.#now(), told: false });
      return;
    }
    // Where blocks are made on request, as many are made as what waits for it takes, if the node knows the level.
    if (this.#chain.minesOnRequest && block > 0) return;
    const limit = this.#chain.isDevelopment ? STANDSTILL_MS.development : STANDSTILL_MS.public;
    if (this.#now() - seen.since < limit) return;
    const problem = `The newest block that the node calls ${level} has been ${block} for ${limit / 60_000} min or longer, and its newest block is ${heads.latest.number}. What waits for ${level} waits on. If this node does not get there, start the service with ${this.#weaker(level)}.`;
    if (!seen.told) this.#log.warn(problem);
    seen.told = true;
    // Of two levels the weaker one decides what the network has.
    this.#problem ??= problem;
  }

  #weaker(level: Confidence): string {
    const levels = ["latest", ...this.#levels.filter((other) => other === "safe" && level === "finalized")];
    return `--confidence ${levels.join(",")}`;
  }
}
