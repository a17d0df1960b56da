import { fromRoot } from "../../scripts/lib/paths.mjs";
import { CORE_ONLY, WIDE_FILES, WIDE_ONLY } from "../../scripts/test/selection.mjs";

/**
 * Whether tests run that `npm test` leaves out: in `npm run test:wide`, with `--all`, and in a file that Mocha runs
 * directly. See "Core and wide tests" in CONTRIBUTING.md.
 */
export const isWide: boolean = process.env[CORE_ONLY] !== "yes";

const wide = new Set<Mocha.Test | Mocha.Suite>();

/** A test that `npm test` leaves out. */
export function itWide(title: string, test: Mocha.AsyncFunc | Mocha.Func): void {
  if (isWide) wide.add(it(title, test));
}

/** Tests that `npm test` leaves out. */
export function describeWide(title: string, define: (this: Mocha.Suite) => void): void {
  if (isWide) wide.add(describe(title, define));
}

/** The wide tests of this suite need its others before them: all of them run in `npm run test:wide`. */
export function needsCoreTests(suite: Mocha.Suite): void {
  wide.add(suite);
}

/** In `npm run test:wide`, takes away the tests that `npm test` runs: those of files that are not wide as a whole. */
export function leaveCoreTests(root: Mocha.Suite | undefined): void {
  if (root === undefined || process.env[WIDE_ONLY] !== "yes") return;
  const leave = (suite: Mocha.Suite): void => {
    if (wide.has(suite)) return;
    suite.tests = suite.tests.filter((test) => wide.has(test));
    suite.suites.forEach(leave);
  };
  root.suites.filter(({ file = "" }) => !WIDE_FILES.includes(fromRoot(file))).forEach(leave);
}
