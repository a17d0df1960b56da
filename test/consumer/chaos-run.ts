import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChaosChild, InjectedBug } from "./chaos-child.ts";
import { type ChaosScenario, expectedIn } from "./chaos-scenario.ts";
import { ChaosService } from "./chaos-service.ts";
import { type ChaosArrival, problemOf, type Verdict, verdictOn } from "./chaos-verdict.ts";
import { bundle, type Edit } from "./child-bundle.ts";

export type ChaosRun = {
  world: ChaosScenario;
  kills: number;
  /** The process to run, as made by `bundle`. */
  child: string;
  injectedBug?: InjectedBug;
  /** Faults happen until the end. */
  keepsFaults?: boolean;
  /** How long the last life may take, in milliseconds. */
  patienceMs?: number;
};

export type ChaosOutcome = Verdict & {
  kills: number;
  events: number;
  /** Lives in which something arrived. */
  livelyLives: number;
  /** Why the consumer stopped, where it did. */
  stoppedBy: string[];
  made: ChaosService["made"];
};

/** How long a life may take until something is processed before it is killed all the same. */
const BEGIN_MS = 1_500;
const LIFE_MS = 300;
/** What a process needs to look at a channel some times, on a busy machine. */
const PATIENCE_MS = 40_000;
const HOUR_MS = 3_600_000;

/** A folder with a process to run, for as long as `use` takes. */
export async function withChild<T>(
  use: (child: string) => Promise<T>,
  edits: readonly Edit[] = [],
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "chaos-child-"));
  try {
    return await use(await bundle("chaos-child", folder, edits));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Runs processes that read a faulty service; each but the last is killed at a random moment, and the last one processes
 * the rest. Returns what was lost, unmarked or out of order.
 */
export async function runScenario(run: ChaosRun): Promise<ChaosOutcome> {
  const { world, kills, child, injectedBug, keepsFaults = false } = run;
  const folder = await mkdtemp(join(tmpdir(), "chaos-"));
  const service = await ChaosService.start(world);
  const settings: ChaosChild = {
    ...world.consumer,
    baseUrl: service.baseUrl,
    folder,
    epochMs: Date.now(),
    ...(injectedBug === undefined ? {} : { injectedBug }),
  };
  const env = { ...process.env, NODE_COMPILE_CACHE: join(child, "../compiled") };
  /** Starts a process, to be ready by the time that the one before it is dead. */
  const prepare = () => {
    const started = fork(child, [JSON.stringify(settings)], { env });
    started.on("message", (id) => service.processed(String(id)));
    return { process: started, ready: once(started, "message") };
  };
  let next = prepare();
  let present = next;
  try {
    // biome-ignore lint/plugin: kills at random moments
    for (let life = 0; life < kills; life += 1) {
      present = next;
      await present.ready;
      next = prepare();
      const begun = once(present.process, "message");
      if (world.random() < 0.2) service.beginDrought();
      service.publish(life);
      present.process.send("go");
      // Most are killed at work, some before they got there.
      if (world.random() < 0.8) await Promise.race([begun, sleep(BEGIN_MS)]);
      await sleep(world.random() * LIFE_MS);
      await kill(present.process);
    }
    const wanted = expectedIn(world);
    service.publish(kills);
    const calm = async () => {
      await service.allVisible();
      if (!keepsFaults) service.calm();
    };
    if (!world.lastLifeIsEarly) await calm();
    await next.ready;
    const before = read(await readFile(join(folder, "collected"), "utf8"));
    const all = whenDone(next.process, wanted, before.done);
    next.process.send("go");
    await Promise.all([world.lastLifeIsEarly && calm(), Promise.race([all, giveUp(run)])]);
    await stop(next.process);
    const { arrivals, done, lives, stoppedBy } = read(await readFile(join(folder, "collected"), "utf8"));
    const verdict = verdictOn(arrivals, { wanted, done });
    return {
      ...verdict,
      kills,
      events: wanted.size,
      livelyLives: lives.filter((count) => count > 0).length,
      stoppedBy,
      made: service.made,
    };
  } finally {
    await Promise.all([kill(present.process), kill(next.process)]);
    await service.close();
    await rm(folder, { recursive: true });
  }
}

/** What is wrong with a run, with all that is needed to repeat it. */
export function problemWith({ world }: ChaosRun, outcome: ChaosOutcome): string | undefined {
  const parts = [problemOf(outcome), outcome.stoppedBy.length > 0 && `stopped by ${outcome.stoppedBy}`];
  const problem = parts.filter(Boolean).join("; ");
  if (problem === "") return undefined;
  const { seed, habits, faults, consumer } = world;
  const { made } = outcome;
  return `seed ${seed}: ${problem}\n${JSON.stringify({ habits, faults, consumer, made })}`;
}

/** Resolves when each wanted event was processed or rejected. */
function whenDone(
  child: ChildProcess,
  wanted: ReadonlySet<string>,
  before: ReadonlySet<string>,
): Promise<void> {
  const left = new Set([...wanted].filter((id) => !before.has(id)));
  return new Promise((resolve) => {
    if (left.size === 0) resolve();
    child.on("message", (id) => {
      left.delete(String(id));
      if (left.size === 0) resolve();
    });
  });
}

/** An hour of the consumer's clock, in which it finds all that is late, and some time to begin with. */
function giveUp({ world, patienceMs }: ChaosRun): Promise<void> {
  const { speed } = world.consumer;
  const hours = world.lastLifeIsEarly ? (3 * HOUR_MS) / speed : 0;
  return sleep(patienceMs ?? PATIENCE_MS + hours, undefined, { ref: false });
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.send("stop");
  await ended;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

function read(text: string) {
  const arrivals: ChaosArrival[] = [];
  const done = new Set<string>();
  const lives: number[] = [];
  const stoppedBy: string[] = [];
  for (const line of text.trimEnd().split("\n")) {
    const [kind, id = "", offset, marks = ""] = line.split(" ");
    if (kind === "L") lives.push(0);
    if (kind === "D" || kind === "R") done.add(id);
    if (kind === "E") stoppedBy.push(id);
    if (kind !== "A") continue;
    arrivals.push({ id, offset: Number(offset), redelivered: marks[0] === "r", late: marks[1] === "l" });
    lives[lives.length - 1] = (lives.at(-1) ?? 0) + 1;
  }
  return { arrivals, done, lives, stoppedBy };
}
