// Makes dist/: the library, the nodes with their forms, catalogs and icons.
import { cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inputsHash, isStamped, writeStamp } from "./lib/build-stamp.ts";
import { bundledFiles } from "./lib/bundled-files.ts";
import { minimumNode, nodeOptions, small as smallInLines, writeCommonJs } from "./lib/library-bundle.ts";
import { licensesOf } from "./lib/licenses.ts";
import { writeForms } from "./lib/node-forms.ts";
import { root } from "./lib/paths.mjs";
import { writePluginPage } from "./lib/plugin-page.ts";
import { readJson } from "./lib/read-json.mjs";
import { writeRunTime } from "./lib/run-time.ts";
import { serveForms } from "./lib/shared-forms.ts";
import { shortLocals } from "./lib/vendored.ts";
import { makeWhole } from "./lib/whole-folder.ts";

const dist = join(root, "dist");

type Options = {
  log?: (line: string) => void;
  /** for a debugger: nothing is minified, and everything has a source map */
  sourceMaps?: boolean;
};

export async function build({ log = () => {}, sourceMaps = false }: Options = {}): Promise<void> {
  await buildWith({ log, sourceMaps });
}

/** Builds as `npm start` needs it, unless the last such build was made from the same files. */
export async function buildIfChanged({ log = () => {} }: Pick<Options, "log"> = {}): Promise<void> {
  const inputs = await inputsHash();
  if (inputs !== undefined && (await isStamped(dist, inputs))) {
    await serveForms(dist);
    return log("nothing has changed since the last build");
  }
  await buildWith({ log, sourceMaps: false, inputs });
}

/** @param options `inputs` are noted in the build */
async function buildWith({ log, sourceMaps, inputs }: Required<Options> & { inputs?: string | undefined }) {
  const nodes = await makeWhole(dist, async (out) => {
    const made = await buildAll(out, { sourceMaps });
    // A file that changed meanwhile may be in the build or not.
    if (inputs !== undefined && inputs === (await inputsHash())) await writeStamp(out, inputs);
    return made;
  });
  await serveForms(dist);
  log(`built the library and ${nodes} nodes`);
}

async function buildAll(out: string, { sourceMaps }: { sourceMaps: boolean }) {
  const { build: bundle } = await import("esbuild");
  await mkdir(join(out, "nodes"), { recursive: true });

  await writeFile(join(out, "package.json"), '{ "type": "commonjs" }\n');

  const { name } = await readJson(join(root, "package.json"));
  const library = await writeCommonJs(out, {
    bundle,
    installed: name,
    extension: ".js",
    options: sourceMaps ? withSourceMaps : small,
    plugins: [shortLocals],
  });
  await bundle({
    ...nodeOptions,
    ...readByOlder,
    entryPoints: [join(root, "nodes/common/node-version.ts")],
    outfile: join(out, "node-version.js"),
    define: { MINIMUM_NODE: JSON.stringify(minimumNode) },
  });
  const [nodes, plugins] = await Promise.all([nodeNames(), pluginNames()]);
  const options = { ...nodeOptions, ...readByOlder, ...(sourceMaps ? withSourceMaps : small) };
  const runTime = await writeRunTime({ nodes, plugins }, out, { bundle, options });
  const licenses = await licensesOf(
    [...library, runTime.metafile].flatMap((metafile) => bundledFiles(metafile)),
  );
  await writeFile(join(out, "THIRD_PARTY_LICENSES"), licenses);
  await Promise.all([
    writeForms(nodes, out, { bundle, sourceMaps }),
    ...plugins.map((name) => writePluginPage(name, join(out, "plugins"), { bundle, sourceMaps })),
  ]);
  await cp(join(root, "icons"), join(out, "nodes", "icons"), { recursive: true });
  return nodes.length;
}

/** Older versions of Node.js can read these files and report what is missing: Node-RED 4.1 runs on 18. */
const readByOlder = { target: "node18" } as const;

/** An uncaught error prints its whole line. */
const small = { ...smallInLines, minifyWhitespace: true, lineLimit: 700 };

const withSourceMaps = { sourcemap: "linked" } as const;

/** Each folder under nodes/ but `common` is a node. */
async function nodeNames() {
  const entries = await readdir(join(root, "nodes"), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && entry.name !== "common").map((entry) => entry.name);
}

/** Each folder under plugins/ is a plugin of the editor. */
function pluginNames() {
  return readdir(join(root, "plugins"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  build({ log: (line) => process.stdout.write(`${line}\n`) }).catch((error) => {
    process.stderr.write(`The build failed: ${error.message}\n${error.stdout ?? ""}`);
    process.exitCode = 1;
  });
}
