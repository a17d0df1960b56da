// What the check scripts share: a folder of their own, programs that they start, and reports.
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReadyInfo } from "../../service/src/start/types.ts";

const READY_MS = 180_000;
const POLL_MS = 50;

/** Prints what failed. The script continues, and its exit code will be 1. */
export function fail(sentence: string) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}

export function say(sentence: string) {
  process.stdout.write(`${sentence}\n`);
}

/** What a command printed, or an error says. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
  return stderr ? `${stderr}${stdout}` : [error.message, stdout].filter(Boolean).join("\n");
}

/** A check that this machine cannot do is a failure in CI. */
export function notTried(sentence: string) {
  if (process.env.CI) fail(sentence);
  else say(sentence);
}

/** Runs a part of a check, and says how it went, with what it returns. */
export async function trying(title: string, part: () => Promise<unknown>) {
  const begun = performance.now();
  try {
    const what = (await part()) ?? "fine";
    say(`${title}: ${what} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  } catch (error) {
    fail(`${title}: ${messageOf(error)}`);
  }
}

/**
 * Runs a check with a temporary folder. Afterwards, or when a person ends it, what it has started is ended in the reverse
 * order, and the folder removed.
 */
export async function checking(
  name: string,
  check: (folder: string, atEnd: (end: () => unknown) => void) => Promise<unknown>,
) {
  const folder = await mkdtemp(join(tmpdir(), `crec ${name} `.replaceAll(" ", "-")));
  const ends: Array<() => unknown> = [];
  const cleanUp = async () => {
    for (const end of ends.splice(0).reverse()) await end();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.once(signal, () => void cleanUp().then(() => process.exit(1)));
  }
  try {
    await check(folder, (end) => ends.push(end));
  } catch (error) {
    fail(`The check of ${name} did not get to its end: ${messageOf(error)}`);
  } finally {
    await cleanUp();
  }
}

export type Started<T> = { child: ChildProcess; ready: T; said: () => string };

/** What the local service prints once it is up. */
export function readyLine(said: string): ReadyInfo | undefined {
  const line = /^ready (.*)$/m.exec(said)?.[1];
  return line === undefined ? undefined : JSON.parse(line);
}

/** Starts a program, and waits until `look` finds something in what it has said, or elsewhere. */
export async function startProgram<T>(
  [command = "", ...args]: readonly string[],
  look: (said: string) => T | Promise<T>,
  options: SpawnOptions = {},
): Promise<Started<Exclude<T, undefined | false>>> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      text += chunk;
    });
  }
  const said = () => text;
  for (const deadline = performance.now() + READY_MS; ; await sleep(POLL_MS)) {
    const ready = await look(text);
    if (ready !== undefined && ready !== false)
      return { child, ready: ready as Exclude<T, undefined | false>, said };
    if (child.exitCode === null && performance.now() < deadline) continue;
    await endProgram(child);
    throw new Error(`${command} is not ready: ${text.slice(-4_000)}`);
  }
}

export async function endProgram(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM") {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}
