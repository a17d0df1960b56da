import { AsyncLocalStorage } from "node:async_hooks";
import { areFlowsRestarting } from "../../common/flows/flows-started.ts";
import type { Given } from "./feeders.ts";

export type TickerOptions = {
  /** Up to when all events were given. */
  given: () => Promise<Given>;
  /** Whether it is told at once that time stands still: nothing but time leads to an absence. */
  isAbsence: boolean;
  /** An event may arrive so much later than its block. */
  slackMs: number;
  /** Called with what is waited for, where something is due and waits; with undefined where nothing does. */
  onWait: (waitsFor: Pick<Given, "reader"> | undefined) => void;
  /** All inputs up to this event time were given. Resolves with the event time of the next check. Never rejects. */
  tick: (at: number) => Promise<number | undefined>;
  /** The same while it is not known up to when they were given, such as on a copy that does not read. */
  wait: () => Promise<number | undefined>;
};

const SHORTEST_MS = 250;
/** While the channel is behind what is due. */
const LAGGING_MS = 1_000;
const LONGEST_MS = 30_000;
/** A poll or two after its time, nothing waits. */
const LATE_MS = 10_000;
/** A channel that lags by more than this does not count as read up to now. */
const LAG_MS = 120_000;

/**
 * Tells a rule up to which time all events were received: the time up to which those were read that feed it, since an
 * outage of the service is not an absence of events; else the present.
 */
export class Ticker {
  readonly #options: TickerOptions;
  #timer: NodeJS.Timeout | undefined;
  #dueAt: number | undefined;
  #isRunning = false;
  /** What a tick leads to does not belong to the event that made it due. */
  readonly #outside = AsyncLocalStorage.snapshot();

  constructor(options: TickerOptions) {
    this.#options = options;
  }

  /** Ticks at once: an absence is watched from then on. */
  start(): void {
    this.#isRunning = true;
    this.#schedule(0);
  }

  /** An input may have changed what is due next, in event time. */
  look(dueAt: number | undefined): void {
    if (!this.#isRunning || dueAt === undefined || dueAt >= (this.#dueAt ?? Number.POSITIVE_INFINITY)) return;
    this.#dueAt = dueAt;
    this.#schedule(this.#waitFor(dueAt));
  }

  stop(): void {
    this.#isRunning = false;
    clearTimeout(this.#timer);
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#outside(() => this.#look()), ms);
  }

  async #look(): Promise<void> {
    const { given, tick, wait, onWait, slackMs } = this.#options;
    // While a deploy restarts them, the readers that feed it may be missing.
    const found = areFlowsRestarting() ? undefined : await given();
    if (!this.#isRunning) return;
    if (found === undefined || areFlowsRestarting()) return this.#schedule(LAGGING_MS);
    const { at, reader } = found;
    const known = at === undefined ? await wait() : await tick(at - slackMs);
    if (!this.#isRunning) return;
    this.#dueAt = known ?? (at === undefined ? this.#dueAt : undefined);
    onWait(this.#isWaiting(at) ? { reader } : undefined);
    this.#schedule(at === undefined ? LAGGING_MS : this.#waitFor(this.#dueAt));
  }

  #isWaiting(at: number | undefined): boolean {
    const { isAbsence, slackMs } = this.#options;
    const now = Date.now();
    if (isAbsence && (at === undefined || now - at > LAG_MS)) return true;
    if (this.#dueAt === undefined || this.#dueAt + slackMs + LATE_MS > now) return false;
    return at === undefined || at - slackMs < this.#dueAt;
  }

  #waitFor(dueAt: number | undefined): number {
    if (dueAt === undefined) return LONGEST_MS;
    const inMs = dueAt + this.#options.slackMs - Date.now();
    return Math.min(LONGEST_MS, Math.max(inMs, inMs < 0 ? LAGGING_MS : SHORTEST_MS));
  }
}
