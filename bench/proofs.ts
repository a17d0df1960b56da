import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { createVerifier, type EventEnvelope } from "../src/index.ts";
import { checkProof, forCall, prepare } from "../src/proofs/check-proof.ts";
import { createJsEngine, loadEngine } from "../src/proofs/engine.ts";
import { readUnverifiedEvent } from "../src/proofs/unverified-event.ts";
import { createVerifierOn } from "../src/proofs/verify.ts";
import { type Measured, median } from "./measured.ts";
import { config, madeEvents } from "./proofs-made.ts";
import { startNative } from "./proofs-native.ts";
import { type Check, checkWithEthers, checkWithNoble, checkWithViem } from "./proofs-rivals.ts";
import { sized } from "./sized.ts";

const EVENTS = sized(128, 8);
const ROUNDS = sized(25, 1);
/** Milliseconds a contestant works in a round, about: short, so that a disturbance meets all of them. */
const SLICE_MS = sized(80, 1);
/** Before the first round, to warm up. */
const WARM_UP = sized(20, 1);
const OF_DELAY = sized(2_000, 50);
const AIMS: Record<string, number> = { viem: 18, "C on libsecp256k1": 0.5 };

/** Milliseconds that so many proofs take. */
type Contestant = (count: number) => Promise<number>;

/**
 * Proofs of 4 signatures a second: ours and the same checks by other means, in turns. Ratios are medians of the ratios
 * of each round.
 */
export async function benchProofs(rounds = ROUNDS): Promise<Measured[]> {
  const events = madeEvents(EVENTS);
  const native = await startNative(events).catch((error: Error) => error.message);
  const javascript = createVerifierOn(async () => createJsEngine(), config);
  const contestants: Record<string, Contestant> = {
    ours: timed(events, verifiedBy(createVerifier(config).verify)),
    "ours without WebAssembly": timed(events, verifiedBy(javascript.verify)),
    noble: timed(events, checkWithNoble),
    viem: timed(events, checkWithViem),
    ethers: timed(events, checkWithEthers),
    ...(typeof native === "string" ? {} : { "C on libsecp256k1": (count) => native.check(count) }),
  };
  const rates = await ratesInTurns(contestants, rounds);
  if (typeof native !== "string") await native.end();

  const ours = rates.get("ours") ?? [];
  const others = Object.keys(contestants).filter((name) => name !== "ours");
  const ratio = (name: string) =>
    median(ours.map((rate, round) => rate / (rates.get(name)?.[round] ?? Number.NaN)));
  return [
    ...Object.keys(contestants).map((name) => ({
      what: name,
      value: rateText(median(rates.get(name) ?? [])),
    })),
    ...(typeof native === "string" ? [{ what: "C on libsecp256k1", value: `skipped: ${native}` }] : []),
    ...others.map((name) => ({ what: `  ours to ${name}`, value: ratioText(ratio(name), AIMS[name]) })),
    ...(typeof native === "string"
      ? [{ what: "  ours to C on libsecp256k1", value: `skipped: ${native}` }]
      : []),
  ];
}

/** How long other work waits while 2,000 proofs are checked. */
export async function benchLoopDelay(count = OF_DELAY): Promise<Measured[]> {
  const made = madeEvents(EVENTS);
  const events = Array.from({ length: count }, (_, index) => made[index % EVENTS] as EventEnvelope);
  const engine = await loadEngine();
  const settings = forCall(prepare(config), {});
  const yielding = () => createVerifier(config).verifyAll(events);
  const atOnce = async () => events.map((event) => checkProof(readUnverifiedEvent(event), settings, engine));
  return [
    { what: `${count} proofs by verifyAll`, value: await delays(yielding) },
    { what: "the same without yielding", value: await delays(atOnce) },
  ];
}

function verifiedBy(verify: (event: EventEnvelope) => Promise<{ verified: boolean }>): Check {
  return async (event) => (await verify(event)).verified;
}

function timed(events: readonly EventEnvelope[], check: Check): Contestant {
  let next = 0;
  return async (count) => {
    const start = performance.now();
    for (let done = 0; done < count; done++) {
      if (!(await check(events[next++ % events.length] as EventEnvelope)))
        throw new Error("A proof does not hold.");
    }
    return performance.now() - start;
  };
}

/** Proofs a second in each round, after one to warm up and to see how many fit into a slice. */
async function ratesInTurns(
  contestants: Record<string, Contestant>,
  rounds: number,
): Promise<Map<string, number[]>> {
  const counts = new Map<string, number>();
  for (const [name, run] of Object.entries(contestants)) {
    await run(WARM_UP);
    counts.set(name, Math.max(5, Math.round((WARM_UP / (await run(WARM_UP))) * SLICE_MS)));
  }
  const rates = new Map<string, number[]>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(contestants)) {
      const count = counts.get(name) ?? 1;
      rates.set(name, [...(rates.get(name) ?? []), (count / (await run(count))) * 1000]);
    }
  }
  return rates;
}

async function delays(run: () => Promise<unknown>): Promise<string> {
  await run();
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  histogram.enable();
  // It measures from beat to beat: one has to come before the work, and one after it.
  await sleep(20);
  const start = performance.now();
  await run();
  const took = performance.now() - start;
  await sleep(3);
  histogram.disable();
  const ms = (nanoseconds: number) => `${(nanoseconds / 1e6).toFixed(1)} ms`;
  return `p99 ${ms(histogram.percentile(99))}, longest ${ms(histogram.max)} (${Math.round(took)} ms in all)`;
}

function rateText(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString("en-US")} proofs/s`;
}

function ratioText(ratio: number, aim: number | undefined): string {
  const text = `${ratio.toFixed(2)} times`;
  if (aim === undefined) return text;
  const short = Math.round((1 - ratio / aim) * 100);
  return `${text} (aim ${aim}: ${ratio >= aim ? "met" : `short by ${short} %`})`;
}
