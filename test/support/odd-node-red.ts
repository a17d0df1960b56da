import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import should from "should";
import { type ChaosScenario, chaosScenario, firstSeed, idOf } from "../consumer/chaos-scenario.ts";
import { ChaosService } from "../consumer/chaos-service.ts";
import { problemOf, type Verdict, verdictOn } from "../consumer/chaos-verdict.ts";
import { type Arrival, arrivals, collectingFlow } from "./collector.ts";
import { NodeRed, UserDir } from "./node-red.ts";

/** An id, which needs no look for a channel's name. */
const CHANNEL = "00000000-0000-4000-8000-00000000c4a1";
/** How long events may take to arrive before Node-RED is killed all the same. */
const BEGIN_MS = 5_000;
const LIFE_MS = 400;
/** After the last start, how long until the last event. */
const PATIENCE_MS = 60_000;

/**
 * Tests of events in, killed so many times with its Node-RED in each of so many random worlds. To be called within a
 * `describe`.
 */
export function killsOfNodeRed({ worlds, kills }: { worlds: number; kills: number }): void {
  const first = firstSeed();
  for (let seed = first; seed < first + worlds; seed += 1) {
    it(`loses none, marks what comes again or late (${kills} kills of Node-RED, seed ${seed})`, async () => {
      const world = chaosScenario(seed, kills + 1);
      const { habits, faults } = world;
      const outcome = await killNodeRed(world, kills);
      const problem = problemOf(outcome);
      const details = `${JSON.stringify({ habits, faults })}\n${outcome.log.slice(-2_000)}`;
      should(problem && `seed ${seed}: ${problem}\n${details}`).be.undefined();
    });
  }
}

export type OddNodeRedOutcome = Verdict & { events: number; log: string };

/** Kills Node-RED at random moments while its events in node reads an odd world in ack mode. */
export function killNodeRed(world: ChaosScenario, kills: number): Promise<OddNodeRedOutcome> {
  const wanted = new Set(world.events.map(({ event }) => idOf(event)));
  return withOddNodeRed(world, async ({ service, restart, arrived, collected }) => {
    // biome-ignore lint/plugin: kills at random moments
    for (let life = 0; life < kills; life += 1) {
      const before = (await collected()).length;
      if (world.random() < 0.2) service.beginDrought();
      service.publish(life);
      if (world.random() < 0.8) await arrived((all) => all.length > before, BEGIN_MS);
      await sleep(world.random() * LIFE_MS);
      await restart();
    }
    // The first look of the last life goes through all that was there before.
    service.publish(kills);
    await service.allVisible();
    service.calm();
    const { log } = await restart();
    const all = await arrived((some) => {
      const seen = new Set(some.map(({ eventId }) => eventId));
      return [...wanted].every((id) => seen.has(id));
    });
    // The flow writes it down, and acknowledges it then.
    const done = new Set(all.map(({ eventId }) => eventId));
    const marks = all.map(({ eventId: id, offset, marked: redelivered, late }) => ({
      ...{ id, offset, redelivered, late },
    }));
    return { ...verdictOn(marks, { wanted, done }), events: wanted.size, log };
  });
}

type Stage = {
  service: ChaosService;
  /** Kills Node-RED, and starts another one. */
  restart: () => Promise<NodeRed>;
  /** What arrived so far. */
  collected: () => Promise<Arrival[]>;
  /** The same as soon as it is enough, or the time is over. */
  arrived: (isEnough: (all: readonly Arrival[]) => boolean, limitMs?: number) => Promise<Arrival[]>;
};

/** A Node-RED whose events in node reads an odd world in ack mode, for as long as `use` takes. */
export async function withOddNodeRed<T>(world: ChaosScenario, use: (stage: Stage) => Promise<T>): Promise<T> {
  const [service, userDir] = await Promise.all([ChaosService.start(world), UserDir.make()]);
  const file = join(userDir.path, "collected.txt");
  const start = () => NodeRed.start(userDir, { CREC_BASE_URL: service.baseUrl, CREC_API_KEY: "test" });
  const collected = () => arrivals(file);
  let nodeRed: NodeRed | undefined;
  try {
    nodeRed = await start();
    const { inFlight } = world.consumer;
    // The kills come from outside: no event is to blame.
    const settings = { commit: "on-ack", inFlight: String(inFlight), crashes: "0" };
    await nodeRed.deploy(collectingFlow(file, CHANNEL, settings));
    return await use({
      service,
      restart: async () => {
        await nodeRed?.kill();
        nodeRed = await start();
        return nodeRed;
      },
      collected,
      arrived: async (isEnough, limitMs = PATIENCE_MS) => {
        const end = performance.now() + limitMs;
        // biome-ignore lint/plugin: what has not arrived in time is no error
        for (;;) {
          const all = await collected();
          if (isEnough(all) || performance.now() > end) return all;
          // biome-ignore lint/plugin: as above
          await sleep(50);
        }
      },
    });
  } finally {
    await nodeRed?.kill();
    await service.close();
    await userDir.remove();
  }
}
