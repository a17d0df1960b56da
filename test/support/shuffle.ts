import { SHUFFLE } from "../../scripts/test/selection.mjs";

/** Puts the tests of all suites into another order: a test must not need those before it. */
export function shuffleTests(root: Mocha.Suite | undefined): void {
  const seed = process.env[SHUFFLE];
  if (root === undefined || seed === undefined) return;
  const random = randomFrom(Number(seed));
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

/** Numbers from 0 to below 1, the same for each seed: mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
