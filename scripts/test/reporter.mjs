// @ts-check
// A mocha reporter for parallel runs: one line for each test file when it ends, failures in full, and all
// results as JSON for the summary at the end.
import { writeFileSync } from "node:fs";
import { relative, sep } from "node:path";
import mocha from "mocha";

const { Base } = mocha.reporters;
const {
  EVENT_HOOK_END,
  EVENT_RUN_END,
  EVENT_TEST_END,
  EVENT_TEST_FAIL,
  EVENT_TEST_PASS,
  EVENT_TEST_PENDING,
} = mocha.Runner.constants;

/** How much of an error's message the summary repeats. */
const REASON_LENGTH = 400;

/**
 * @typedef {{ file: string, title: string, reason?: string }} Outcome one test; `reason`: why it failed
 * @typedef {"passed" | "failed" | "skipped"} Kind
 * @typedef {Record<Kind, Outcome[]> & { durations: Record<string, number> }} Results `durations`: by file, in ms
 */

export default class SideBySide extends Base {
  /** @type {Results} */
  #results = { passed: [], failed: [], skipped: [], durations: {} };
  #counts = { passed: 0, failed: 0, skipped: 0 };
  #file = "";

  /**
   * @param {import("mocha").Runner} runner
   * @param {import("mocha").MochaOptions} options
   */
  constructor(runner, options) {
    super(runner, options);
    /** @type {Array<[string, Kind]>} */
    const kinds = [
      [EVENT_TEST_PASS, "passed"],
      [EVENT_TEST_FAIL, "failed"],
      [EVENT_TEST_PENDING, "skipped"],
    ];
    for (const [event, kind] of kinds) runner.on(event, (test, error) => this.#note(kind, test, error));
    for (const event of [EVENT_TEST_END, EVENT_HOOK_END]) {
      runner.on(event, ({ file, duration = 0 }) => this.#took(file, duration));
    }
    runner.on(EVENT_RUN_END, () => {
      this.#endFile();
      const { results } = options.reporterOptions ?? {};
      if (results !== undefined) writeFileSync(results, JSON.stringify(this.#results));
    });
  }

  /**
   * @param {Kind} kind
   * @param {import("mocha").Test} test
   * @param {Error} [error] of a failure
   */
  #note(kind, test, error) {
    const file = shortened(test.file);
    if (file !== this.#file) this.#endFile();
    this.#file = file;
    const reason = error?.message?.split("\n")[0]?.slice(0, REASON_LENGTH);
    this.#results[kind].push({ file, title: test.fullTitle(), ...(reason ? { reason } : {}) });
    this.#counts[kind] += 1;
    if (kind === "failed") Base.list([test]);
  }

  /**
   * @param {string | undefined} path
   * @param {number} ms
   */
  #took(path, ms) {
    const file = shortened(path);
    this.#results.durations[file] = (this.#results.durations[file] ?? 0) + ms;
  }

  #endFile() {
    if (this.#file !== "") {
      const seconds = ((this.#results.durations[this.#file] ?? 0) / 1000).toFixed(1);
      process.stdout.write(`  ${seconds.padStart(6)} s  ${this.#file}: ${countsText(this.#counts)}\n`);
    }
    this.#file = "";
    this.#counts = { passed: 0, failed: 0, skipped: 0 };
  }
}

/** @param {string | undefined} path */
function shortened(path) {
  return path === undefined ? "" : relative(process.cwd(), path).split(sep).join("/");
}

/** @param {Record<Kind, number>} counts */
function countsText(counts) {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(", ");
}
