import type { Confidence } from "../../../src/protocol/index.ts";
import type { Chain } from "../chain/chain.ts";
import type { Heads } from "../chain/chain-data.ts";
import type { Log } from "../log.ts";
import { now, rfc3339 } from "../time.ts";

/** How long a level may stay at one block, on a development chain and on a public network. */
const STANDSTILL_MS = { development: 60_000, public: 1_800_000 };

/** How far a chain may be ahead of this machine: clocks differ, and blocks may be fast. */
const TOLERANCE_S = 60;

const LATE = "the deadline passed";

/**
 * Detects confidence levels that the node does not reach: some nodes do not support them, or make blocks only for
 * transactions and never finalize them.
 */
export class FinalityWatch {
  readonly #chain: Pick<Chain, "isDevelopment" | "minesOnRequest">;
  readonly #levels: readonly Exclude<Confidence, "latest">[];
  readonly #log: Log;
  readonly #now: () => number;
  /** For each level: its block, since when, and whether the standstill was logged. */
  readonly #seen = new Map<Confidence, { block: number; since: number; logged: boolean }>();
  #problem: string | undefined;

  /** `confidences` are the levels of the network; `now` returns milliseconds. */
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

  /** Which level stands still and what to do; undefined when none does. */
  get problem(): string | undefined {
    return this.#problem;
  }

  check(heads: Heads): void {
    this.#problem = undefined;
    for (const level of this.#levels) this.#checkLevel(level, heads);
  }

  #checkLevel(level: Exclude<Confidence, "latest">, heads: Heads): void {
    const block = heads[level];
    const seen = this.#seen.get(level);
    if (seen === undefined || seen.block !== block || block >= heads.latest.number) {
      if (seen?.logged === true) this.#log.info(`The chain's ${level} block moves again: it is ${block}.`);
      this.#seen.set(level, { block, since: this.#now(), logged: false });
      return;
    }
    // Where blocks are made on request, the ticker makes as many as are needed, if the node supports the level.
    if (this.#chain.minesOnRequest && block > 0) return;
    const limit = this.#chain.isDevelopment ? STANDSTILL_MS.development : STANDSTILL_MS.public;
    if (this.#now() - seen.since < limit) return;
    const problem = `The newest block that the node calls ${level} has been ${block} for ${limit / 60_000} min or longer, and its newest block is ${heads.latest.number}. What needs ${level} keeps waiting. If this node never reaches it, start the service with ${this.#weaker(level)}.`;
    if (!seen.logged) this.#log.warn(problem);
    seen.logged = true;
    // Of two levels the weaker one decides what the network supports.
    this.#problem ??= problem;
  }

  #weaker(level: Confidence): string {
    const levels = ["latest", ...this.#levels.filter((other) => other === "safe" && level === "finalized")];
    return `--confidence ${levels.join(",")}`;
  }
}

/** Logs once when the clock is behind the chain, and once when it is right again. */
export class ClockWatch {
  readonly #log: Log;
  #logged = false;

  constructor(log: Log) {
    this.#log = log;
  }

  check(heads: Heads): void {
    const problem = clockProblem(heads);
    if (problem !== undefined && !this.#logged) this.#log.warn(problem);
    if (problem === undefined && this.#logged) this.#log.info("The clock and the chain agree again.");
    this.#logged = problem !== undefined;
  }
}

/** What to do when the chain is far ahead of the clock; undefined when it is not. */
export function clockProblem(heads: Heads): string | undefined {
  const ahead = secondsAhead(heads);
  if (ahead <= TOLERANCE_S) return undefined;
  return `The chain's newest block is ${ahead} s ahead of this machine's clock: the clock was set back, or the chain's time was increased. Deadlines are checked by the chain's time: an operation whose deadline is before ${rfc3339(heads.latest.timestamp)} ends as expired. Set the clock right, or choose later deadlines.`;
}

function secondsAhead({ latest }: Heads): number {
  return latest.timestamp - now();
}

/** The reason of an operation whose deadline has passed by this machine's clock, or by the newest block. */
export function whyLate(deadline: number, heads?: Heads): string {
  const ahead = heads === undefined ? 0 : secondsAhead(heads);
  if (deadline < now() || ahead <= TOLERANCE_S) return LATE;
  return `${LATE} on the chain, whose newest block is ${ahead} s ahead of this machine's clock; set the clock right, or choose a later deadline`;
}

/** Whether a deadline has passed at `time`, both in Unix seconds. 0 is no deadline. */
export function isPast(deadline: number, time: number): boolean {
  return deadline > 0 && time > deadline;
}
