import { endShared, isWorker } from "./shared.ts";

// Coverage is measured in the process of the tests: children would each write as much again.
delete process.env.NODE_V8_COVERAGE;

/** Loaded before any test. */
export const mochaHooks = {
  /** A worker runs more files, and what they share ends with it; without workers this is the end of the run. */
  async afterAll(): Promise<void> {
    if (!isWorker()) await endShared();
  },
};
