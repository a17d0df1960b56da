// @ts-check
// What a test run says at its end: how many tests passed, which failed, and which were skipped and why.
import { chromiumPath, HOW_TO_GET_CHROMIUM } from "../lib/chromium.mjs";
import { usesBrowser } from "./selection.mjs";

/** @typedef {import("./reporter.mjs").Outcome} Outcome */
/** @typedef {import("./reporter.mjs").Results} Results */

/**
 * @param {readonly Results[]} runs
 * @param {number} ms that it all took
 * @returns {string}
 */
export function summary(runs, ms) {
  /** @param {keyof Results} kind */
  const all = (kind) => runs.flatMap((run) => run[kind]);
  const [passed, failed, skipped] = [all("passed"), all("failed"), all("skipped")];
  const lines = [`\n  ${passed.length} passing (${minutes(ms)})`];
  if (skipped.length > 0) lines.push(`  ${skipped.length} skipped`);
  if (failed.length > 0) lines.push(`  ${failed.length} failing`);
  for (const { file, title } of failed) lines.push(`    ${file}: ${title}`);
  return [...lines, ...reasons(skipped)].join("\n");
}

/** @param {readonly Outcome[]} skipped */
function reasons(skipped) {
  const isForBrowser = (/** @type {Outcome} */ { file }) => chromiumPath() === undefined && usesBrowser(file);
  const forBrowser = skipped.filter(isForBrowser);
  const others = skipped.filter((test) => !isForBrowser(test));
  return [
    ...listed("need a browser, and there is none", forBrowser, HOW_TO_GET_CHROMIUM),
    ...listed("skipped themselves", others, "Each says in its code when it runs."),
  ];
}

/**
 * @param {string} why
 * @param {readonly Outcome[]} tests
 * @param {string} advice
 */
function listed(why, tests, advice) {
  if (tests.length === 0) return [];
  const names = tests.map(({ file, title }) => `    ${file}: ${title}`);
  return [`\n  ${tests.length} tests ${why}. ${advice}`, ...names];
}

/** @param {number} ms */
function minutes(ms) {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
