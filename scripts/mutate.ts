// npm run mutate -- <folder>: changes the code of a folder in small ways, one at a time, by Stryker, and prints the changes
// that no test notices. Stryker neither finds the tests of a folder nor draws a sample.
//
//   --sample 100     only so many, drawn at random
//   --seed 7         another draw
//   --concurrency 2  processes at a time
//   --tests <glob>   these tests instead of the folder's unit tests
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { build } from "esbuild";
import { fromRoot, root } from "./lib/paths.mjs";

/** Git ignores this folder. It cannot be in `node_modules`: Node.js strips no types there. */
const CACHE = ".cache/mutate";

/** Files that start a chain, Node-RED, a browser or another program: too slow to run for each change. */
const STARTERS = [
  ...["playwright-core", "service/src/chain/anvil/anvil.ts", "test/consumer/kill-runs.ts"],
  ...["test/support/node-red.ts", "test/support/program.ts"],
];
const IS_TEST = /^(?:service\/)?test\//;

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
  const found = globSync(["test/**/*.test.ts", "service/test/**/*.test.ts"], { cwd: root, exclude });
  const all = found.map(fromRoot).sort();
  const { metafile } = await build({
    ...{ absWorkingDir: root, bundle: true, entryPoints: all, external: ["*.node"], packages: "external" },
    ...{
      format: "esm",
      platform: "node",
      outdir: "unused",
      write: false,
      metafile: true,
      logLevel: "silent",
    },
  });
  /** Those that a file imports, directly or through those that are entered. */
  function reached(file: string, isEntered: (file: string) => boolean, seen = new Set<string>()) {
    for (const { path } of metafile.inputs[file]?.imports ?? []) {
      if (seen.has(path)) continue;
      seen.add(path);
      if (isEntered(path)) reached(path, isEntered, seen);
    }
    return seen;
  }
  const ownTests = `${part.replace(/^(?:src|nodes)\//, "test/")}/`;
  const own = all.filter(
    (test) =>
      test.startsWith(ownTests) ||
      // Directly, or through helpers of the tests. Code that it reaches through other parts has tests of its own.
      [...reached(test, (path) => IS_TEST.test(path))].some((path) => `${path}/`.startsWith(`${part}/`)),
  );
  const leftOut = own.filter((test) => {
    const used = reached(test, () => true);
    return STARTERS.some((starter) => used.has(starter));
  });
  if (leftOut.length > 0)
    process.stdout.write(
      `Not run, since they start other programs (name them by --tests): ${leftOut.join(", ")}\n`,
    );
  const chosen = own.filter((test) => !leftOut.includes(test));
  if (chosen.length === 0) throw new Error(`No unit test imports ${part}. Name tests by --tests.`);
  process.stdout.write(`Tests: ${chosen.join(", ")}\n`);
  return chosen;
}
