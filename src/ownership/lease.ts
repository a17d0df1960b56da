import { unlessAborted } from "../abort.ts";
import { CrecError } from "../errors.ts";
import { finite, kindOf, like } from "../options/index.ts";
import type { CursorState } from "../storage/cursor/cursor-state.ts";
import type { Clock, ClockReading } from "../timing/index.ts";
import type { TakenLease } from "./shared-state.ts";
import { type FencedLease, Tenure } from "./tenure.ts";

/** The right of a consumer to hand over events, which it may lose to another process at any time. */
export type ConsumerLease = {
  /** Goes into each delivery. Higher for each holder than for all before. */
  readonly epoch?: number;
  /** Aborted when the right is lost or given back. A `CrecError` as the reason becomes that of the consumer. */
  readonly over: AbortSignal;
  /** Whether no other process can have it now. It is read before each event. */
  readonly isSure: boolean;
  /** For how long that is so without a renewal, in milliseconds. */
  remainingMs(): number;
  /** Resolves when no other process can have it now; rejects once it is over. */
  confirm(): Promise<void>;
};

type LeaseOptions = {
  key: string;
  /** `damaged`: why the state cannot be used. */
  taken: TakenLease & { damaged?: CrecError };
  leaseMs: number;
  /** The clocks before the lease was asked for. */
  since: ClockReading;
  clock: Clock;
  /** Renews it at the engine and calls `renewed`. Rejects while the engine cannot be reached. */
  renew: () => Promise<void>;
  /** Of the engine, for people. */
  label: string;
};

const readingKind = like<ClockReading>({ monotonic: finite, wall: finite });
const errorKind = kindOf<CrecError>("a CrecError", (value) => value instanceof CrecError);

/** The part of a lease for which it is relied on: clocks of two machines do not run at exactly the same speed. */
const SURE_PART = 0.9;
/** How long to wait before a renewal that failed is tried again. */
const RETRY_MS = 200;

/**
 * The time for which this process has a lease. The engine decides when it is over; this process stops earlier, by its
 * own clocks, since it cannot know what happened while it was suspended or cut off. Made by a `LeaseKeeper`.
 */
export class Lease implements ConsumerLease, FencedLease {
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
  readonly #tenure: Tenure;

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
    this.#tenure = new Tenure({ ms: SURE_PART * leaseMs, since, clock });
    void this.#watch();
  }

  /** Aborted when the lease is lost or given back; the reason is a `CrecError` with the code `CONSUMER_MOVED`. */
  get over(): AbortSignal {
    return this.#tenure.over;
  }

  /** Whether no other copy can have it now. Asks only the clocks, so it may be read for each event. */
  get isSure(): boolean {
    return this.#tenure.isSure;
  }

  /** For how long no other copy can have it, in milliseconds, if it is not renewed. */
  remainingMs(): number {
    return this.#tenure.remainingMs();
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
  renewed(since: ClockReading): void {
    this.#tenure.renewed(readingKind(since, "since"));
  }

  /** The lease is over for this reason. Nothing is changed at the engine. */
  end(reason: CrecError): void {
    this.#tenure.end(errorKind(reason, "reason"));
  }

  /** Ends the lease when it has expired and cannot be renewed. Only the monotonic clock counts for that. */
  async #watch(): Promise<void> {
    const expired = () => this.#tenure.expiresInMs <= 0;
    while (!this.over.aborted) {
      await this.clock.sleep(Math.max(0, this.#tenure.expiresInMs), this.over);
      if (this.over.aborted || !expired()) continue;
      // It may have been suspended while no other copy wanted the lease.
      await this.#options.renew().catch(() => {});
      if (!this.over.aborted && expired()) this.end(notRenewed(this.#options));
    }
  }
}

/** The lease of a cursor that is damaged, if that is the error: it was taken all the same. Throws other errors. */
export function takenDamaged(error: unknown): TakenLease & { damaged: CrecError } {
  const isDamaged = error instanceof CrecError && error.code === "SHARED_CURSOR_DAMAGED";
  if (!isDamaged || !("epoch" in error) || typeof error.epoch !== "number") throw error;
  return { epoch: error.epoch, state: undefined, damaged: error };
}

/** Why a lease is over. */
export function endOf({ over }: ConsumerLease): CrecError {
  return over.reason instanceof CrecError ? over.reason : takenOver();
}

/** The reason when another copy has the lease by now. */
export function takenOver(): CrecError {
  return new CrecError(
    "CONSUMER_MOVED",
    "Another copy reads this channel now, and continues at the cursor that was saved last. This copy waits until the channel is free again; you do not have to do anything.",
  );
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
