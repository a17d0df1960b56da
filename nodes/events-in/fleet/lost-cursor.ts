import { setTimeout as sleep } from "node:timers/promises";
import type { EventConsumer, LeaseState, SharedState } from "../../../src/index.ts";
import type { Fleet } from "../../common/fleet/join-fleet.ts";
import { type ConsumerMemory, type Remembered, rememberedIn } from "../consumer-memory.ts";
import { positionOf } from "../reader/commands.ts";

const RETRY_MS = 500;
const MOST_COPIES = 1_000;
/** What is published must be there until the copy that asks has waited for one lease. */
const KEPT_LEASES = 4;
/** The copy that reads has settled by then what it continues with. Before, its epoch says nothing about a cursor. */
const SETTLED_LEASES = 1.5;

type Records = Pick<SharedState, "recordKeys" | "readRecord" | "writeRecord">;

type Leased = { key: string; memory: Pick<ConsumerMemory, "recall" | "note"> };

type OfCopy = Pick<Fleet, "copy" | "leaseMs"> & { shared: Records };

const scopeOf = (key: string) => `remembered ${key}`;
const LOOK_MS = 1_000;
/** Without a sign of the copy that waits, nobody waits. */
const KEPT_MS = 10_000;
const KEY = "to";

type Waiting = {
  shared: Pick<Records, "readRecord" | "writeRecord">;
  /** Of the lease. */
  key: string;
  published: () => Promise<Remembered[]>;
  consumer: Pick<EventConsumer, "state" | "start" | "seek">;
  signal: AbortSignal;
};

/** What the copies of a consumer remember that do not read it, or did not until now. */
export async function publishedOf(shared: Records, key: string): Promise<Remembered[]> {
  const scope = scopeOf(key);
  const copies = await shared.recordKeys(scope, MOST_COPIES);
  const records = await Promise.all(copies.map((copy) => shared.readRecord(scope, copy)));
  return Promise.all(records.filter((one) => one !== undefined).map(({ value }) => rememberedIn(value)));
}

/**
 * Returns what is to be told each state of a lease. Whenever another copy has got it, this one publishes what it
 * remembers: the engine may have lost its data, and then the other one waits for that.
 */
export function publishTo(fleet: OfCopy, { key, memory }: Leased): (state?: LeaseState) => void {
  let round = new AbortController();
  return (state) => {
    round.abort();
    if (state?.kind !== "elsewhere") return;
    round = new AbortController();
    const { signal } = round;
    const { epoch } = state.holder;
    publish(fleet, { key, memory }, signal)
      .then(() => sleep(SETTLED_LEASES * fleet.leaseMs, undefined, { signal, ref: false }))
      .then(() => memory.note({ epoch }))
      // Only the end of the round.
      .catch(() => {});
  };
}

async function publish({ shared, copy, leaseMs }: OfCopy, { key, memory }: Leased, signal: AbortSignal) {
  const [scope, value] = [scopeOf(key), await memory.recall()];
  if (value?.epoch === undefined) return;
  for (;;) {
    signal.throwIfAborted();
    try {
      const revision = (await shared.readRecord(scope, copy.id))?.revision ?? 0;
      const ttlMs = KEPT_LEASES * leaseMs;
      await shared.writeRecord({ ...{ scope, key: copy.id, revision, value, ttlMs } });
      return;
    } catch {
      // It may be reached again within the lease.
      await sleep(RETRY_MS, undefined, { signal, ref: false });
    }
  }
}

const lostScopeOf = (key: string) => `lost ${key}`;

/**
 * While the consumer has stopped with `CURSOR_LOST`: starts it again once a copy that came later remembers a position, and
 * moves it where a person wants it who has said so on another copy. Never rejects.
 */
export async function awaitPosition({ shared, key, published, consumer, signal }: Waiting): Promise<void> {
  const scope = lostScopeOf(key);
  const isLost = () => consumer.state.kind === "stopped" && consumer.state.error?.code === "CURSOR_LOST";
  const look = async (): Promise<void> => {
    const found = await shared.readRecord(scope, KEY);
    const to = (found?.value as { to?: unknown } | undefined)?.to;
    const revision = found?.revision ?? 0;
    const value = to === undefined ? {} : undefined;
    await shared.writeRecord({ ...{ scope, key: KEY, revision, value, ttlMs: KEPT_MS } });
    if (signal.aborted || !isLost()) return;
    if (to !== undefined) consumer.seek(positionOf(to));
    else if ((await published()).some(({ position }) => position) && isLost()) consumer.start();
  };
  while (!signal.aborted && isLost()) {
    // The engine may be reached again.
    await look().catch(() => {});
    await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => {});
  }
}

/**
 * Moves the cursor of the copy that reads, if it waits for that. Tells whether it does.
 * @throws INVALID_FIELD; what the engine throws
 */
export async function moveLost(
  shared: Pick<Records, "readRecord" | "writeRecord">,
  key: string,
  to: unknown,
): Promise<boolean> {
  // One that is lost has no stored position: that is for a cursor of another address.
  if (to === "stored") return false;
  positionOf(to);
  const scope = lostScopeOf(key);
  const found = await shared.readRecord(scope, KEY);
  if (found === undefined) return false;
  const { revision } = found;
  const write = { scope, key: KEY, revision, value: { to }, ttlMs: KEPT_MS };
  // It may just have said again that it waits.
  return (await shared.writeRecord(write)) !== undefined || moveLost(shared, key, to);
}
