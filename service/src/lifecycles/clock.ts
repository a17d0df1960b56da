import type { Heads } from "../chain/chain-data.ts";
import type { Log } from "../log.ts";
import { now, rfc3339 } from "../time.ts";

/** So many seconds a chain may be ahead of this machine: clocks differ, and blocks may come fast. */
const TOLERANCE_S = 60;

const LATE = "the deadline passed";

/** Why an operation ends whose deadline has passed by the clock here, or by the time of the newest block. */
export function whyLate(deadline: number, heads?: Heads): string {
  const ahead = heads === undefined ? 0 : secondsAhead(heads);
  if (deadline < now() || ahead <= TOLERANCE_S) return LATE;
  return `${LATE} on the chain, whose newest block is ${ahead} s ahead of this machine's clock; set the clock right, or choose a later deadline`;
}

/** What is wrong when the chain is far ahead of the clock, and what to do; undefined when it is not. */
export function clockProblem(heads: Heads): string | undefined {
  const ahead = secondsAhead(heads);
  if (ahead <= TOLERANCE_S) return undefined;
  return `The chain's newest block is ${ahead} s ahead of this machine's clock: the clock was set back, or the chain's time was moved on. Deadlines count by the chain: an operation whose deadline is before ${rfc3339(heads.latest.timestamp)} ends as expired. Set the clock right, or choose later deadlines.`;
}

/** Says once that the clock is behind the chain, and once that it is right again. */
export class ClockWatch {
  readonly #log: Log;
  #told = false;

  constructor(log: Log) {
    this.#log = log;
  }

  look(heads: Heads): void {
    const problem = clockProblem(heads);
    if (problem !== undefined && !this.#told) this.#log.warn(problem);
    if (problem === undefined && this.#told) this.#log.info("The clock and the chain agree again.");
    this.#told = problem !== undefined;
  }
}

function secondsAhead({ latest }: Heads): number {
  return latest.timestamp - now();
}

/** Whether a deadline has passed at `time`, in seconds; 0 is no deadline. */
export function isPast(deadline: number, time: number): boolean {
  return deadline > 0 && time > deadline;
}
