import type { Heads } from "../chain/chain-data.ts";
import type { Log } from "../log.ts";
import { now, rfc3339 } from "../time.ts";

/** How far a chain may be ahead of this machine: clocks differ, and blocks may be fast. */
const TOLERANCE_S = 60;

const LATE = "the deadline passed";

/** The reason of an operation whose deadline has passed by this machine's clock, or by the newest block. */
export function whyLate(deadline: number, heads?: Heads): string {
  const ahead = heads === undefined ? 0 : secondsAhead(heads);
  if (deadline < now() || ahead <= TOLERANCE_S) return LATE;
  return `${LATE} on the chain, whose newest block is ${ahead} s ahead of this machine's clock; set the clock right, or choose a later deadline`;
}

/** What to do when the chain is far ahead of the clock; undefined when it is not. */
export function clockProblem(heads: Heads): string | undefined {
  const ahead = secondsAhead(heads);
  if (ahead <= TOLERANCE_S) return undefined;
  return `The chain's newest block is ${ahead} s ahead of this machine's clock: the clock was set back, or the chain's time was increased. Deadlines are checked by the chain's time: an operation whose deadline is before ${rfc3339(heads.latest.timestamp)} ends as expired. Set the clock right, or choose later deadlines.`;
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

function secondsAhead({ latest }: Heads): number {
  return latest.timestamp - now();
}

/** Whether a deadline has passed at `time`, both in Unix seconds. 0 is no deadline. */
export function isPast(deadline: number, time: number): boolean {
  return deadline > 0 && time > deadline;
}
