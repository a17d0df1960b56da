import { CrecError } from "../../src/errors.ts";
import {
  type Lease,
  LeaseKeeper,
  type LeaseState,
  MemorySharedState,
  type SharedState,
  type WantedLease,
} from "../../src/ownership/index.ts";
import type { Clock } from "../../src/timing/index.ts";
import { SimulatedClock } from "./simulation.ts";

export const LEASE_MS = 1_000;

/** The clocks of one machine or process, which may be suspended. */
export class CopyClock implements Clock {
  readonly #base: SimulatedClock;
  /** How far the wall clock is ahead. */
  wallMs = 0;
  /** For how long the monotonic clock stood still, as it does while a machine sleeps. */
  stoodStillMs = 0;
  #resume: (() => void) | undefined;
  #resumed: Promise<void> = Promise.resolve();

  constructor(base: SimulatedClock) {
    this.#base = base;
  }

  now(): number {
    return this.#base.now() + this.wallMs;
  }

  elapsed(): number {
    return this.#base.elapsed() - this.stoodStillMs;
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    await this.#base.sleep(ms, signal);
    await this.resumed();
  }

  get isSuspended(): boolean {
    return this.#resume !== undefined;
  }

  /** Resolves when the process runs. */
  async resumed(): Promise<void> {
    if (!this.isSuspended) return;
    await this.#resumed;
    // It may be suspended again by now.
    await this.resumed();
  }

  suspend(): void {
    if (this.isSuspended) return;
    this.#resumed = new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  resume(): void {
    this.#resume?.();
    this.#resume = undefined;
  }
}

/** The connection of one copy to the engine, with what can go wrong on it. */
export class Link implements SharedState {
  readonly label = "memory";
  readonly #engine: SharedState;
  readonly #world: { base: SimulatedClock; clock: CopyClock };
  /** The engine is not reached. */
  isDown = false;
  /** The engine acts, and its answers do not arrive. */
  losesAnswers = false;
  /** How long a request and an answer take, in milliseconds. */
  delayMs = { request: 0, answer: 0 };
  readonly calls: string[] = [];

  constructor(engine: SharedState, world: { base: SimulatedClock; clock: CopyClock }) {
    this.#engine = engine;
    this.#world = world;
  }

  take: SharedState["take"] = (...given) => this.#call("take", () => this.#engine.take(...given));
  save: SharedState["save"] = (...given) => this.#call("save", () => this.#engine.save(...given));
  release: SharedState["release"] = (...given) => this.#call("release", () => this.#engine.release(...given));
  once: SharedState["once"] = (...given) => this.#call("once", () => this.#engine.once(...given));
  readRecord: SharedState["readRecord"] = (...given) =>
    this.#call("readRecord", () => this.#engine.readRecord(...given));
  writeRecord: SharedState["writeRecord"] = (...given) =>
    this.#call("writeRecord", () => this.#engine.writeRecord(...given));
  recordKeys: SharedState["recordKeys"] = (...given) =>
    this.#call("recordKeys", () => this.#engine.recordKeys(...given));
  members: SharedState["members"] = (...given) => this.#call("members", () => this.#engine.members(...given));
  leave: SharedState["leave"] = (...given) => this.#call("leave", () => this.#engine.leave(...given));
  async close(): Promise<void> {}

  async #call<T>(name: string, act: () => Promise<T>): Promise<T> {
    this.calls.push(name);
    const { clock } = this.#world;
    await this.#delay(this.delayMs.request);
    if (this.isDown) {
      await clock.resumed();
      throw unreachable();
    }
    const answer = await act();
    const isLost = this.losesAnswers;
    await this.#delay(this.delayMs.answer);
    await clock.resumed();
    if (isLost) throw unreachable();
    return answer;
  }

  async #delay(ms: number): Promise<void> {
    if (ms > 0) await this.#world.base.sleep(ms, new AbortController().signal);
  }
}

function unreachable(): CrecError {
  return new CrecError("SHARED_STATE_UNREACHABLE", "The engine is not reached.", { retryable: true });
}

/** One process with a keeper. What it does with its leases is written down. */
export class SimulatedCopy {
  readonly name: string;
  readonly clock: CopyClock;
  readonly link: Link;
  readonly keeper: LeaseKeeper;
  /** The last lease by key, even one that is over. */
  readonly leases = new Map<string, Lease>();
  readonly log: string[] = [];
  readonly wanted = new Map<string, WantedLease>();
  /** Awaited before something counts as closed. */
  closing: () => Promise<void> = async () => {};

  constructor(
    name: string,
    { base, engine }: { base: SimulatedClock; engine: SharedState },
    random = () => 0.5,
  ) {
    this.name = name;
    this.clock = new CopyClock(base);
    this.link = new Link(engine, { base, clock: this.clock });
    const copy = { id: `id of ${name}`, name };
    this.keeper = new LeaseKeeper({ shared: this.link, copy, leaseMs: LEASE_MS, clock: this.clock, random });
  }

  want(...keys: string[]): void {
    for (const key of keys)
      this.wanted.set(
        key,
        this.keeper.want(key, {
          open: async (lease) => {
            this.leases.set(key, lease);
            this.log.push(`open ${key}`);
          },
          close: async () => {
            this.log.push(`close ${key}${this.leases.get(key)?.over.aborted ? " lost" : ""}`);
            await this.closing();
            this.log.push(`closed ${key}`);
          },
          onState: (state) => this.log.push(`${key}: ${textOf(state)}`),
        }),
      );
  }

  stateOf(key: string): string {
    const state = this.wanted.get(key)?.state;
    return state === undefined ? "not wanted" : textOf(state);
  }

  /** The keys that it holds and is sure of. */
  get sure(): string[] {
    return [...this.leases].filter(([, { isSure }]) => isSure).map(([key]) => key);
  }

  /** Ends its use of everything, with its process running. */
  async stop(): Promise<void> {
    this.clock.resume();
    await this.keeper.stop();
    this.wanted.clear();
  }
}

function textOf(state: LeaseState): string {
  if (state.kind === "elsewhere") return `elsewhere (${state.holder.copy.name}, ${state.holder.epoch})`;
  if (state.kind === "held") return `held (${state.lease.epoch})`;
  if (state.kind === "error") return `error (${state.error.code})`;
  return state.kind;
}

/** Several copies at one engine, whose time a test turns. */
export class LeaseWorld {
  readonly base = new SimulatedClock();
  readonly engine: SharedState;
  readonly copies: SimulatedCopy[] = [];
  /** The first rule that was broken. */
  broken: string | undefined;
  readonly #epochs = new Map<string, { epoch: number; lease: Lease }>();

  constructor(change: (engine: SharedState) => SharedState = (engine) => engine) {
    this.engine = change(new MemorySharedState({ clock: this.base }));
    this.base.activity = () =>
      this.copies.reduce((sum, { log, link }) => sum + log.length + link.calls.length, 0);
  }

  add(name: string, random?: () => number): SimulatedCopy {
    const copy = new SimulatedCopy(name, this, random);
    this.copies.push(copy);
    return copy;
  }

  /** Lets time pass, and checks at each moment what must always hold. */
  async pass(ms: number): Promise<void> {
    const until = this.base.now() + ms;
    void this.base.sleep(ms, new AbortController().signal);
    await this.base.until(() => {
      this.check();
      return this.base.now() >= until;
    }, ms + 1);
    await this.base.pass(0);
    this.check();
  }

  async until(condition: () => boolean, limitMs = 60_000): Promise<void> {
    await this.base.until(() => {
      this.check();
      return condition();
    }, limitMs);
  }

  /** Awaits something while time passes. */
  async finish(work: Promise<unknown>): Promise<void> {
    let isOver = false;
    void work.finally(() => {
      isOver = true;
    });
    await this.until(() => isOver);
    await work;
  }

  async stop(): Promise<void> {
    await this.finish(Promise.all(this.copies.map((copy) => copy.stop())));
  }

  /** No lease is held by two copies that are sure of it, and no epoch goes back. */
  check(): void {
    const holders = new Map<string, string>();
    for (const copy of this.copies) {
      for (const key of copy.sure) {
        const other = holders.get(key);
        if (other !== undefined) this.broken ??= `${other} and ${copy.name} are sure of ${key}.`;
        holders.set(key, copy.name);
      }
      for (const [key, lease] of copy.leases) {
        const last = this.#epochs.get(key);
        if (last !== undefined && last.lease !== lease && lease.epoch === last.epoch)
          this.broken ??= `${key} has two leases with epoch ${lease.epoch}.`;
        if (last === undefined || lease.epoch > last.epoch)
          this.#epochs.set(key, { epoch: lease.epoch, lease });
      }
    }
  }
}
