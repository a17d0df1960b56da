// @ts-check
// The local service as one file, which starts in half the processor time of its two thousand modules: tests start it
// more than fifty times. Tests of `npm start` and `npm run service` run it from its source all the same.
import { mkdir, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../lib/paths.mjs";

const SOURCE = join(root, "service/src");
/** Always the same place: Node.js then knows it compiled. */
const PROGRAM = join(root, "node_modules/.cache/programs/service.mjs");

/** What names the program for the tests; without it, they run the service from its source. */
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
    // Much of what it uses is CommonJS.
    banner: {
      js: `import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);`,
    },
    plugins: [fromItsOwnPlace],
  });
  // Its own process would count as one that the tests have left behind.
  await stop();
  // Another run may be starting it just now.
  await rename(made, PROGRAM);
  return PROGRAM;
}

/** Each module goes on finding what lies beside it: contracts, and the program that watches over the chain. */
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
