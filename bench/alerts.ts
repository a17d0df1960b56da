import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type AlertStore, createAlertRule, FileAlertStore, MemoryAlertStore } from "../src/index.ts";
import { benchEvent, EVENTS, KEYS, RULE } from "./alerts-events.ts";
import { type Measured, median, perSecond } from "./measured.ts";
import { sized } from "./sized.ts";

const ROUNDS = sized(5, 1);
const MIB = 2 ** 20;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Each event is given when the one before is answered, as a consumer does that waits for it. */
export async function benchAlerts(): Promise<Measured[]> {
  const folder = await mkdtemp(join(tmpdir(), "bench-alerts-"));
  const events = Array.from({ length: EVENTS }, (_, index) => benchEvent(index));
  const path = (round: number) => join(folder, `${round}.log`);
  try {
    const [inMemory, inFile]: [number[], number[]] = [[], []];
    let kept = { alerts: 0, bytes: 0 };
    for (let round = 0; round < ROUNDS; round += 1) {
      inMemory.push((await run(new MemoryAlertStore(), events)).ms);
      const { ms, ...rest } = await run(new FileAlertStore({ path: path(round) }), events);
      inFile.push(ms);
      kept = rest;
    }
    const { size } = await stat(path(ROUNDS - 1));
    const what = `${EVENTS} events, ${KEYS} keys`;
    return [
      { what: `in memory, ${what}`, value: perSecond(EVENTS, median(inMemory), "events") },
      { what: `in a file, ${what}`, value: perSecond(EVENTS, median(inFile), "events") },
      { what: "alerts", value: String(kept.alerts) },
      {
        what: "memory of the rule and its store",
        value: `${(kept.bytes / MIB).toFixed(1)} MiB, ${Math.round(kept.bytes / KEYS)} bytes a key`,
      },
      { what: "file", value: `${(size / MIB).toFixed(1)} MiB, ${Math.round(size / KEYS)} bytes a key` },
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Milliseconds until all is in the store and written; and the memory that is in use before it is closed. */
async function run(
  store: AlertStore,
  events: ReadonlyArray<ReturnType<typeof benchEvent>>,
): Promise<{ ms: number; alerts: number; bytes: number }> {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const rule = createAlertRule({ id: "bench", ...RULE, maxKeys: KEYS, store });
  let alerts = 0;
  let ms = -performance.now();
  for (const event of events) alerts += (await rule.accept(event)).outcomes.length;
  ms += performance.now();
  collectGarbage();
  const bytes = process.memoryUsage().heapUsed - before;
  ms -= performance.now();
  await rule.close();
  ms += performance.now();
  return { ms, alerts, bytes };
}
