import { VARIANTS } from "../../scripts/test/selection.mjs";

/**
 * Whether more variants of a promise are tested than CI has time for: in `npm run test:variants`, with `--all`, and in a
 * file that Mocha runs directly.
 */
export const withVariants: boolean = process.env[VARIANTS] !== "none";

/** The first of two sizes of a test in `npm test` and `npm run test:wide`, the second one with all variants. */
export function sized<T>(usual: T, withAll: T): T {
  return withVariants ? withAll : usual;
}

/** Defines tests that only belong to the variants. */
export function inVariants(define: () => void): void {
  if (withVariants) define();
}
