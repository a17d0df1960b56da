// @ts-check
// Stryker's runner for mocha asks for parts of mocha by names without an extension. In mocha 12 they end in `.cjs`,
// and the runner does not find them. Until one that does is released, this plugin leads it there.
import { registerHooks } from "node:module";

const PART_OF_MOCHA = /\/mocha\/lib\/cli\/(?:collect-files|options|run-helpers)$/;

registerHooks({
  resolve: (specifier, context, next) =>
    next(PART_OF_MOCHA.test(specifier) ? `${specifier}.cjs` : specifier, context),
});

export const { strykerPlugins, strykerValidationSchema } = await import("@stryker-mutator/mocha-runner");
