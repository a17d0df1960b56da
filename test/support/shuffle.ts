import { SHUFFLE } from "../../scripts/test/selection.mjs";
import { randomFrom } from "./random.ts";

/** Puts the tests of all suites into another order: a test must not need those before it. */
export function shuffleTests(root: Mocha.Suite | undefined): void {
  const seed = process.env[SHUFFLE];
  if (root === undefined || seed === undefined) return;
  // Seeds that are close must not make orders that are.
  const random = randomFrom(Math.imul(Number(seed) + 1, 0x9e3779b1) >>> 0);
  const shuffle = (suite: Mocha.Suite): void => {
    shuffleInPlace(suite.tests, random);
    shuffleInPlace(suite.suites, random);
    for (const inner of suite.suites) shuffle(inner);
  };
  for (const suite of root.suites) shuffle(suite);
}

function shuffleInPlace(items: unknown[], random: () => number): void {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [items[last], items[other]] = [items[other], items[last]];
  }
}
