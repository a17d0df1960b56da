import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { leaseKey } from "../../../nodes/common/fleet/held-leases.ts";
import { type Copy, openSharedState, type SharedState } from "../../../src/index.ts";
import { CONSUMER, LEASE_MS } from "./flow.ts";
import type { Stage } from "./stage.ts";

/** What the database said about the lease, to somebody who takes no part. */
export type Observed = {
  /** One after the other, each once. */
  leaseEpochs: number[];
  /** What the copies saved last; undefined when they saved nothing. */
  cursor: number | undefined;
};

const LOOK_MS = 50;

/** Watches the lease of the copies by a connection of its own. */
export class Observer {
  readonly #shared: SharedState;
  readonly #key: string;
  readonly #copy: Copy = { id: randomUUID(), name: "observer" };
  readonly #leaseEpochs: number[] = [];
  #watching: Promise<void>;
  #isOver = false;

  private constructor(shared: SharedState, key: string) {
    this.#shared = shared;
    this.#key = key;
    this.#watching = this.#watch();
  }

  static async start({ engine, chain }: Stage): Promise<Observer> {
    const shared = await openSharedState(engine.urlAt(engine.port));
    return new Observer(shared, leaseKey(CONSUMER, chain.channelId));
  }

  /** Takes the lease, which the copies have released. */
  async end(): Promise<Observed> {
    await this.#stop();
    const taken = await this.#shared.take(this.#key, this.#copy, LEASE_MS);
    if (taken === undefined) throw new Error("The copies have stopped and not released the lease.");
    return { leaseEpochs: [...this.#leaseEpochs, taken.epoch], cursor: taken.state?.cursor };
  }

  async close(): Promise<void> {
    await this.#stop();
    await this.#shared.close();
  }

  async #stop(): Promise<void> {
    this.#isOver = true;
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const presence = {
      copy: this.#copy,
      group: "observer",
      leaseMs: LEASE_MS,
      held: [],
      wanted: [this.#key],
    };
    // biome-ignore lint/plugin: it watches as long as the copies run
    while (!this.#isOver) {
      // The database is down at times.
      const members = await this.#shared.members(presence).catch(() => undefined);
      const epoch = members?.holders.get(this.#key)?.epoch;
      if (epoch !== undefined && epoch !== this.#leaseEpochs.at(-1)) this.#leaseEpochs.push(epoch);
      await sleep(LOOK_MS);
    }
  }
}
