// @ts-check
// The summary of a test run: how many tests passed, which failed, and which were skipped and why.
import { chromiumPath, HOW_TO_GET_CHROMIUM } from "../lib/chromium.mjs";
import {
  HOW_TO_GET_MOTO,
  HOW_TO_GET_OPENMETRICS,
  HOW_TO_GET_POSTGRES,
  HOW_TO_GET_PROMTOOL,
  HOW_TO_GET_REDIS,
  motoPath,
  openMetricsPython,
  postgresFolder,
  promtoolPath,
  redisPath,
} from "../lib/engines.mjs";
import {
  isAwaited,
  usesBrowser,
  usesMetricsParser,
  usesMoto,
  usesPostgres,
  usesPromtool,
  usesRedis,
} from "./selection.mjs";

/** Files that take this long must start early, in milliseconds. */
const LONG_MS = 20_000;

/** @typedef {import("./reporter.mjs").Kind} Kind */
/** @typedef {import("./reporter.mjs").Outcome} Outcome */
/** @typedef {import("./reporter.mjs").Results} Results */

/**
 * @param {readonly Results[]} runs
 * @param {number} ms that it all took
 * @returns {string}
 */
export function summary(runs, ms) {
  /** @param {Kind} kind */
  const all = (kind) => runs.flatMap((run) => run[kind]);
  const [passed, failed, skipped] = [all("passed"), all("failed"), all("skipped")];
  const lines = [`\n  ${passed.length} passing (${minutes(ms)})`];
  if (skipped.length > 0) lines.push(`  ${skipped.length} skipped`);
  if (failed.length > 0) lines.push(`  ${failed.length} failing`);
  for (const { file, title, reason } of failed) {
    lines.push(`    ${file}: ${title}`);
    if (reason !== undefined) lines.push(`      ${reason}`);
  }
  return [...lines, ...reasons(skipped)].join("\n");
}

/**
 * Files that make the whole run longer than necessary.
 *
 * @param {readonly Results[]} runs
 * @returns {string}
 */
export function lateFiles(runs) {
  const late = runs
    .flatMap(({ durations }) => Object.entries(durations))
    .filter(([file, ms]) => ms > LONG_MS && !isAwaited(file));
  if (late.length === 0) return "";
  const names = late.map(([file, ms]) => `    ${(ms / 1000).toFixed(0)} s  ${file}`);
  return [
    "\n  These take long and start late: add them to scripts/test/longest-first.json.",
    ...names,
    "",
  ].join("\n");
}

/** What tests need that may not be installed. */
const NEEDS = [
  { name: "a browser", uses: usesBrowser, find: chromiumPath, advice: HOW_TO_GET_CHROMIUM },
  { name: "PostgreSQL", uses: usesPostgres, find: postgresFolder, advice: HOW_TO_GET_POSTGRES },
  { name: "Redis or Valkey", uses: usesRedis, find: redisPath, advice: HOW_TO_GET_REDIS },
  { name: "moto", uses: usesMoto, find: motoPath, advice: HOW_TO_GET_MOTO },
  {
    name: "prometheus-client",
    uses: usesMetricsParser,
    find: openMetricsPython,
    advice: HOW_TO_GET_OPENMETRICS,
  },
  { name: "promtool", uses: usesPromtool, find: promtoolPath, advice: HOW_TO_GET_PROMTOOL },
];

/** @param {readonly Outcome[]} skipped */
function reasons(skipped) {
  if (skipped.length === 0) return [];
  let others = skipped;
  const lines = NEEDS.filter(({ find }) => find() === undefined).flatMap(({ name, uses, advice }) => {
    const forIt = others.filter(({ file }) => uses(file));
    others = others.filter((test) => !forIt.includes(test));
    return listed(["test needs", "tests need"], `${name}, which was not found`, forIt, advice);
  });
  return [
    ...lines,
    ...listed(
      ["test skipped itself", "tests skipped themselves"],
      "",
      others,
      "The code of each says when it runs.",
    ),
  ];
}

/**
 * @param {readonly [one: string, several: string]} what
 * @param {string} why
 * @param {readonly Outcome[]} tests
 * @param {string} advice
 */
function listed([one, several], why, tests, advice) {
  if (tests.length === 0) return [];
  const sentence = [tests.length, tests.length === 1 ? one : several, why].filter(Boolean).join(" ");
  return [`\n  ${sentence}. ${advice}`, ...tests.map(({ file, title }) => `    ${file}: ${title}`)];
}

/** @param {number} ms */
function minutes(ms) {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
