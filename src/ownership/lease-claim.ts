import type { CrecError } from "../errors.ts";
import { callable, like, optional } from "../options/index.ts";
import type { Lease } from "./lease.ts";
import type { LeaseHolder } from "./shared-state.ts";

/** Whether this copy has a lease, and why not. */
export type LeaseState =
  | { kind: "looking" }
  | { kind: "held"; lease: Lease }
  /** Another copy has it. */
  | { kind: "elsewhere"; holder: LeaseHolder }
  /** It is left to the other copies: this one holds its share. */
  | { kind: "waiting_for_share"; share: number; copies: number }
  /** The engine cannot be reached. It is tried again. */
  | { kind: "error"; error: CrecError };

/** What is done with a lease. Neither `open` nor `close` may reject. */
export type LeaseUser = {
  /** Called when this copy has the lease, and again when it has it again. */
  open: (lease: Lease) => Promise<void>;
  /**
   * Called once after each `open`, which may not have resolved yet: when the lease was lost, with `lease.over` aborted; or
   * when it is about to be given back. It is released when both have resolved, so the cursor can still be saved; but
   * not later than after a third of the lease, or 5 s.
   */
  close: () => Promise<void>;
  /** Called at each change; for another copy, when its epoch changes. `WantedLease.state` has a newer `renewedMsAgo`. */
  onState?: (state: LeaseState) => void;
};

export const userKind = like<LeaseUser>({
  open: callable(),
  close: callable(),
  onState: optional(callable()),
});

/** One wish for a lease: what it has, and what the user has open with it. */
export class LeaseClaim {
  readonly key: string;
  readonly #user: LeaseUser;
  #state: LeaseState = { kind: "looking" };
  #lease: Lease | undefined;
  #opened: Promise<void> = Promise.resolve();
  /** Set until everything is closed that was opened with the lease before. */
  #closing: Promise<void> | undefined;
  /** Set while the lease is asked for. */
  taking: Promise<void> | undefined;
  /** Set while the lease is given back. */
  returning: Promise<void> | undefined;
  /** Set once the lease is not wanted any more. */
  leaving: Promise<void> | undefined;

  constructor(key: string, user: LeaseUser) {
    this.key = key;
    this.#user = user;
  }

  get state(): LeaseState {
    return this.#state;
  }

  get lease(): Lease | undefined {
    return this.#lease;
  }

  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  /** Opens what the lease is for. `onLost` is called when it is over before `drop()`; it is dropped then. */
  hold(lease: Lease, onLost: () => void): void {
    this.#lease = lease;
    lease.over.addEventListener("abort", () => {
      if (this.#lease !== lease) return;
      this.drop();
      onLost();
    });
    this.show({ kind: "held", lease });
    this.#opened = this.#user.open(lease);
  }

  /** Closes what is open. Resolves when that is done; never rejects. */
  close(): Promise<void> {
    this.#closing ??= Promise.allSettled([this.#opened, this.#user.close()]).then(() => {
      this.#closing = undefined;
    });
    return this.#closing;
  }

  /** Has no lease any more. */
  drop(): void {
    this.#lease = undefined;
  }

  /** Once it is being left, its user does not hear of it any more. */
  show(state: LeaseState): void {
    const before = this.#state;
    this.#state = state;
    if (this.leaving === undefined && !isSame(before, state)) this.#user.onState?.(state);
  }
}

/** What a copy wants, with what it has. */
export function keysWanted(claims: ReadonlySet<LeaseClaim>): string[] {
  const wanted = [...claims].filter(({ leaving }) => leaving === undefined);
  return [...new Set(wanted.map(({ key }) => key))].sort();
}

/** Those without a lease that may get one: the first of each key, once another with the same key has left. */
export function firstOfEach(claims: ReadonlySet<LeaseClaim>): LeaseClaim[] {
  const keys = new Set<string>();
  return [...claims].filter(({ key, lease, leaving }) => {
    const isFirst = !keys.has(key);
    keys.add(key);
    return isFirst && leaving === undefined && lease === undefined;
  });
}

function isSame(a: LeaseState, b: LeaseState): boolean {
  if (a.kind === "held" && b.kind === "held") return a.lease === b.lease;
  if (a.kind === "elsewhere" && b.kind === "elsewhere")
    return a.holder.copy.id === b.holder.copy.id && a.holder.epoch === b.holder.epoch;
  if (a.kind === "error" && b.kind === "error") return a.error.message === b.error.message;
  if (a.kind === "waiting_for_share" && b.kind === "waiting_for_share")
    return a.share === b.share && a.copies === b.copies;
  return a.kind === "looking" && b.kind === "looking";
}
