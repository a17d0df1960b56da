import type { CrecError } from "../errors.ts";
import type { Lease } from "./lease.ts";
import type { LeaseHolder } from "./shared-state.ts";

/** Whether this copy has a lease, and why not. */
export type LeaseState =
  | { kind: "looking" }
  | { kind: "held"; lease: Lease }
  /** Another copy has it. */
  | { kind: "elsewhere"; holder: LeaseHolder }
  /** It is free, and left to the other copies: this one holds its share. */
  | { kind: "waiting_for_share"; share: number; copies: number }
  /** The engine cannot be reached. It is tried again. */
  | { kind: "error"; error: CrecError };

/** What is done with a lease. Neither `open` nor `close` may reject. */
export type LeaseUser = {
  /** Called when this copy has the lease, and again when it has it again. */
  open: (lease: Lease) => Promise<void>;
  /**
   * Called once after each `open`, which may not have resolved yet: when the lease is lost, with `lease.over` aborted; or
   * when it is about to be given back. It is released when this has resolved, so the cursor can still be saved. The
   * next `open` waits for both.
   */
  close: () => Promise<void>;
  /** Called at each change; for another copy, when its epoch changes. `renewedMsAgo` is newer in `WantedLease.state`. */
  onState?: (state: LeaseState) => void;
};
