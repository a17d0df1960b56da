import { VARIANTS } from "../../scripts/test/selection.mjs";

/**
 * Whether more variants of a promise are tested than `npm test` has time for: `npm run test:variants`, and a file that is
 * run by itself.
 */
export const withVariants: boolean = process.env[VARIANTS] !== "none";

/** The first of two sizes of a test in `npm test`, the second one with all variants. */
export function sized<T>(usual: T, withAll: T): T {
  return withVariants ? withAll : usual;
}

/** Defines tests that only belong to the variants. */
export function inVariants(define: () => void): void {
  if (withVariants) define();
}
