import { type Clock, type ClockReading, elapsedSince } from "../timing/clock.ts";

/**
 * What one process at a time has: the state folder, the waits of a process that has ended, the cursor of a channel. It is
 * taken, renewed, lost and given back; who else has it is in a state `elsewhere`.
 */
type HeldLease = {
  /** Aborted when it is lost or given back. */
  readonly over: AbortSignal;
  /** Whether no other process can have it now. Asks only the clocks: it may be read for each event. */
  readonly isSure: boolean;
  /** Resolves when no other process can have it now; rejects once it is over. */
  confirm(): Promise<void>;
};

/** One that a file shows. Nothing stops what its holder writes too late, so the holder confirms it before each write. */
export type UnfencedLease = HeldLease & { readonly epoch?: undefined };

/** One of a shared state, which refuses what is written with an epoch that is not the present one. */
export type FencedLease = HeldLease & {
  /** Higher than that of every holder before. */
  readonly epoch: number;
};

type TenureOptions = {
  /** For how long a renewal is relied on, in milliseconds. */
  ms: number;
  /** The clocks before it was taken. */
  since: ClockReading;
  clock: Pick<Clock, "now" | "elapsed">;
};

/** The time for which this process has a lease, by its own clocks: it cannot know what happened while it was suspended. */
export class Tenure {
  readonly #ms: number;
  readonly #clock: TenureOptions["clock"];
  readonly #over = new AbortController();
  #renewedAt: ClockReading;

  constructor({ ms, since, clock }: TenureOptions) {
    this.#ms = ms;
    this.#clock = clock;
    this.#renewedAt = since;
  }

  get over(): AbortSignal {
    return this.#over.signal;
  }

  get isSure(): boolean {
    return this.remainingMs() > 0;
  }

  /** For how long no other process can have it if it is not renewed, in milliseconds. */
  remainingMs(): number {
    if (this.over.aborted) return 0;
    // A wall clock that was set only causes a renewal.
    return Math.max(0, this.#ms - elapsedSince(this.#renewedAt, this.#clock));
  }

  /** When it expires, in milliseconds from now. Only the monotonic clock counts for that. */
  get expiresInMs(): number {
    return this.#ms - (this.#clock.elapsed() - this.#renewedAt.monotonic);
  }

  /** It was renewed at this moment, or a little later. */
  renewed(since: ClockReading): void {
    if (since.monotonic >= this.#renewedAt.monotonic) this.#renewedAt = since;
  }

  end(reason?: Error): void {
    this.#over.abort(reason);
  }
}
