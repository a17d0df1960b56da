import { build } from "esbuild";
import { root } from "./paths.mjs";

/** Files that start a chain, Node-RED, a browser or another program: too slow to run for each change. */
const STARTERS = [
  "playwright-core",
  "service/src/chain/anvil/anvil.ts",
  "test/consumer/kill-runs.ts",
  "test/support/node-red.ts",
  "test/support/program.ts",
];
/** Packages that try many values: tests that use them run after tests with single examples. */
const MANY_VALUES = ["ethers", "fast-check"];
/** Unit tests in other folders that also test this part. */
const ALSO = [
  { part: "src/abi", tests: ["test/proofs/decode.test.ts", "test/signing/signing.test.ts"] },
  { part: "src/http", tests: ["test/library/options.test.ts"] },
];
const IS_TEST = /^(?:service\/)?test\//;

/**
 * The unit tests that belong to a part of the source.
 *
 * @param part a folder or file, such as `src/proofs`
 * @param tests all test files
 * @returns `chosen` with the quick ones first; `leftOut` belong to it too, but start other programs
 */
export async function testsOf(
  part: string,
  tests: string[],
): Promise<{ chosen: string[]; leftOut: string[] }> {
  const { metafile } = await build({
    absWorkingDir: root,
    bundle: true,
    entryPoints: tests,
    external: ["*.node"],
    format: "esm",
    logLevel: "silent",
    metafile: true,
    outdir: "unused",
    packages: "external",
    platform: "node",
    write: false,
  });

  function reached(file: string, isEntered: (file: string) => boolean, seen: Set<string> = new Set()) {
    for (const { path } of metafile.inputs[file]?.imports ?? []) {
      if (seen.has(path)) continue;
      seen.add(path);
      if (isEntered(path)) reached(path, isEntered, seen);
    }
    return seen;
  }

  const ownTests = part.replace(/^(?:src|nodes)\//, "test/");
  const belongs = (test: string) =>
    test.startsWith(`${ownTests}/`) ||
    ALSO.some((also) => isIn(part, also.part) && also.tests.includes(test)) ||
    // Directly, or through helpers of the tests. Code that it reaches through other parts has tests of its own.
    [...reached(test, (path) => IS_TEST.test(path))].some((path) => isIn(path, part));
  function uses(test: string, modules: string[]) {
    const all = reached(test, () => true);
    return modules.some((module) => all.has(module));
  }

  const own = tests.filter(belongs);
  const units = own.filter((test) => !uses(test, STARTERS));
  const quick = units.filter((test) => !uses(test, MANY_VALUES));
  return {
    chosen: [...quick, ...units.filter((test) => !quick.includes(test))],
    leftOut: own.filter((test) => !units.includes(test)),
  };
}

function isIn(path: string, part: string) {
  return path === part || path.startsWith(`${part}/`);
}
