// Makes service/dist/: the local service as JavaScript, for its package. In this repository it runs from its source.
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundledFiles } from "./lib/bundled-files.ts";
import { licensesOf } from "./lib/licenses.ts";
import { root } from "./lib/paths.mjs";
import { readJson } from "./lib/read-json.mjs";
import { oxInParts } from "./lib/vendored.ts";
import { makeWhole } from "./lib/whole-folder.ts";

const service = join(root, "service");

/**
 * The command, and the process that saves the chain. What they share is in files of its own: both load little. The
 * binaries of the chain are found at run time, and nothing else is needed. Beside them, the entry for programs.
 *
 * @param dist the folder that is made
 */
export async function buildService(dist: string = join(service, "dist")): Promise<void> {
  await makeWhole(dist, async (out) => {
    const { build } = await import("esbuild");
    const { engines } = await readJson(join(service, "package.json"));
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: [
        { in: join(service, "src/cli.ts"), out: "cli" },
        { in: join(service, "src/chain/watchdog.ts"), out: "chain/watchdog" },
      ],
      outdir: out,
      bundle: true,
      splitting: true,
      platform: "node",
      format: "esm",
      target: `node${engines.node.replace(/^>=/, "")}`,
      // Names stay as they are, so that stack traces can be read.
      minifyWhitespace: true,
      minifySyntax: true,
      plugins: [oxInParts],
      lineLimit: 160,
      legalComments: "none",
      logLevel: "silent",
      metafile: true,
      // Many of the bundled packages are CommonJS.
      banner: {
        js: `import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);`,
      },
    });
    await buildStart(build, out, "start");
    await writeFile(join(out, "THIRD_PARTY_LICENSES"), await licensesOf(bundledFiles(metafile)));
  });
}

/**
 * What programs import. One copy for both kinds of modules, as CommonJS: some test runners load nothing else. It also
 * loads on an older Node.js, and its types are a file of the sources.
 */
async function buildStart(build: typeof import("esbuild").build, out: string, name: string) {
  const source = join(service, "src/start");
  await build({
    absWorkingDir: root,
    entryPoints: [join(source, "start.ts")],
    outfile: join(out, `${name}.cjs`),
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node18",
    legalComments: "none",
    logLevel: "silent",
    define: { "import.meta.url": "ownUrl" },
    banner: { js: 'const ownUrl = require("node:url").pathToFileURL(__filename).href;' },
  });
  await writeFile(join(out, `${name}.js`), `export { start } from "./${name}.cjs";\n`);
  for (const ending of ["d.ts", "d.cts"]) await cp(join(source, "types.ts"), join(out, `${name}.${ending}`));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  buildService().catch((error) => {
    process.stderr.write(`The build of the local service failed: ${error.message}\n`);
    process.exitCode = 1;
  });
}
