import { ArgumentError } from "../errors.ts";
import type { Clock, Random } from "../timing/index.ts";
import type { LeaseState, LeaseUser } from "./lease-claim.ts";
import type { Copy, SharedState } from "./shared-state.ts";

export type LeaseKeeperOptions = {
  shared: Pick<SharedState, "label" | "take" | "release" | "members" | "leave">;
  /** This process. */
  copy: Copy;
  /** For how long a lease is kept for a copy that is not heard of, in milliseconds; 200 or more. @default 15_000 */
  leaseMs?: number | undefined;
  /** For tests. @default the machine's clock */
  clock?: Clock | undefined;
  /** For tests. @default Math.random */
  random?: Random | undefined;
};

/** A wish for a lease. */
export type WantedLease = {
  readonly state: LeaseState;
  /** Closes what is open, then releases the lease. Never rejects. */
  leave(): Promise<void>;
};

/**
 * Keeps the leases of a process at one engine: takes those that are wanted and free, renews them together, and gives
 * back what is more than the share of this copy. One for each process and engine.
 * @example
 * const keeper = new LeaseKeeper({ shared, copy: { id: randomUUID(), name: hostname() } });
 * const wanted = keeper.want("alerts", {
 *   open: async (lease) => startReading(lease),
 *   close: async () => stopReading(),
 *   onState: ({ kind }) => console.log(kind),
 * });
 * await wanted.leave();
 */
export class LeaseKeeper {
  readonly leaseMs: number;

  /** Throws `ArgumentError` for a time that cannot work. */
  constructor(options: LeaseKeeperOptions) {
    const { leaseMs = 15_000 } = options;
    if (!(leaseMs >= 200)) throw new ArgumentError("leaseMs", "The lease must be 200 milliseconds or more.");
    this.leaseMs = leaseMs;
  }

  /**
   * Takes a lease as soon as it can, and again whenever it was lost, until `leave()` is called. Of several that want the
   * same lease in a process, the first one gets it.
   */
  want(_key: string, _user: LeaseUser): WantedLease {
    throw new Error("not yet");
  }

  /** Gives all leases back as `leave()` does, and takes this copy off the list of members. Never rejects. */
  async stop(): Promise<void> {}
}
