import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../support/eventually.ts";
import { bundle } from "./child-bundle.ts";
import { startEventServer, storedEvent } from "./event-server.ts";

/** `commit-first` is how it must not be done: acknowledged before it is processed. */
export type KillMode = "on-ack" | "on-send" | "commit-first";

export type Arrival = { offset: number; redelivered: boolean; attempt: number; life: number };

/** What the processes wrote, over all their lives. */
export type Collected = {
  arrivals: Arrival[];
  /** Offsets that were processed. */
  done: Set<number>;
  /** By life, what had arrived and was not processed when it ended. */
  inHand: Array<Set<number>>;
};

/** How long a process may take until something arrives, in milliseconds. */
const BEGIN_MS = 10_000;

/**
 * Drains a channel of `events` by processes of which the first `kills` are killed, each at a random moment up to
 * `lifeMs` after something arrived, and the last processes the rest.
 */
export async function drainWithKills({
  mode,
  events,
  kills,
  lifeMs,
}: {
  mode: KillMode;
  events: number;
  kills: number;
  lifeMs: number;
}): Promise<Collected> {
  const folder = await mkdtemp(join(tmpdir(), "killed-"));
  const program = await bundle("kill-child", folder);
  const server = await startEventServer(
    Array.from({ length: events }, (_, index) => JSON.stringify(storedEvent(index + 1))),
  );
  /** Starts a process, to be ready by the time that the one before it is dead. */
  const prepare = () => {
    const child = fork(program, [server.baseUrl, folder, mode], {
      env: { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") },
    });
    return { child, ready: once(child, "message") };
  };
  let next = prepare();
  try {
    // biome-ignore lint/plugin: kills at random moments
    for (let life = 0; life < kills; life += 1) {
      const { child, ready } = next;
      await ready;
      next = prepare();
      const begun = once(child, "message");
      // So that something is in hand for certain when the place is stored, the first process works on nothing.
      const isIdle = mode !== "on-ack" && life === 0;
      child.send(isIdle ? "go and only take" : "go");
      // Nothing arrives once the channel is drained.
      await Promise.race([begun, sleep(BEGIN_MS)]);
      if (isIdle) await placeStored(join(folder, "cursor.json"));
      await sleep(Math.random() * lifeMs);
      await kill(child);
    }
    await next.ready;
    next.child.send("go to the end");
    const [code] = await once(next.child, "exit");
    if (code !== 0) throw new Error(`The last process ended with ${code}.`);
    return parse(await readFile(join(folder, "collected"), "utf8"));
  } finally {
    await kill(next.child);
    await server.close();
    await rm(folder, { recursive: true });
  }
}

/** Waits until the stored place is past an event. */
async function placeStored(path: string): Promise<void> {
  const cursor = async () => JSON.parse(await readFile(path, "utf8")).state.cursor;
  await eventually(
    "a stored place past an event",
    () => cursor().catch(() => 0),
    (place) => place >= 1,
    { pauseMs: 10 },
  );
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

function parse(text: string): Collected {
  const arrivals: Arrival[] = [];
  const done = new Set<number>();
  const inHand: Array<Set<number>> = [];
  for (const line of text.trimEnd().split("\n")) {
    const [kind, number, redelivered, attempt] = line.split(" ");
    const offset = Number(number);
    if (kind === "L") inHand.push(new Set());
    const hand = inHand.at(-1);
    if (kind === "A") {
      const life = inHand.length - 1;
      arrivals.push({ offset, redelivered: redelivered === "true", attempt: Number(attempt), life });
      hand?.add(offset);
    } else if (kind === "D") {
      done.add(offset);
      hand?.delete(offset);
    }
  }
  return { arrivals, done, inHand };
}
