import should from "should";
import { CONTROLS, findingsOf, problemWithFix } from "./chaos-controls.ts";
import { problemWith, runScenario, withChild } from "./chaos-run.ts";
import { chaosScenario, firstSeed } from "./chaos-scenario.ts";

/** A world of its own for each run of the tests, or the one to look at again. */
const SEED = firstSeed();

/** The tests of a consumer that is killed so many times in each of so many random worlds. */
export function describeChaosRuns({ worlds, kills }: { worlds: number; kills: number }): void {
  describe("a consumer that is killed while it reads a faulty service", function () {
    this.timeout(120_000 + kills * 10_000);

    for (let seed = SEED; seed < SEED + worlds; seed += 1) {
      it(`loses none, marks repeated and late events (${kills} kills, seed ${seed})`, () =>
        withChild(async (child) => {
          const run = { world: chaosScenario(seed, kills + 1), kills, child };
          const outcome = await runScenario(run);
          should(problemWith(run, outcome)).be.undefined();
          // And the kills came while it was at work.
          should(outcome.livelyLives).be.above(kills / 8);
        }));
    }
  });
}

/**
 * That the same check finds out a consumer without one of its fixes, and finds nothing with it; without names, for each
 * of them.
 */
export function describeChaosControls(names: readonly string[] = CONTROLS.map(({ name }) => name)): void {
  describe("the same check finds out a consumer that", function () {
    this.timeout(300_000);

    for (const name of names) {
      const control = CONTROLS.find((one) => one.name === name);
      it(name, async () => {
        if (control === undefined) throw new Error(`There is no control "${name}".`);
        should(await findingsOf(control, SEED)).be.above(0, `nothing was ${control.finds}`);
        should(await problemWithFix(control, SEED)).be.undefined();
      });
    }
  });
}
