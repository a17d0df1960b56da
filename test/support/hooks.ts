import { fileURLToPath } from "node:url";
import fc from "fast-check";
import mocha from "mocha";
import { noteRunnables } from "./eventually.ts";
import { noteProcessorTime } from "./processor-time.ts";
import { endShared, isWorker } from "./shared.ts";
import { shuffleTests } from "./shuffle.ts";
import { leaveCoreTests } from "./wide.ts";

// Coverage is measured in the process of the tests: children would each write as much again.
delete process.env.NODE_V8_COVERAGE;
// So only this process has to do without the compile cache.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL("../../node_modules/.cache/compiled", import.meta.url),
);
noteRunnables(mocha.Runnable);
// A worker passes on the message and the stack of an error, and not its cause.
fc.configureGlobal({ includeErrorInReport: true });

/** Loaded before any test. */
export const mochaHooks = {
  beforeAll(this: Mocha.Context): void {
    leaveCoreTests(this.test?.parent);
    shuffleTests(this.test?.parent);
  },
  /** A worker runs more files, and what they share ends with it; without workers this is the end of the run. */
  async afterAll(this: Mocha.Context): Promise<void> {
    if (!isWorker()) await endShared();
    noteProcessorTime(fileOf(this.test?.parent));
  },
};

/** The root of a worker has the suites of one file; that of a single process has those of all its files. */
function fileOf(root: Mocha.Suite | undefined): string | undefined {
  const files = new Set(root?.suites.map(({ file }) => file));
  const [first] = files;
  return isWorker() || files.size === 1 ? first : "all files of one process";
}
