import { asCrecError, type CrecError } from "../errors.ts";
import { aNumber, callable, clockKind, like, optional, options, text } from "../options/index.ts";
import { checksumOf } from "../storage/checksum.ts";
import { type Clock, type Random, readClocks, systemClock } from "../timing/index.ts";
import { givenBack, Lease, takenDamaged, takenOver } from "./lease.ts";
import {
  firstOfEach,
  keysWanted,
  LeaseClaim,
  type LeaseState,
  type LeaseUser,
  userKind,
} from "./lease-claim.ts";
import { answeredInTime, copyKind } from "./shared-calls.ts";
import type { Copy, LeaseHolder, Members, SharedState } from "./shared-state.ts";

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

const keeperOptions = options<LeaseKeeperOptions>({
  shared: like<LeaseKeeperOptions["shared"]>({
    label: text,
    take: callable(),
    release: callable(),
    members: callable(),
    leave: callable(),
  }),
  copy: copyKind,
  leaseMs: optional(aNumber("200 milliseconds or more", (value) => Number.isFinite(value) && value >= 200)),
  clock: optional(clockKind),
  random: optional(callable()),
});

/** A wish for a lease. */
export type WantedLease = {
  readonly state: LeaseState;
  /** Closes what is open, then releases the lease. Never rejects. */
  leave(): Promise<void>;
};

/** A copy says four times in a lease that it is alive, */
const HEARTBEATS_PER_LEASE = 4;
/** and looks at least this often for a lease that it does not have, in milliseconds. */
const MAX_LOOK_MS = 500;
/** Before each look: what one deploy wants is then wanted together. */
const MIN_LOOK_MS = 20;
/** What takes a longer part of a lease, or this long, has failed: there must be time to try again. */
const CALL_PART = 1 / 3;
const MAX_CALL_MS = 5_000;
/** How many leases are taken at the same time. */
const MAX_TAKES = 50;
const NEVER = new AbortController().signal;

/**
 * Keeps the leases of a process at one engine: takes those that are wanted and free, renews them together, and gives
 * back what is more than the share of this copy. One for each process and engine.
 * @example
 * const shared = new MemorySharedState();
 * const keeper = new LeaseKeeper({ shared, copy: { id: "1", name: "pod-a" } });
 * const wanted = keeper.want("alerts", {
 *   open: async ({ epoch }) => console.log(`reads with epoch ${epoch}`),
 *   close: async () => console.log("reads no more"),
 *   onState: ({ kind }) => console.log(kind),
 * });
 * await wanted.leave();
 */
export class LeaseKeeper {
  readonly leaseMs: number;
  readonly #options: LeaseKeeperOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  /** In the order in which they came. Those that leave are in it until their lease is released. */
  readonly #claims = new Set<LeaseClaim>();
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;
  /** Ends the wait for the next look. */
  #wake = new AbortController();
  #heartbeatUnderWay: Promise<Members> | undefined;
  /** Of the last call, if it failed. */
  #error: CrecError | undefined;

  /** Throws `ArgumentError` for a time that cannot work. */
  constructor(options: LeaseKeeperOptions) {
    const given = keeperOptions(options);
    const { leaseMs = 15_000, clock = systemClock, random = Math.random } = given;
    this.leaseMs = leaseMs;
    this.#options = given;
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * Takes a lease as soon as it can, and again whenever it was lost, until `leave()` is called. Of several that want the
   * same lease in a process, the first one gets it.
   */
  want(key: string, user: LeaseUser): WantedLease {
    const claim = new LeaseClaim(text(key, "key"), userKind(user, "user"));
    this.#claims.add(claim);
    this.#lookNow();
    return {
      get state() {
        return claim.state;
      },
      leave: () => this.#leave(claim),
    };
  }

  /** Gives all leases back as `leave()` does, and takes this copy off the list of members. Never rejects. */
  async stop(): Promise<void> {
    await Promise.all([...this.#claims].map((claim) => this.#leave(claim)));
    await this.#running;
  }

  #lookNow(): void {
    this.#wake.abort();
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#running = this.#running.then(() => this.#run());
  }

  async #run(): Promise<void> {
    for (;;) {
      await this.#clock.sleep(MIN_LOOK_MS, NEVER);
      if (this.#claims.size === 0) break;
      this.#wake = new AbortController();
      let isComplete = true;
      try {
        isComplete = await this.#look();
      } catch (thrown) {
        const error = asCrecError(thrown);
        this.#error = error;
        for (const claim of this.#claims) if (!claim.lease) claim.show({ kind: "error", error });
      }
      if (isComplete) await this.#clock.sleep(this.#waitMs(), this.#wake.signal);
    }
    this.#isRunning = false;
    const { shared, copy } = this.#options;
    await this.#inTime(shared.leave(copy)).catch(() => {});
  }

  #waitMs(): number {
    const heartbeatMs = this.leaseMs / HEARTBEATS_PER_LEASE;
    const isHeld = this.#error === undefined && [...this.#claims].every(({ lease }) => lease);
    return (isHeld ? heartbeatMs : Math.min(heartbeatMs, MAX_LOOK_MS)) * (1 - this.#random() / 5);
  }

  /** Renews, takes what is free, gives back the surplus. Returns whether nothing is left to take. */
  async #look(): Promise<boolean> {
    const { copies, holders } = await this.#heartbeat();
    const keys = keysWanted(this.#claims);
    const share = Math.ceil(keys.length / Math.max(1, copies.length));
    const held = [...this.#claims].filter(({ lease }) => lease);
    for (const claim of held.filter(({ returning }) => !returning).slice(share))
      void this.#giveBack(claim).then(() =>
        claim.show({ kind: "waiting_for_share", share, copies: copies.length }),
      );
    const free: LeaseClaim[] = [];
    for (const claim of firstOfEach(this.#claims)) {
      const holder = this.#holderOf(claim, holders);
      if (holder !== undefined) claim.show({ kind: "elsewhere", holder });
      else if (!claim.isClosing && !claim.returning) free.push(claim);
    }
    const room = Math.max(0, share - held.length);
    if (room === 0)
      for (const claim of free) claim.show({ kind: "waiting_for_share", share, copies: copies.length });
    // Copies that begin at the same time should not all take the same.
    const first = Math.floor(this.#random() * free.length);
    const taken = [...free.slice(first), ...free.slice(0, first)].slice(0, Math.min(room, MAX_TAKES));
    await Promise.all(taken.map((claim) => this.#take(claim)));
    return taken.length === Math.min(room, free.length);
  }

  /** The other copy that has the lease. */
  #holderOf({ key }: LeaseClaim, holders: Members["holders"]): LeaseHolder | undefined {
    const holder = holders.get(key);
    // This copy may have it unknowingly, when the answer was lost; it takes it again.
    return holder?.copy.id === this.#options.copy.id ? undefined : holder;
  }

  /** Renews all leases, and notes which are lost. Rejects with the error of the engine. */
  #heartbeat(): Promise<Members> {
    this.#heartbeatUnderWay ??= this.#sayAlive().finally(() => {
      this.#heartbeatUnderWay = undefined;
    });
    return this.#heartbeatUnderWay;
  }

  async #sayAlive(): Promise<Members> {
    const { shared, copy } = this.#options;
    const since = readClocks(this.#clock);
    const leases = [...this.#claims].flatMap(({ lease }) => lease ?? []);
    const members = await this.#inTime(
      shared.members({
        ...{ copy, leaseMs: this.leaseMs },
        group: checksumOf(JSON.stringify(keysWanted(this.#claims))).slice(0, 16),
        held: leases.map(({ key, epoch }) => ({ key, epoch })),
        wanted: firstOfEach(this.#claims).map(({ key }) => key),
      }),
    );
    this.#error = undefined;
    const lost = new Set(members.lost);
    for (const lease of leases)
      if (lost.has(lease.key)) lease.end(takenOver());
      else lease.renewed(since);
    return members;
  }

  /** Takes a lease if no other copy has it by now. Never rejects. */
  #take(claim: LeaseClaim): Promise<void> {
    claim.taking = this.#tryTake(claim)
      .catch((thrown) => claim.show({ kind: "error", error: asCrecError(thrown) }))
      .finally(() => {
        claim.taking = undefined;
      });
    return claim.taking;
  }

  async #tryTake(claim: LeaseClaim): Promise<void> {
    const { shared, copy } = this.#options;
    const { leaseMs, key } = { leaseMs: this.leaseMs, key: claim.key };
    const since = readClocks(this.#clock);
    let isAwaited = true;
    const asked = shared.take(key, copy, leaseMs).catch(takenDamaged);
    const held = asked.then((taken) => {
      if (taken === undefined) return;
      const options = { key, taken, leaseMs, since, clock: this.#clock, label: shared.label };
      const lease = new Lease({ ...options, renew: () => this.#heartbeat().then(() => {}) });
      if (isAwaited && lease.isSure && claim.leaving === undefined)
        return claim.hold(lease, () => this.#lost(claim));
      // The answer came too late to be of use, but the engine has given the lease to this copy: with a new epoch.
      for (const { key: other, lease: held } of this.#claims)
        if (other === key && held && held.epoch < lease.epoch) held.end(takenOver());
      return this.#release(lease);
    });
    await this.#inTime(held).finally(() => {
      isAwaited = false;
    });
  }

  #lost(claim: LeaseClaim): void {
    claim.show(this.#error ? { kind: "error", error: this.#error } : { kind: "looking" });
    void claim.close().then(() => this.#wake.abort());
  }

  async #leave(claim: LeaseClaim): Promise<void> {
    claim.leaving ??= (async () => {
      await claim.taking;
      await this.#giveBack(claim);
      this.#claims.delete(claim);
      this.#wake.abort();
    })();
    await claim.leaving;
  }

  /** Closes what is open, then releases the lease. Never rejects. */
  #giveBack(claim: LeaseClaim): Promise<void> {
    claim.returning ??= this.#close(claim).finally(() => {
      claim.returning = undefined;
    });
    return claim.returning;
  }

  async #close(claim: LeaseClaim): Promise<void> {
    const { lease } = claim;
    if (lease === undefined && !claim.isClosing) return;
    // What does not close must not keep the lease from the other copies.
    await this.#inTime(claim.close()).catch(() => {});
    // A renewal under way must not reach the engine after the release.
    while (this.#heartbeatUnderWay !== undefined) await this.#heartbeatUnderWay.catch(() => {});
    if (lease === undefined || lease.over.aborted) return;
    claim.drop();
    await this.#release(lease);
  }

  async #release(lease: Lease): Promise<void> {
    const { shared } = this.#options;
    lease.end(givenBack());
    // Where this fails, the engine ends the lease in time.
    await this.#inTime(shared.release(lease.key, lease.epoch)).catch(() => {});
  }

  #inTime<T>(promised: Promise<T>): Promise<T> {
    const ms = Math.min(CALL_PART * this.leaseMs, MAX_CALL_MS);
    return answeredInTime(promised, { ms, clock: this.#clock, label: this.#options.shared.label });
  }
}
