// @ts-check
// How many seconds of a processor a run uses, with all processes that it starts: wall time says little where tests run
// side by side. Linux only, for other systems do not say what ended processes used.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { pidsWith, usageOf } from "./processes.mjs";

/** The environment variable with the path of the file to which each process of tests appends its notes. */
export const PROCESSOR_TIME = "CREC_TEST_PROCESSOR_TIME";

/**
 * What the whole core may use, in seconds of a processor, where the reference work takes `REFERENCE_MS`: a quarter more than
 * it uses. So a core that became a third more expensive fails.
 */
export const LIMIT_S = 650;
const REFERENCE_MS = 30;
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

  /** Does not count what ended since the last call. */
  leaveOut() {
    this.#waited = waitedSeconds();
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

/**
 * How many times longer this machine takes than the one of `REFERENCE_MS`: a small piece of work is timed each second beside
 * the tests. One that is timed before them says little: a machine that is shared has other speeds from minute to minute,
 * and two programs on one processor take more of its time than one after the other.
 */
export class Slowness {
  #child;
  #said = "";
  /** @type {Promise<void>} */
  #ended;

  constructor() {
    const child = spawn(process.execPath, [REFERENCE], { stdio: ["pipe", "pipe", "inherit"] });
    child.stdout.setEncoding("utf8").on("data", (text) => {
      this.#said += text;
    });
    // Who stops the run may have ended it before.
    child.stdin.on("error", () => {});
    this.#ended = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", () => resolve());
    });
    this.#child = child;
  }

  /** @returns {Promise<number>} */
  async end() {
    this.#child.stdin.end();
    await this.#ended;
    return Number(this.#said) / REFERENCE_MS;
  }
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
  const machine = `on this machine, which takes ${times.toFixed(2)} times as long as another`;
  return { isWithin, text: `${took}; the limit is ${limit.toFixed(0)} s ${machine}.${advice}` };
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
