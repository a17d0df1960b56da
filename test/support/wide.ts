import { CORE_ONLY } from "../../scripts/test/selection.mjs";

/**
 * Whether tests run that `npm test` leaves out: in `npm run test:wide`, with `--all`, and in a file that Mocha runs
 * directly. See "Core and wide tests" in CONTRIBUTING.md.
 */
export const isWide: boolean = process.env[CORE_ONLY] !== "yes";

/** A test that `npm test` leaves out. */
export function itWide(title: string, test: Mocha.AsyncFunc | Mocha.Func): void {
  if (isWide) it(title, test);
}

/** Tests that `npm test` leaves out. */
export function describeWide(title: string, define: (this: Mocha.Suite) => void): void {
  if (isWide) describe(title, define);
}
