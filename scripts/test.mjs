// @ts-check
// npm test: runs lint, build, and the core of the tests, in parallel.
//
//   npm test                              lint, build, and the core of the tests
//   npm run test:wide                     what npm test leaves out
//   npm run test:all                      both
//   npm run test:variants                 the tests that have variants, with these
//   npm test -- nodes/events-in           core tests of a file or folder; of a test file that is wide, its wide tests
//   npm test -- --all nodes/events-in     also its wide tests and variants
//   npm test -- test/http -g "redirect"   tests whose title matches
//   npm test -- --processes               without the unit tests
//   npm test -- --coverage                only the unit tests, with their coverage of src
//   npm test -- --shuffle 7               in another order, by this seed
//   npm test -- --cpu                     also the processor time of each test file (Linux)
//   npm test -- --no-limit                without the limit of processor time, which CI sets
//   npm test -- --jobs 4                  number of workers (default: three more than processors, two more for wide tests)

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { npmCommand } from "./lib/npm-command.mjs";
import { root } from "./lib/paths.mjs";
import { kill, stillRunning } from "./test/processes.mjs";
import {
  PROCESSOR_TIME,
  ProcessorTime,
  processorTimes,
  Slowness,
  totalOf,
  verdict,
} from "./test/processor-time.mjs";
import { CORE_ONLY, SHUFFLE, select, VARIANTS, WIDE_ONLY } from "./test/selection.mjs";
import { makeServiceProgram, SERVICE_PROGRAM } from "./test/service-program.mjs";
import { lateFiles, summary } from "./test/summary.mjs";
import { typesOnly } from "./test/types-only.mjs";

/** @typedef {import("./test/reporter.mjs").Results} Results */

const TOOLS = { c8: "c8/bin/c8.js", mocha: "mocha/bin/mocha.js" };

/** Most tests wait for other processes most of the time: this many more workers than processors keep these busy. */
const WAITING = 3;
/** The wide tests wait less: more workers only starve one another until tests reach their time limits. */
const WAITING_OF_WIDE = 2;

/** Workers that have a browser each. A browser keeps a processor busy. The core has too few files to start a second one. */
const BROWSERS = 2;
const BROWSERS_OF_CORE = 1;

/** How long processes that the tests started may take to end after them. */
const GRACE_MS = 20_000;

const started = performance.now();
/** The folder of all temporary files of the run. Its variable also identifies all processes of the run. */
const folder = mkdtempSync(join(tmpdir(), "crec-test-"));
// Windows reads the last two.
for (const variable of ["TMPDIR", "TEMP", "TMP"]) process.env[variable] = folder;
const processorTime = new ProcessorTime("TMPDIR", folder);
/** @type {Slowness | undefined} */
let slowness;
/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
/** What failed beside the tests themselves: the summary repeats it, since its lines are long past by then. */
/** @type {string[]} */
const failedParts = [];
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.once(signal, () => {
    for (const child of running) child.kill(signal);
    process.exitCode = 1;
  });
}
// With more threads, V8 uses a sixth more of the processors for the many processes of a run.
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} --v8-pool-size=1`.trim();
process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

try {
  process.exitCode = await test();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  await slowness?.end();
}

/** @returns {Promise<number>} the exit code */
async function test() {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      all: { type: "boolean", default: false },
      cpu: { type: "boolean", default: false },
      coverage: { type: "boolean", default: false },
      grep: { type: "string", short: "g" },
      jobs: { type: "string" },
      "no-limit": { type: "boolean", default: false },
      processes: { type: "boolean", default: false },
      shuffle: { type: "string" },
      variants: { type: "boolean", default: false },
      wide: { type: "boolean", default: false },
    },
  });
  const tier = values.variants ? "variants" : values.wide ? "wide" : "core";
  const chosen = select(positionals, { drivesProcesses: values.processes, tier, withWide: values.all });
  const { unit, needsBuild, needsClient } = chosen;
  const driving = values.coverage ? [] : chosen.process;
  const browsing = values.coverage ? [] : chosen.browser;
  const alone = values.coverage ? [] : chosen.alone;
  const options = values.grep === undefined ? [] : ["--grep", values.grep];
  const isWhole = chosen.isAll && values.grep === undefined && !values.coverage;

  const times = join(folder, "processor-time.jsonl");
  if (values.cpu) process.env[PROCESSOR_TIME] = times;

  const isCore = tier === "core" && !values.all;
  // A file that is wide as a whole can have tests that are wide by themselves.
  if (isCore && !chosen.hasNamedWide) process.env[CORE_ONLY] = "yes";
  if (tier === "wide" && !values.all) process.env[WIDE_ONLY] = "yes";
  if (tier !== "variants" && !values.all) process.env[VARIANTS] = "none";
  if (values.shuffle !== undefined) process.env[SHUFFLE] = seedOf(values.shuffle);

  // Where a limit is enforced, the speed of the machine is measured.
  const hasLimit = process.env.CI !== undefined && !values["no-limit"];
  if (isWhole && hasLimit) slowness = new Slowness();
  const lint = npmCommand(["run", "--silent", "lint"]);
  const checks = isWhole ? [quietly("npm run lint", lint.command, lint.args)] : [];
  /** @param {string} what @param {string} script */
  const built = (what, script) => quietly(what, process.execPath, [join(root, "scripts", script)]);
  const builds = [
    ...(needsBuild ? [built("The build", "build.ts")] : []),
    ...(needsClient ? [built("The build of the client", "build-client.ts")] : []),
  ];
  if ((await Promise.all(builds)).includes(false)) return 1;

  if (driving.length + alone.length > 0) process.env[SERVICE_PROGRAM] = await makeServiceProgram();

  const waiting = tier === "wide" ? WAITING_OF_WIDE : WAITING;
  const jobs = Number(values.jobs ?? availableParallelism() + waiting);
  /** @param {readonly string[]} files @param {number} workers */
  const inParallel = (files, workers) =>
    files.length > 1 && workers > 1 ? ["--parallel", "--jobs", String(workers)] : [];
  const runs = [];
  const measured = isWhole || values.coverage ? await coverageOptions() : undefined;
  if (unit.length > 0) runs.push(mocha("unit", unit, options, measured));
  // The files of one of these workers share a browser and an editor, which take longest to start.
  const browsers = inParallel(browsing, Math.min(jobs, isCore ? BROWSERS_OF_CORE : BROWSERS));
  if (browsing.length > 0) runs.push(mocha("browser", browsing, [...options, ...browsers]));
  if (driving.length > 0) runs.push(mocha("processes", driving, [...options, ...inParallel(driving, jobs)]));
  const exits = [...(await Promise.all(checks)), ...(await Promise.all(runs))];
  if (alone.length > 0) exits.push(await mocha("alone", alone, [...options, ...inParallel(alone, 2)]));
  const timesSlower = await slowness?.end();
  processorTime.leaveOut();
  exits.push(await nothingIsLeft());
  const all = [...readResults()];
  // A test that ends its own process leaves none, whatever the exit code.
  const isWholeResult = all.length === runs.length + (alone.length > 0 ? 1 : 0);
  if (!isWholeResult) process.stdout.write("  A process of the tests ended without its results.\n");
  exits.push(isWholeResult);
  const parts = processorTime.end();
  if (values.cpu) process.stdout.write(processorTimes(times, parts));
  if (isWhole || (tier === "wide" && positionals.length === 0)) process.stdout.write(lateFiles(all));
  if (chosen.leftOut.length > 0)
    process.stdout.write(
      `  Left out, because they need signals and files of Unix: ${chosen.leftOut.join(", ")}\n`,
    );
  const wallMs = performance.now() - started;
  process.stdout.write(`${summary(all, wallMs)}\n`);
  if (positionals.length === 0 && process.platform === "linux") {
    const { isWithin, text } = verdict(totalOf(parts), wallMs, timesSlower);
    process.stdout.write(`${text}\n`);
    exits.push(isWithin);
  }
  if (failedParts.length > 0) process.stdout.write(`  Failed: ${failedParts.join(", ")}.\n`);
  return exits.every(Boolean) ? 0 : 1;
}

/** @param {string} text */
function seedOf(text) {
  if (/^\d{1,9}$/.test(text)) return text;
  throw new Error("--shuffle takes a seed: a whole number of at most nine digits.");
}

async function coverageOptions() {
  return (await typesOnly("src")).map((file) => `--exclude=${file}`);
}

/**
 * @param {string} name of the file its results go to
 * @param {readonly string[]} files
 * @param {readonly string[]} options
 * @param {readonly string[]} [measured] coverage is measured with these options, and enforced
 * @returns {Promise<boolean>} whether all is well
 */
function mocha(name, files, options, measured) {
  const module = (/** @type {string} */ path) => join(root, "node_modules", path);
  const args = [
    ...(measured ? [module(TOOLS.c8), ...measured, process.execPath] : []),
    module(TOOLS.mocha),
    ...["--reporter", join(root, "scripts/test/reporter.mjs")],
    ...["--reporter-option", `results=${join(folder, `${name}.json`)}`],
    ...options,
    ...files,
  ];
  // Coverage is exact only without the compile cache, which makes all other runs faster.
  const cache = measured ? {} : { NODE_COMPILE_CACHE: module(".cache/compiled") };
  return ended(
    measured ? `${name}, with coverage` : name,
    spawn(process.execPath, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...cache } }),
  );
}

/** Tests end what they start: a process that outlives them is a failure. */
async function nothingIsLeft() {
  const left = await stillRunning("TMPDIR", folder, GRACE_MS);
  for (const running of left) {
    process.stdout.write(`  Still running after the tests: ${running.command}\n`);
    kill(running);
  }
  return left.length === 0;
}

/**
 * Runs a command and shows what it prints only when it fails.
 *
 * @param {string} what
 * @param {string} command
 * @param {readonly string[]} args
 */
async function quietly(what, command, args) {
  const child = spawn(command, args, { cwd: root });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      said += text;
    });
  }
  const isWell = await ended(what, child);
  process.stdout.write(isWell ? `  ${what}: passed\n` : `${said}\n  ${what}: failed\n`);
  return isWell;
}

/**
 * @param {string} what
 * @param {import("node:child_process").ChildProcess} child
 * @returns {Promise<boolean>}
 */
function ended(what, child) {
  running.add(child);
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("close", (code) => {
      running.delete(child);
      processorTime.ended(what);
      if (code !== 0) failedParts.push(what);
      resolve(code === 0);
    });
  });
}

/** @returns {Generator<Results>} */
function* readResults() {
  for (const name of ["unit", "browser", "processes", "alone"]) {
    try {
      yield JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
    } catch {
      // It did not start, or crashed.
    }
  }
}
