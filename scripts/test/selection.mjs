// @ts-check
// Selects the test files that belong to a path, and finds what they need.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, sep } from "node:path";
import { fromRoot, root } from "../lib/paths.mjs";

/** Tests of src: pure functions, and small servers. */
const UNIT =
  /^test\/(?:(?:abi|alerts|consumer|dedupe|files|http|library|proofs|resources|signing|testing|timing)\/|fleet\/shared-state|json\.test\.ts$)/;
const SOAK = "test/soak/";
/** Copies with a lease of a second: while a machine is overloaded, the promise is only that nothing is lost. */
const ALONE = /^test\/fleet\/faults\/(?:postgres|redis)\.test\.ts$/;

/** What Windows does not have: signals that suspend a process or end it in order, and these files and this shell. */
const OF_UNIX = /SIG(?:STOP|CONT|TERM|INT)"|["`]\/(?:proc|dev)\/|"sh"/;
const SHARED_HELPERS = "test/support/";

/**
 * What `npm test` leaves out: groups of files with what they test, and the files of `npm test` that hold the core of that.
 *
 * @type {ReadonlyArray<{ what: string, core: string[], files: string[] }>}
 */
export const WIDE = JSON.parse(readFileSync(new URL("wide.json", import.meta.url), "utf8"));
/** Those that are wide as a whole. */
export const WIDE_FILES = WIDE.flatMap(({ files }) => files);
/** The environment variable that is `yes` where a test file leaves out its wide tests. */
export const CORE_ONLY = "CREC_TEST_CORE_ONLY";
/** The environment variable that is `yes` where a test file leaves out the tests that `npm test` runs. */
export const WIDE_ONLY = "CREC_TEST_WIDE_ONLY";
/** The environment variable that is `none` where a test file leaves out its variants. */
export const VARIANTS = "CREC_TEST_VARIANTS";
/** The environment variable with the seed of the order in which the tests of each suite run. */
export const SHUFFLE = "CREC_TEST_SHUFFLE";

/** Helpers of tests that run the built nodes or read the built files. */
const READS_BUILD = ["test/support/node-red.ts", "test/support/built.ts", "test/support/rehearsal.ts"];
const NAMES_BUILD = /(?<!client\/)\bdist\//;
/** The helper of tests that use the package for programs. */
const READS_CLIENT = "test/support/built-client.ts";
const IMPORT = /^(?:(?:import|export)\b[^"'\n]*|\} )\bfrom "(\.[^"]+\.ts)"/gm;

/**
 * @typedef {{ unit: string[], browser: string[], process: string[], alone: string[], leftOut: string[], needsBuild: boolean, needsClient: boolean, isAll: boolean, hasNamedWide: boolean }} Selection
 *   `unit` runs in one process that measures coverage, `browser` in workers with a browser each, `process` in others, and
 *   `alone` after all of these; `leftOut` cannot run on this system; `isAll`: the whole core; `hasNamedWide`: a file was
 *   named that is wide as a whole
 */

/** @typedef {"core" | "wide" | "variants"} Tier */

/** @type {Readonly<Record<Tier, (file: string) => boolean>>} */
const BELONGS_TO = {
  core: (file) => !WIDE_FILES.includes(file),
  wide: (file) => WIDE_FILES.includes(file) || uses(file, "test/support/wide.ts"),
  variants: (file) => uses(file, "test/support/variants.ts"),
};

/**
 * The test files of the core that belong to these paths, and those that are named themselves. Without paths, those of a
 * tier: what `npm test` runs, the files that have wide tests, or those that have variants.
 *
 * @param {readonly string[]} paths of test or source files or folders, from the root
 * @param {{ drivesProcesses?: boolean, tier?: Tier, platform?: NodeJS.Platform, withWide?: boolean }} [options]
 *   `drivesProcesses` leaves the unit tests out; `withWide` takes the files of both tiers
 * @returns {Selection}
 * @throws {Error} when a path does not exist, no test belongs to it, or only wide tests do
 */
export function select(paths, options = {}) {
  const { drivesProcesses = false, tier = "core", platform = process.platform, withWide = false } = options;
  const all = testFiles();
  const named = [...new Set(paths.flatMap((path) => chosenFor(path, all, withWide)))];
  const ofTier = withWide ? all : all.filter(BELONGS_TO[tier]);
  const wanted = paths.length === 0 ? ofTier : named;
  const leftOut = platform === "win32" && paths.length === 0 ? wanted.filter(needsUnix) : [];
  const chosen = wanted.filter((file) => !leftOut.includes(file));
  const others = longestFirst(chosen.filter((file) => !isUnit(file)));
  return {
    unit: drivesProcesses ? [] : chosen.filter(isUnit),
    browser: others.filter(usesBrowser),
    process: others.filter((file) => !usesBrowser(file) && !ALONE.test(file)),
    alone: others.filter((file) => ALONE.test(file)),
    leftOut,
    needsBuild: chosen.some((file) => (!drivesProcesses || !isUnit(file)) && readsBuild(file)),
    needsClient: chosen.some((file) => (!drivesProcesses || !isUnit(file)) && uses(file, READS_CLIENT)),
    isAll: paths.length === 0 && !drivesProcesses && tier === "core" && !withWide,
    hasNamedWide: named.some((file) => WIDE_FILES.includes(file)),
  };
}

/**
 * @param {string} path
 * @param {readonly string[]} all
 * @param {boolean} withWide
 */
function chosenFor(path, all, withWide) {
  const files = belongingTo(path, all);
  const core = files.filter(BELONGS_TO.core);
  const isNamed = files.length === 1 && files[0] === fromRoot(path);
  if (withWide || isNamed) return files;
  if (core.length === 0) throw new Error(`All tests of ${path} are wide. Run npm test -- --all ${path}`);
  return core;
}

/**
 * Whether a file runs in the process that measures coverage. The longest do not: measuring makes them slower.
 *
 * @param {string} file
 */
function isUnit(file) {
  return UNIT.test(file) && !LONGEST_FIRST.includes(file);
}

function testFiles() {
  return ["test", "service/test"]
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) =>
        join(folder, name),
      ),
    )
    .map((path) => path.split(sep).join("/"))
    .filter((path) => path.endsWith(".test.ts") && !path.startsWith(SOAK))
    .sort();
}

/** Tests of the parts, for files that no test names. */
const TESTS_OF_PART = /** @type {Record<string, RegExp>} */ ({
  src: UNIT,
  nodes: /^test\/(?:nodes|editor|e2e)\//,
  service: /^service\/test\//,
});

/**
 * If no test belongs to a file, those of its folder do, and so on upwards.
 *
 * @param {string} given
 * @param {readonly string[]} all
 * @returns {string[]}
 */
function belongingTo(given, all) {
  const path = fromRoot(given);
  if (path === "") return [...all];
  if (path.startsWith("..") || !existsSync(join(root, path))) {
    throw new Error(`There is no ${given}: name a file or folder of this repository.`);
  }
  for (let place = path; place !== "."; place = posix.dirname(place)) {
    const isWithin = (/** @type {string} */ file) => file === place || file.startsWith(`${place}/`);
    // A test of the nodes that only uses src/abi to make values is not a test of src/abi.
    const ofPart = TESTS_OF_PART[place.split("/")[0] ?? ""] ?? /^/;
    const isNamed = (/** @type {string} */ file) =>
      place in TESTS_OF_PART || hasNameOf(place, file) || usesOf(isWithin, file);
    const within = all.filter(isWithin);
    const belongs = (/** @type {string} */ file) =>
      (ofPart.test(file) && isNamed(file)) || isExampleOf(place, file);
    const found = within.length > 0 ? within : all.filter(belongs);
    if (found.length > 0) return found;
  }
  throw new Error(`No test belongs to ${given}: name a file or folder in src, nodes, service or test.`);
}

/**
 * `test/nodes/events-in-panel.test.ts` has the name of `nodes/events-in`, and all of `test/proofs` that of
 * `src/proofs`.
 *
 * @param {string} place
 * @param {string} test
 */
function hasNameOf(place, test) {
  const [name = ""] = posix.basename(place.replace(/^(nodes\/[^/]+)\/node\.ts$/, "$1")).split(/\.\w+$/);
  return test.startsWith(`test/${name}/`) || new RegExp(`/${name}(?:-[^/]*)?\\.test\\.ts$`).test(test);
}

/**
 * `test/examples/12-gas-price.test.ts` tests the example of `nodes/gas-price`, as `npm run new-node` makes it.
 *
 * @param {string} place
 * @param {string} test
 */
function isExampleOf(place, test) {
  const name = /^nodes\/([^/]+)$/.exec(place)?.[1];
  return name !== undefined && new RegExp(`^test/examples/\\d+-${name}\\.test\\.ts$`).test(test);
}

/**
 * Whether a test, or a file beside it that it uses, imports what lies within a path.
 *
 * @param {(file: string) => boolean} isWithin
 * @param {string} test
 */
function usesOf(isWithin, test) {
  const imports = importsOf(test);
  const beside = imports.filter((file) => posix.dirname(file) === posix.dirname(test));
  return [...imports, ...beside.flatMap(importsOf)].some(isWithin);
}

/** @type {Map<string, string[]>} */
const imports = new Map();

/**
 * @param {string} file
 * @returns {string[]}
 */
function importsOf(file) {
  const known = imports.get(file);
  if (known) return known;
  const found = [...textOf(file).matchAll(IMPORT)];
  const all = found.map(([, target = ""]) => posix.join(posix.dirname(file), target));
  imports.set(file, all);
  return all;
}

/** @param {string} file */
function readsBuild(file) {
  const used = [...usedBy(file)];
  return used.some((one) => READS_BUILD.includes(one)) || NAMES_BUILD.test(textOf(file));
}

/** Whether a file or its own helpers need what only Unix has. @param {string} file */
function needsUnix(file) {
  const own = [...usedBy(file)].filter((used) => !used.startsWith(SHARED_HELPERS));
  return [file, ...own].some((one) => OF_UNIX.test(textOf(one)));
}

/** @param {string} file @param {string} helper */
function uses(file, helper) {
  return usedBy(file).has(helper);
}

/** @param {string} file */
export function usesBrowser(file) {
  return uses(file, "test/support/browser.ts");
}

/** @param {string} file */
export function usesNodeRed(file) {
  return uses(file, "test/support/node-red.ts");
}

/** @param {string} file */
export function usesPostgres(file) {
  return uses(file, "test/support/postgres.ts");
}

/** @param {string} file */
export function usesRedis(file) {
  return uses(file, "test/support/redis.ts");
}

/** @param {string} file */
export function usesMoto(file) {
  return uses(file, "test/support/moto.ts");
}

/** @param {string} file */
export function usesMetricsParser(file) {
  return uses(file, "test/support/metrics-parser.ts");
}

/** @param {string} file */
export function usesPromtool(file) {
  return uses(file, "test/support/promtool.ts");
}

/**
 * A test file and all files of the test folders that it imports.
 *
 * @param {string} file
 * @param {Set<string>} [seen]
 * @returns {Set<string>}
 */
function usedBy(file, seen = new Set()) {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const target of importsOf(file)) {
    if (/^(?:service\/)?test\//.test(target)) usedBy(target, seen);
  }
  return seen;
}

/** No file changes while they are selected. @type {Map<string, string>} */
const texts = new Map();

/** @param {string} file */
function textOf(file) {
  const text = texts.get(file) ?? readFileSync(join(root, file), "utf8");
  texts.set(file, text);
  return text;
}

/** Workers take these files first, in this order: a long file that starts last would make the run longer. */
/** @type {readonly string[]} */
const LONGEST_FIRST = JSON.parse(readFileSync(new URL("longest-first.json", import.meta.url), "utf8"));

/**
 * Whether a file starts early, or runs in the process that measures coverage, which ends before the others.
 *
 * @param {string} file
 */
export function isAwaited(file) {
  return isUnit(file) || ALONE.test(file) || LONGEST_FIRST.includes(file);
}

/** @param {readonly string[]} files */
function longestFirst(files) {
  /** @param {string} file */
  const rank = (file) => (LONGEST_FIRST.includes(file) ? LONGEST_FIRST.indexOf(file) : LONGEST_FIRST.length);
  return [...files].sort((a, b) => rank(a) - rank(b));
}
