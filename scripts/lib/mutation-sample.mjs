// @ts-check
// A plugin of Stryker that lets only a random sample of the mutants run. Stryker has no option for that, but it
// asks a checker first which mutants are worth a run: this one refuses all that the seed does not draw.
import { createHash } from "node:crypto";
import { CheckStatus } from "@stryker-mutator/api/check";
import { commonTokens, declareFactoryPlugin, PluginKind, tokens } from "@stryker-mutator/api/plugin";

/**
 * @typedef {import("@stryker-mutator/api/check").Checker} Checker
 * @typedef {import("@stryker-mutator/api/core").Mutant} Mutant
 * @typedef {import("@stryker-mutator/api/core").StrykerOptions & { sample?: number, seed?: number }} Options
 */

/**
 * @param {Options} options
 * @returns {Checker}
 */
function createChecker({ sample, seed }) {
  /** @param {Mutant} mutant */
  const draw = ({ id }) => createHash("sha256").update(`${seed} ${id}`).digest("hex");
  return {
    init: async () => {},
    // All mutants in one group: an exact number can only be drawn from all of them.
    group: async (mutants) => [mutants.map(({ id }) => id)],
    check: async (mutants) => {
      const drawn = mutants.toSorted((a, b) => (draw(a) < draw(b) ? -1 : 1)).slice(0, sample);
      const ids = new Set(drawn.map(({ id }) => id));
      return Object.fromEntries(
        mutants.map(({ id }) => [
          id,
          ids.has(id)
            ? { status: CheckStatus.Passed }
            : { status: CheckStatus.CompileError, reason: "not in the sample" },
        ]),
      );
    },
  };
}
createChecker.inject = tokens(commonTokens.options);

export const strykerPlugins = [declareFactoryPlugin(PluginKind.Checker, "sample", createChecker)];

/** The options of this plugin, so that Stryker does not warn about them. */
export const strykerValidationSchema = {
  type: "object",
  properties: { sample: { type: "number" }, seed: { type: "number" } },
};
