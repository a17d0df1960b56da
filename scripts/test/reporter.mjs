// @ts-check
// A mocha reporter for several runs side by side: one line a test file as it ends, failures in full, and all
// results as JSON for the summary at the end.
import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import mocha from "mocha";

const { Base } = mocha.reporters;
const { EVENT_RUN_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } = mocha.Runner.constants;

/**
 * @typedef {{ file: string, title: string }} Outcome one test
 * @typedef {{ passed: Outcome[], failed: Outcome[], skipped: Outcome[] }} Results
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 */

export default class SideBySide extends Base {
  /** @type {Results} */
  #results = { passed: [], failed: [], skipped: [] };
  /** @type {Counts} */
  #counts = { passed: 0, failed: 0, skipped: 0 };
  #file = "";
  #startedAt = performance.now();

  /**
   * @param {import("mocha").Runner} runner
   * @param {import("mocha").MochaOptions} options
   */
  constructor(runner, options) {
    super(runner, options);
    /** @type {Array<[string, keyof Results]>} */
    const kinds = [
      [EVENT_TEST_PASS, "passed"],
      [EVENT_TEST_FAIL, "failed"],
      [EVENT_TEST_PENDING, "skipped"],
    ];
    for (const [event, kind] of kinds) runner.on(event, (test) => this.#note(kind, test));
    runner.on(EVENT_RUN_END, () => {
      this.#endFile();
      const { results } = options.reporterOptions ?? {};
      if (results !== undefined) writeFileSync(results, JSON.stringify(this.#results));
    });
  }

  /**
   * @param {keyof Results} kind
   * @param {import("mocha").Test} test
   */
  #note(kind, test) {
    const file = relative(process.cwd(), test.file ?? "");
    if (file !== this.#file) this.#endFile();
    this.#file = file;
    this.#results[kind].push({ file, title: test.fullTitle() });
    this.#counts[kind] += 1;
    if (kind === "failed") Base.list([test]);
  }

  #endFile() {
    if (this.#file !== "") {
      const seconds = ((performance.now() - this.#startedAt) / 1000).toFixed(0);
      process.stdout.write(`  ${seconds.padStart(4)} s  ${this.#file}: ${countsText(this.#counts)}\n`);
    }
    this.#file = "";
    this.#counts = { passed: 0, failed: 0, skipped: 0 };
  }
}

/** @param {Counts} counts */
function countsText(counts) {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(", ");
}
