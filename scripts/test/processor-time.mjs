// @ts-check
// `npm test -- --cpu`: how many seconds of a processor each test file uses, with all processes it starts. Wall time says
// little where tests run side by side. Linux only.
import { readFileSync } from "node:fs";

/** The environment variable with the path of the file to which each process of tests appends its notes. */
export const PROCESSOR_TIME = "CREC_TEST_PROCESSOR_TIME";

/**
 * @param {string} path of the notes
 * @returns {string} one line for each test file, the most expensive first
 */
export function processorTimes(path) {
  /** @type {Map<string, number>} */
  const byFile = new Map();
  for (const line of readFileSync(path, "utf8").split("\n").filter(Boolean)) {
    const { file, seconds } = /** @type {{ file: string, seconds: number }} */ (JSON.parse(line));
    byFile.set(file, (byFile.get(file) ?? 0) + seconds);
  }
  const sorted = [...byFile].sort(([, one], [, other]) => other - one);
  const total = sorted.reduce((sum, [, seconds]) => sum + seconds, 0);
  const lines = sorted.map(([file, seconds]) => `  ${seconds.toFixed(1).padStart(7)} s  ${file}`);
  return [`\n  Processor time, ${total.toFixed(0)} s in total:`, ...lines, ""].join("\n");
}
