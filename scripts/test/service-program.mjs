// @ts-check
// Bundles the local service into one file. It starts in half the processor time of its two thousand modules, and tests
// start it more than fifty times. Tests of `npm start` and `npm run service` still run it from its source.
import { mkdir, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../lib/paths.mjs";

const SOURCE = join(root, "service/src");
/** Always the same path: Node.js then finds it in its compile cache. */
const PROGRAM = join(root, "node_modules/.cache/programs/service.mjs");

/** The environment variable with the program's path. Without it, tests run the service from its source. */
export const SERVICE_PROGRAM = "CREC_SERVICE_PROGRAM";

/** @returns {Promise<string>} its path */
export async function makeServiceProgram() {
  const { build, stop } = await import("esbuild");
  await mkdir(dirname(PROGRAM), { recursive: true });
  const made = `${PROGRAM}.${process.pid}`;
  await build({
    entryPoints: [join(SOURCE, "cli.ts")],
    outfile: made,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "silent",
    // Many of its packages are CommonJS.
    banner: {
      js: `import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);`,
    },
    plugins: [fromItsOwnPlace],
  });
  // Otherwise esbuild's process would count as one that the tests left running.
  await stop();
  // Another run may be starting the file at the same time.
  await rename(made, PROGRAM);
  return PROGRAM;
}

/** Modules still find files beside their source: contracts, and the watchdog of the chain. */
/** @type {import("esbuild").Plugin} */
const fromItsOwnPlace = {
  name: "from-its-own-place",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (!path.startsWith(SOURCE)) return undefined;
      const text = await readFile(path, "utf8");
      const url = JSON.stringify(pathToFileURL(path).href);
      return { contents: text.replaceAll("import.meta.url", url), loader: "ts" };
    });
  },
};
