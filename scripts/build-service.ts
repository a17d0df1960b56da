// npm run build:service: makes service/dist/: the local service as JavaScript, for its package. In this repository it runs
// from its source. esbuild bundles; no tool adds the licences and the entry for programs.
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { bundledIn, licensesOf } from "./lib/licenses.ts";
import { root } from "./lib/paths.mjs";
import { readJson } from "./lib/read-json.mjs";
import { oxInParts } from "./lib/vendored.ts";
import { makeWhole } from "./lib/whole-folder.ts";

const service = join(root, "service");
const both = {
  ...{ absWorkingDir: root, bundle: true, platform: "node", legalComments: "none", logLevel: "silent" },
} satisfies BuildOptions;

/**
 * The command, and the process that saves the chain. What they share is in files of its own: both load little. The
 * binaries of the chain are found at run time, and nothing else is needed. Beside them, the entry for programs.
 *
 * @param dist the folder that is made
 */
export async function buildService(dist: string = join(service, "dist")): Promise<void> {
  await makeWhole(dist, async (out) => {
    const { engines } = await readJson(join(service, "package.json"));
    const { metafile } = await build({
      ...both,
      entryPoints: ["cli", "chain/watchdog"].map((name) => ({
        in: join(service, `src/${name}.ts`),
        out: name,
      })),
      ...{
        outdir: out,
        splitting: true,
        format: "esm",
        metafile: true,
        plugins: [oxInParts],
        lineLimit: 160,
      },
      target: `node${engines.node.replace(/^>=/, "")}`,
      // Names stay as they are, so that stack traces can be read.
      ...{ minifyWhitespace: true, minifySyntax: true },
      // Many of the bundled packages are CommonJS.
      banner: {
        js: `import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);`,
      },
    });
    // What programs import. One copy for both kinds of modules, as CommonJS: some test runners load nothing else. It also
    // loads on an older Node.js, and its types are a file of the sources.
    await build({
      ...both,
      entryPoints: [join(service, "src/start/start.ts")],
      ...{ outfile: join(out, "start.cjs"), format: "cjs", target: "node18" },
      define: { "import.meta.url": "ownUrl" },
      banner: { js: 'const ownUrl = require("node:url").pathToFileURL(__filename).href;' },
    });
    await writeFile(join(out, "start.js"), 'export { start } from "./start.cjs";\n');
    for (const ending of ["d.ts", "d.cts"])
      await cp(join(service, "src/start/types.ts"), join(out, `start.${ending}`));
    await writeFile(join(out, "THIRD_PARTY_LICENSES"), await licensesOf(bundledIn([metafile])));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  buildService().catch((error) => {
    process.stderr.write(`The build of the local service failed: ${error.message}\n`);
    process.exitCode = 1;
  });
}
