// npm run build: makes dist/: the library, the nodes with their forms, catalogs and icons. esbuild bundles; no tool makes
// forms, catalogs and files as Node-RED wants them.
import { cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inputsHash, isStamped, writeStamp } from "./lib/build-stamp.ts";
import { serveForms, writeForms, writePluginPage } from "./lib/forms.ts";
import { writeLists } from "./lib/generated-lists.ts";
import { metafileOf, minimumNode, small as smallInLines, writeCommonJs } from "./lib/library-bundle.ts";
import { bundledIn, licensesOf } from "./lib/licenses.ts";
import { root } from "./lib/paths.mjs";
import { readJson } from "./lib/read-json.mjs";
import { writeRunTime } from "./lib/run-time.ts";
import { shortLocals } from "./lib/vendored.ts";
import { makeWhole } from "./lib/whole-folder.ts";

const dist = join(root, "dist");

type Options = {
  log?: (line: string) => void;
  /** for a debugger: nothing is minified, and everything has a source map */
  sourceMaps?: boolean;
  /** noted in the build, so that the next one can be skipped */
  inputs?: string | undefined;
};

export async function build({ log = () => {}, sourceMaps = false, inputs }: Options = {}): Promise<void> {
  const nodes = await makeWhole(dist, async (out) => {
    const made = await buildAll(out, sourceMaps);
    // A file that changed meanwhile may be in the build or not.
    if (inputs !== undefined && inputs === (await inputsHash())) await writeStamp(out, inputs);
    return made;
  });
  await serveForms(dist);
  log(`built the library and ${nodes} nodes`);
}

/** Builds as `npm start` needs it, unless the last such build was made from the same files. */
export async function buildIfChanged({ log = () => {} }: Pick<Options, "log"> = {}): Promise<void> {
  const inputs = await inputsHash();
  if (inputs === undefined || !(await isStamped(dist, inputs))) return build({ log, inputs });
  await serveForms(dist);
  return log("nothing has changed since the last build");
}

async function buildAll(out: string, sourceMaps: boolean) {
  writeLists();
  await mkdir(join(out, "nodes"), { recursive: true });
  await writeFile(join(out, "package.json"), '{ "type": "commonjs" }\n');
  const { name } = await readJson(join(root, "package.json"));
  const how = sourceMaps ? withSourceMaps : small;
  const library = await writeCommonJs(out, name, ".js", { ...how, plugins: [shortLocals] });
  await metafileOf({
    ...readByOlder,
    entryPoints: [join(root, "nodes/common/node-version.ts")],
    outfile: join(out, "node-version.js"),
    define: { MINIMUM_NODE: JSON.stringify(minimumNode) },
  });
  const [nodes, plugins] = await Promise.all([nodeNames(), readdir(join(root, "plugins"))]);
  const runTime = await writeRunTime({ nodes, plugins }, out, { ...readByOlder, ...how });
  await writeFile(join(out, "THIRD_PARTY_LICENSES"), await licensesOf(bundledIn([...library, runTime])));
  await Promise.all([
    writeForms(nodes, out, sourceMaps),
    ...plugins.map((name) => writePluginPage(name, join(out, "plugins"), sourceMaps)),
  ]);
  await cp(join(root, "icons"), join(out, "nodes", "icons"), { recursive: true });
  return nodes.length;
}

/** Older versions of Node.js can read these files and report what is missing: Node-RED 4.1 runs on 18. */
const readByOlder = { target: "node18" };

/** An uncaught error prints its whole line. */
const small = { ...smallInLines, minifyWhitespace: true, lineLimit: 700 };

const withSourceMaps = { sourcemap: "linked" } as const;

/** Each folder under nodes/ but `common` is a node. */
async function nodeNames() {
  const entries = await readdir(join(root, "nodes"), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && entry.name !== "common").map((entry) => entry.name);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  build({ log: (line) => process.stdout.write(`${line}\n`) }).catch((error) => {
    process.stderr.write(`The build failed: ${error.message}\n${error.stdout ?? ""}`);
    process.exitCode = 1;
  });
}
