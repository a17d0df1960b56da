import { setTimeout as sleep } from "node:timers/promises";
import type { LeaseState, SharedState } from "../../../src/index.ts";
import type { Fleet } from "../../common/fleet/join-fleet.ts";
import { type ConsumerMemory, type Remembered, rememberedIn } from "../consumer-memory.ts";

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
