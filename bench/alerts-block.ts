import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AlertRule, type AlertSettings, FileAlertStore, type LogPlace } from "../src/index.ts";
import { type Measured, median, perSecond } from "./measured.ts";
import { sized } from "./sized.ts";

const ROUNDS = sized(3, 1);
const EVENTS = sized(10_000, 500);
const AT = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const REST = {
  ...{ quietMs: 0, recovers: false, slackMs: 120_000, maxKeys: 10_000, maxMarks: 10_000 },
  confirmWithinMs: undefined,
} satisfies Partial<AlertSettings>;

/** With `ends`, every second event ends what the one before began, and no end is acknowledged. */
const RULES: Record<string, AlertSettings & { ends?: true }> = {
  "each event an alert": { ...REST, when: { kind: "each" } },
  "each an alert that is watched": { ...REST, when: { kind: "each" }, confirmWithinMs: 24 * HOUR_MS },
  "each an alert, or the end of one": { ...REST, when: { kind: "each" }, recovers: true, ends: true },
  "a sum": { ...REST, when: { kind: "sum", field: "", limit: "1000000000", withinMs: HOUR_MS } },
};

/** All events are of one key and one block, as in an airdrop: what was counted before must not make the next one slower. */
export async function benchFullBlock(): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const [name, rule] of Object.entries(RULES)) {
    const times: Array<readonly [one: number, two: number]> = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      times.push([await run(rule, EVENTS), await run(rule, 2 * EVENTS)]);
    }
    const one = median(times.map(([ms]) => ms));
    const two = median(times.map(([, ms]) => ms));
    measured.push(
      { what: `${name}, ${EVENTS} events`, value: perSecond(EVENTS, one, "events") },
      { what: "twice as many take longer by", value: (two / one).toFixed(2) },
    );
  }
  return measured;
}

/** Milliseconds until all is in the file. */
async function run({ ends, ...settings }: AlertSettings & { ends?: true }, count: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "bench-block-"));
  try {
    const store = new FileAlertStore({ path: join(folder, "rule.log") });
    const rule = new AlertRule({
      id: JSON.stringify(settings),
      settings,
      store,
      keepsPending: true,
      now: () => AT + HOUR_MS,
    });
    const begun = performance.now();
    for (let index = 0; index < count; index += 1) {
      const matches = ends === undefined || index % 2 === 0;
      await rule.accept({ id: `${index}`, key: "", at: AT, amount: "1", matches, log: logOf(index) });
    }
    await rule.close();
    return performance.now() - begun;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function logOf(index: number): LogPlace {
  return {
    chainSelector: "16015286601757825753",
    transactionHash: `0x${index.toString(16).padStart(64, "0")}`,
    blockNumber: "100",
    logIndex: `${index}`,
    contract: `0x${"aa".repeat(20)}`,
    content: `Transfer ${index}`,
    source: "transfers",
    confidence: "latest",
  };
}
