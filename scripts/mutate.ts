// npm run mutate -- <folder>: changes the code of a folder in small ways, one at a time, and prints the changes
// that no test notices.
//
//   --sample 100     only so many, drawn at random
//   --seed 7         another draw
//   --concurrency 2  processes at a time
//   --tests <glob>   these tests instead of the folder's unit tests
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { fromRoot, root } from "./lib/paths.mjs";
import { testsOf } from "./lib/tests-of.ts";

/** Git ignores this folder. It cannot be in `node_modules`: Node.js strips no types there. */
const CACHE = ".cache/mutate";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    concurrency: { type: "string" },
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    tests: { type: "string", multiple: true },
  },
});
if (positionals.length !== 1) {
  throw new Error("Say which folder: npm run mutate -- src/proofs [--sample 100 --seed 7]");
}
const part = fromRoot(positionals[0] ?? "");
const isFile = statSync(join(root, part)).isFile();
const tests = await chosenTests();

const options: Record<string, unknown> = {
  mutate: isFile ? [part] : [`${part}/**/*.ts`],
  testRunner: "mocha",
  mochaOptions: { "no-config": true, "no-package": true, extension: ["ts"], spec: tests },
  coverageAnalysis: "perTest",
  plugins: ["runner", "sample"].map((name) => join(root, `scripts/lib/mutation-${name}.mjs`)),
  ignorePatterns: [".cache", "coverage", "data", "docs/images", "dist*"],
  disableTypeChecks: false,
  tsconfigFile: "none",
  tempDirName: CACHE,
  cleanTempDir: "always",
  reporters: process.stdout.isTTY ? ["clear-text", "progress"] : ["clear-text"],
  clearTextReporter: { logTests: false, reportTests: false, reportScoreTable: false },
  timeoutMS: 10_000,
  warnings: { slow: false },
  logLevel: "warn",
  ...(values.concurrency && { concurrency: Number(values.concurrency) }),
  ...(values.sample && { checkers: ["sample"], sample: Number(values.sample), seed: Number(values.seed) }),
};
const results = await new Stryker(options).runMutationTest();

const count = (wanted: string) => results.filter(({ status }) => status === wanted).length;
// A change that keeps the tests from being loaded ends their run, too.
const killed = count("Killed") + count("RuntimeError") + count("Timeout");
const judged = killed + count("Survived") + count("NoCoverage");
const drawn = values.sample ? `, drawn from ${results.length} by seed ${values.seed}` : "";
process.stdout.write(
  `${part}: ${killed} of ${judged} changes killed (${((100 * killed) / judged).toFixed(1)} %)${drawn}. ` +
    `${count("Timeout")} of the killed ran too long. ` +
    `${count("Survived")} survived, ${count("NoCoverage")} are in code that no test runs.\n`,
);

async function chosenTests() {
  if (values.tests) return globSync(values.tests, { cwd: root });
  // Tests of the docs read the source as text, which here contains all changes.
  const exclude = ["test/docs/**", "test/soak/**"];
  const all = globSync(["test/**/*.test.ts", "service/test/**/*.test.ts"], { cwd: root, exclude });
  const { chosen, leftOut } = await testsOf(part, all.map(fromRoot).sort());
  if (leftOut.length > 0) {
    process.stdout.write(
      `Not run, since they start other programs (name them by --tests): ${leftOut.join(", ")}\n`,
    );
  }
  if (chosen.length === 0) throw new Error(`No unit test imports ${part}. Name tests by --tests.`);
  process.stdout.write(`Tests: ${chosen.join(", ")}\n`);
  return chosen;
}
