import { setTimeout as sleep } from "node:timers/promises";
import type { EventConsumer, SharedState } from "../../../src/index.ts";
import { positionOf } from "../commands.ts";
import type { Remembered } from "../consumer-memory.ts";

const LOOK_MS = 1_000;
/** Without a sign of the copy that waits, nobody waits. */
const KEPT_MS = 10_000;
const KEY = "to";
const scopeOf = (key: string) => `lost ${key}`;

type Records = Pick<SharedState, "readRecord" | "writeRecord">;
type Waiting = {
  shared: Records;
  /** Of the lease. */
  key: string;
  published: () => Promise<Remembered[]>;
  consumer: Pick<EventConsumer, "state" | "start" | "seek">;
  signal: AbortSignal;
};

/**
 * While the consumer has stopped with `CURSOR_LOST`: starts it again once a copy that came later remembers a position, and
 * moves it where a person wants it who has said so on another copy. Never rejects.
 */
export async function awaitPosition({ shared, key, published, consumer, signal }: Waiting): Promise<void> {
  const scope = scopeOf(key);
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
export async function moveLost(shared: Records, key: string, to: unknown): Promise<boolean> {
  // One that is lost has no stored position: that is for a cursor of another address.
  if (to === "stored") return false;
  positionOf(to);
  const scope = scopeOf(key);
  const found = await shared.readRecord(scope, KEY);
  if (found === undefined) return false;
  const { revision } = found;
  const write = { scope, key: KEY, revision, value: { to }, ttlMs: KEPT_MS };
  // It may just have said again that it waits.
  return (await shared.writeRecord(write)) !== undefined || moveLost(shared, key, to);
}
