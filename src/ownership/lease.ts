import { unlessAborted } from "../abort.ts";
import { CrecError } from "../errors.ts";
import { finite, kindOf, like } from "../options/index.ts";
import type { CursorState } from "../storage/cursor/cursor-state.ts";
import type { Clock } from "../timing/index.ts";
import type { ConsumerLease } from "./consumer-lease.ts";
import type { TakenLease } from "./shared-state.ts";

type LeaseOptions = {
  key: string;
  /** `damaged`: why the state cannot be used. */
  taken: TakenLease & { damaged?: CrecError };
  leaseMs: number;
  /** The clocks before the lease was asked for. */
  since: Reading;
  clock: Clock;
  /** Renews it at the engine and calls `renewed`. Rejects while the engine cannot be reached. */
  renew: () => Promise<void>;
  /** Of the engine, for people. */
  label: string;
};

/** A moment by the clocks of this process. */
type Reading = { monotonic: number; wall: number };

const readingKind = like<Reading>({ monotonic: finite, wall: finite });
const errorKind = kindOf<CrecError>("a CrecError", (value) => value instanceof CrecError);

/** The part of a lease for which it is relied on: clocks of two machines do not run at exactly the same speed. */
const SURE_PART = 0.9;
/** How long to wait before a renewal that failed is tried again. */
const RETRY_MS = 200;

/**
 * The time for which this process has a lease. The engine decides when it is over; this process stops earlier, by its
 * own clocks, since it cannot know what happened while it was suspended or cut off. Made by a `LeaseKeeper`.
 */
export class Lease implements ConsumerLease {
  readonly key: string;
  /** Higher than that of every holder before. */
  readonly epoch: number;
  /** The epoch before it, where the engine knew one. */
  readonly replaced: number | undefined;
  /** The cursor that was saved last when the lease was taken; undefined when there was none. */
  readonly state: CursorState | undefined;
  /** Why that cursor cannot be used, if it is damaged. */
  readonly damaged: CrecError | undefined;
  /** For how long the engine keeps it without a renewal, in milliseconds. */
  readonly leaseMs: number;
  /** The clock that it is measured by. @internal */
  readonly clock: Clock;
  readonly #options: LeaseOptions;
  readonly #over = new AbortController();
  #renewedAt: Reading;

  constructor(options: LeaseOptions) {
    const { key, taken, leaseMs, clock, since } = options;
    this.key = key;
    this.leaseMs = leaseMs;
    this.clock = clock;
    this.epoch = taken.epoch;
    this.replaced = taken.replaced;
    this.state = taken.state;
    this.damaged = taken.damaged;
    this.#options = options;
    this.#renewedAt = since;
    void this.#watch();
  }

  /** Aborted when the lease is lost or given back; the reason is a `CrecError` with the code `CONSUMER_MOVED`. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Whether no other copy can have it now. Asks only the clocks, so it may be read for each event. */
  get isSure(): boolean {
    return this.remainingMs() > 0;
  }

  /** For how long no other copy can have it, in milliseconds, if it is not renewed. */
  remainingMs(): number {
    if (this.over.aborted) return 0;
    const { clock } = this;
    const { monotonic, wall } = this.#renewedAt;
    // The monotonic clock may stand still while the machine sleeps. A wall clock that was set only causes a renewal.
    const elapsed = Math.max(clock.elapsed() - monotonic, Math.abs(clock.now() - wall));
    return Math.max(0, this.#sureMs - elapsed);
  }

  /**
   * Resolves when no other copy can have the lease now; renews it if necessary, and waits while the engine cannot be
   * reached. Throws `CONSUMER_MOVED` once the lease is over.
   */
  async confirm(): Promise<void> {
    while (!this.isSure) {
      if (this.over.aborted) throw this.over.reason;
      const renewed = this.#options.renew().catch(() => this.clock.sleep(RETRY_MS, this.over));
      await unlessAborted(renewed, this.over).catch(() => {});
    }
  }

  /** The engine has renewed the lease when it was asked at this moment, or a little later. */
  renewed(since: Reading): void {
    readingKind(since, "since");
    if (since.monotonic >= this.#renewedAt.monotonic) this.#renewedAt = since;
  }

  /** The lease is over for this reason. Nothing is changed at the engine. */
  end(reason: CrecError): void {
    this.#over.abort(errorKind(reason, "reason"));
  }

  get #sureMs(): number {
    return SURE_PART * this.leaseMs;
  }

  /** Ends the lease when it has expired and cannot be renewed. Only the monotonic clock counts for that. */
  async #watch(): Promise<void> {
    const { clock } = this;
    const expired = () => clock.elapsed() - this.#renewedAt.monotonic >= this.#sureMs;
    while (!this.over.aborted) {
      const inMs = this.#renewedAt.monotonic + this.#sureMs - clock.elapsed();
      await clock.sleep(Math.max(0, inMs), this.over);
      if (this.over.aborted || !expired()) continue;
      // It may have been suspended while no other copy wanted the lease.
      await this.#options.renew().catch(() => {});
      if (!this.over.aborted && expired()) this.end(notRenewed(this.#options));
    }
  }
}

export function readClocks(clock: Clock): Reading {
  return { monotonic: clock.elapsed(), wall: clock.now() };
}

/** The reason when the lease was released. */
export function givenBack(): CrecError {
  return new CrecError(
    "CONSUMER_MOVED",
    "This copy has given the channel back, so another copy may read it. It reads again when it has the channel again; you do not have to do anything.",
  );
}

function notRenewed({ label, leaseMs }: LeaseOptions): CrecError {
  return new CrecError(
    "CONSUMER_MOVED",
    `The shared state (${label}) could not be reached for ${leaseMs / 1000} s, so another copy may read this channel now. Check the connection to it. This copy reads again when it can be reached and the channel is free.`,
  );
}
