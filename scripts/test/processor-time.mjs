// @ts-check
// How many seconds of a processor a run uses, with all processes that it starts: wall time says little where tests run
// side by side. Linux only, for other systems do not say what ended processes used.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { pidsWith, usageOf } from "./processes.mjs";

/** The environment variable with the path of the file to which each process of tests appends its notes. */
export const PROCESSOR_TIME = "CREC_TEST_PROCESSOR_TIME";

/**
 * What the whole core may use, in seconds of a processor, where the reference work takes `REFERENCE_S`. In a fresh clone it
 * uses 570 to 700: nothing is in a cache, not all processes of a browser are seen to end, and more where other programs
 * run beside it.
 */
export const LIMIT_S = 750;
const REFERENCE_S = 1.1;
const REFERENCE = fileURLToPath(new URL("reference-work.mjs", import.meta.url));

/** What a process that nobody waits for uses after the last look at it is not counted. */
const LOOK_MS = 1_000;

/** @typedef {import("./processes.mjs").Usage} Usage */

/**
 * Adds up the processor time of this process, of the children that it waits for, and of the run's orphans: nobody waits
 * for these, because their parent was killed before them or with them.
 */
export class ProcessorTime {
  /** @type {Map<number, Usage>} */
  #seen = new Map();
  #orphans = 0;
  /** @type {Array<[string, number]>} */
  #parts = [];
  #waited = waitedSeconds();
  #look;
  #timer;

  /**
   * @param {string} name of an environment variable that all processes of the run inherit
   * @param {string} value
   */
  constructor(name, value) {
    this.#look = () => {
      const run = [process.pid, ...pidsWith(name, value)];
      const now = new Map(run.flatMap((pid) => usageOf(pid) ?? []).map((usage) => [usage.pid, usage]));
      // A process that has ended has no environment, until its parent waits for it: then the parent counts it.
      for (const { pid, own } of this.#seen.values()) {
        const still = now.has(pid) ? undefined : usageOf(pid);
        if (still !== undefined && still.own >= own) now.set(pid, still);
      }
      this.#orphans += notWaitedFor(this.#seen, now, usageOf);
      this.#seen = now;
    };
    this.#timer = setInterval(this.#look, LOOK_MS).unref();
  }

  /** Counts what ended since the last call as one part. @param {string} part */
  ended(part) {
    const now = waitedSeconds();
    this.#parts.push([part, now - this.#waited]);
    this.#waited = now;
  }

  /** @returns {Array<[part: string, seconds: number]>} */
  end() {
    clearInterval(this.#timer);
    this.#look();
    const { user, system } = process.cpuUsage();
    return [...this.#parts, ["orphans", this.#orphans], ["the runner", (user + system) / 1e6]];
  }
}

/**
 * What processes used that ended between two looks and that no process of the run has waited for: who waits for a child
 * counts the child's time, and that of the child's own, as that of its children.
 *
 * @param {ReadonlyMap<number, Usage>} before
 * @param {ReadonlyMap<number, Usage>} now
 * @param {(pid: number) => Usage | undefined} later reads a process once more: it may have waited for a child after it was
 *   read, and before the child was
 * @returns {number} seconds, at least
 */
export function notWaitedFor(before, now, later = (pid) => now.get(pid)) {
  /** By the nearest ancestor that still runs; 0 where the run has none. */
  /** @type {Map<number, number>} */
  const ended = new Map();
  for (const usage of before.values()) {
    if (now.has(usage.pid)) continue;
    let { parent } = usage;
    while (!now.has(parent) && before.has(parent)) parent = before.get(parent)?.parent ?? 0;
    const heir = now.has(parent) ? parent : 0;
    ended.set(heir, (ended.get(heir) ?? 0) + usage.own + usage.ofChildren);
  }
  const lost = [...ended].map(([heir, seconds]) => {
    const counted = (later(heir)?.ofChildren ?? 0) - (before.get(heir)?.ofChildren ?? 0);
    return Math.max(0, seconds - counted);
  });
  return sumOf(lost);
}

/** What the children of this process that have ended used, with theirs. */
function waitedSeconds() {
  return usageOf("self")?.ofChildren ?? 0;
}

/** Between two looks at the speed of the machine while tests run. */
const SPEED_MS = 45_000;

/**
 * How many times longer this machine takes than the one of `REFERENCE_S`: a fixed piece of work is timed before the tests
 * and again and again beside them, since a shared machine has other speeds from minute to minute.
 */
export class Slowness {
  /** @type {Array<Promise<number>>} */
  #samples = [];
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** Times it on all processors at once, with nothing else to do. */
  async start() {
    this.#samples = Array.from({ length: availableParallelism() }, referenceSeconds);
    await Promise.all(this.#samples);
    this.#timer = setInterval(() => this.#samples.push(referenceSeconds()), SPEED_MS).unref();
  }

  /** @returns {Promise<number>} the median */
  async end() {
    clearInterval(this.#timer);
    const sorted = (await Promise.all(this.#samples)).sort((one, other) => one - other);
    return (sorted[sorted.length >> 1] ?? REFERENCE_S) / REFERENCE_S;
  }
}

/** @returns {Promise<number>} */
function referenceSeconds() {
  // As it was when `REFERENCE_S` was measured: without the options of the run.
  const env = { ...process.env, NODE_OPTIONS: "" };
  const child = spawn(process.execPath, [REFERENCE], { stdio: ["ignore", "pipe", "inherit"], env });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve(Number(said)));
  });
}

/**
 * Both numbers of a whole run, and whether it used no more than it may.
 *
 * @param {number} seconds of a processor
 * @param {number} wallMs
 * @param {number | undefined} times the limit on a slower machine, or undefined where nothing is enforced
 */
export function verdict(seconds, wallMs, times) {
  const took = `  ${(wallMs / 1000).toFixed(0)} s of wall time, ${seconds.toFixed(0)} s of processor time`;
  if (times === undefined) return { isWithin: true, text: `${took}.` };
  const limit = LIMIT_S * times;
  const isWithin = seconds <= limit;
  const advice = isWithin
    ? ""
    : " More than the limit: run npm test -- --cpu, and make the most expensive tests lighter or wide.";
  return { isWithin, text: `${took}; the limit is ${limit.toFixed(0)} s on this machine.${advice}` };
}

/**
 * @param {string} path of the notes
 * @param {ReadonlyArray<readonly [string, number]>} parts
 * @returns {string} one line for each part and test file, the most expensive first
 */
export function processorTimes(path, parts) {
  /** @type {Map<string, number>} */
  const byFile = new Map();
  for (const line of readNotes(path).split("\n").filter(Boolean)) {
    const { file, seconds } = /** @type {{ file: string, seconds: number }} */ (JSON.parse(line));
    byFile.set(file, (byFile.get(file) ?? 0) + seconds);
  }
  return [
    `\n  Processor time, ${totalOf(parts).toFixed(0)} s in total:`,
    ...listed(parts),
    "\n  Of each test file:",
    ...listed([...byFile]),
    "",
  ].join("\n");
}

/** @param {ReadonlyArray<readonly [string, number]>} parts */
export function totalOf(parts) {
  return sumOf(parts.map(([, seconds]) => seconds));
}

/** @param {string} path */
function readNotes(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // No test ended.
  }
}

/** @param {ReadonlyArray<readonly [string, number]>} entries */
function listed(entries) {
  return [...entries]
    .sort(([, one], [, other]) => other - one)
    .map(([name, seconds]) => `  ${seconds.toFixed(1).padStart(7)} s  ${name}`);
}

/** @param {Iterable<number>} values */
function sumOf(values) {
  return [...values].reduce((sum, value) => sum + value, 0);
}
