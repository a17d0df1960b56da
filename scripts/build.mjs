// @ts-check
// Makes dist/: the library, the nodes with their forms, catalogs and icons.
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { cp, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { inputsHash, isStamped, writeStamp } from "./lib/build-stamp.mjs";
import { bundledFiles } from "./lib/bundled-files.mjs";
import { keepReachable } from "./lib/declarations.mjs";
import { licensesOf } from "./lib/licenses.mjs";
import { writeForms } from "./lib/node-forms.mjs";
import { root } from "./lib/paths.mjs";
import { writePluginPage } from "./lib/plugin-page.mjs";
import { readJson } from "./lib/read-json.mjs";
import { writeRunTime } from "./lib/run-time.mjs";
import { serveForms } from "./lib/shared-forms.mjs";
import { oxInParts, undiciInParts, wasmCompressed, withShortNames } from "./lib/vendored.mjs";

const dist = join(root, "dist");
/** The build is written beside dist/ and renamed when it is complete: a running Node-RED never sees half a build. */
const out = join(root, `dist-${process.pid}`);

/**
 * @typedef {object} Options
 * @property {(line: string) => void} [log]
 * @property {boolean} [types] also writes declarations, for a package
 * @property {boolean} [sourceMaps] for a debugger: nothing is minified, and everything has a source map
 */

/**
 * @param {Options} [options]
 * @returns {Promise<void>}
 */
export async function build({ log = () => {}, types = false, sourceMaps = false } = {}) {
  await buildWith({ log, types, sourceMaps });
}

/**
 * Builds as `npm start` needs it, unless the last such build was made from the same files.
 *
 * @param {Pick<Options, "log">} [options]
 * @returns {Promise<void>}
 */
export async function buildIfChanged({ log = () => {} } = {}) {
  const inputs = await inputsHash();
  if (inputs !== undefined && (await isStamped(dist, inputs))) {
    await serveForms(dist);
    return log("nothing has changed since the last build");
  }
  await buildWith({ log, types: false, sourceMaps: false, inputs });
}

/** @param {Required<Options> & { inputs?: string | undefined }} options `inputs` are noted in the build */
async function buildWith({ log, types, sourceMaps, inputs }) {
  process.once("exit", removeHalfBuilt);
  try {
    const nodes = await buildAll({ types, sourceMaps });
    // A file that changed meanwhile may be in the build or not.
    if (inputs !== undefined && inputs === (await inputsHash())) await writeStamp(out, inputs);
    await swap();
    await serveForms(dist);
    log(`built the library and ${nodes} nodes`);
  } finally {
    // When one part fails, others may still be writing: an error here must not hide the first one.
    await rm(out, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
    process.off("exit", removeHalfBuilt);
  }
}

function removeHalfBuilt() {
  rmSync(out, { recursive: true, force: true, maxRetries: 5 });
}

/** Another build may rename its own in between: the last one wins. */
async function swap() {
  for (let attempt = 1; ; attempt += 1) {
    await rm(dist, { recursive: true, force: true, maxRetries: 3 });
    try {
      return await rename(out, dist);
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
}

/** @param {{ types: boolean, sourceMaps: boolean }} options */
async function buildAll({ types, sourceMaps }) {
  const { build: bundle } = await import("esbuild");
  await mkdir(join(out, "nodes"), { recursive: true });

  await writeFile(join(out, "package.json"), '{ "type": "commonjs" }\n');

  const library = await bundle({
    ...nodeOptions,
    entryPoints: [join(root, "src/index.ts")],
    outfile: join(out, "index.js"),
    metafile: true,
    ...(sourceMaps ? withSourceMaps : small),
    plugins: [undiciInParts, oxInParts, wasmCompressed, withShortNames, partsSeparate],
  });
  const parts = await Promise.all(PARTS.map((part) => buildPart(part, { bundle, sourceMaps })));
  await writeFile(join(out, "index.mjs"), await moduleWrapper(bundle));
  await bundle({
    ...nodeOptions,
    ...readByOlder,
    entryPoints: [join(root, "nodes/lib/runtime/node-version.ts")],
    outfile: join(out, "node-version.js"),
    define: { MINIMUM_NODE: JSON.stringify(minimumNode) },
  });
  const [nodes, plugins] = await Promise.all([nodeNames(), pluginNames()]);
  const options = { ...nodeOptions, ...readByOlder, ...(sourceMaps ? withSourceMaps : small) };
  const runTime = await writeRunTime({ nodes, plugins }, out, { bundle, options });
  const licenses = await licensesOf(
    [library, ...parts, runTime].flatMap(({ metafile }) => bundledFiles(metafile)),
  );
  await writeFile(join(out, "THIRD_PARTY_LICENSES"), licenses);
  await Promise.all([
    writeForms(nodes, out, { bundle, sourceMaps }),
    ...plugins.map((name) => writePluginPage(name, join(out, "plugins"), { bundle, sourceMaps })),
  ]);
  await cp(join(root, "icons"), join(out, "nodes", "icons"), { recursive: true });
  if (types) await writeTypes();
  return nodes.length;
}

/**
 * The parts of the library that few programs use, such as the clients of databases. Each is a file of its own, loaded
 * when first needed.
 *
 * @type {ReadonlyArray<{ source: string, file: string, options?: import("esbuild").BuildOptions }>}
 */
const PARTS = [
  { source: "src/fleet/postgres/index.ts", file: "fleet-postgres.js" },
  { source: "src/fleet/redis/index.ts", file: "fleet-redis.js" },
  {
    source: "src/signing/custody/aws-kms/index.ts",
    file: "custody-aws-kms.js",
    options: {
      // Of its CommonJS files esbuild would keep everything, which is half as much again.
      mainFields: ["module", "main"],
      // It would warn of each Node.js that its later versions do not support. This one is pinned.
      define: { "process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED": '"true"' },
    },
  },
];

/**
 * @param {typeof PARTS[number]} part
 * @param {{ bundle: typeof import("esbuild").build, sourceMaps: boolean }} options
 */
function buildPart({ source, file, options }, { bundle, sourceMaps }) {
  return bundle({
    ...nodeOptions,
    ...options,
    entryPoints: [join(root, source)],
    outfile: join(out, file),
    metafile: true,
    // Code of others: names in it help nobody.
    ...(sourceMaps ? withSourceMaps : { ...small, minifyIdentifiers: true }),
  });
}

/** @type {import("esbuild").Plugin} */
const partsSeparate = {
  name: "parts-separate",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/.+\/index\.ts$/ }, ({ path, resolveDir }) => {
      const part = PARTS.find(({ source }) => join(root, source) === join(resolveDir, path));
      return part && { path: `./${part.file}`, external: true };
    });
  },
};

/** The oldest supported Node.js, from package.json. */
const minimumNode = (await readJson(join(root, "package.json"))).engines.node.replace(/^>=/, "");

const nodeOptions = /** @type {const} */ ({
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: `node${minimumNode}`,
  format: "cjs",
  legalComments: "none",
  logLevel: "silent",
});

/** Older versions of Node.js can read these files and report what is missing: Node-RED 4.1 runs on 18. */
const readByOlder = /** @type {const} */ ({ target: "node18" });

const small = /** @type {const} */ ({
  // Names stay as they are, so that stack traces can be read.
  minifyWhitespace: true,
  minifySyntax: true,
  // An uncaught error prints its whole line.
  lineLimit: 400,
});

const withSourceMaps = /** @type {const} */ ({ sourcemap: "linked" });

/** Each folder under nodes/ but `lib` is a node. */
async function nodeNames() {
  const entries = await readdir(join(root, "nodes"), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && entry.name !== "lib").map((entry) => entry.name);
}

/** Each folder under plugins/ is a plugin of the editor. */
function pluginNames() {
  return readdir(join(root, "plugins"));
}

/**
 * ES modules get the same objects as CommonJS, so that the library is in memory only once.
 *
 * @param {typeof import("esbuild").build} bundle
 */
async function moduleWrapper(bundle) {
  // esbuild lists exports only for ES modules. The output is not kept.
  const { metafile } = await bundle({
    ...nodeOptions,
    entryPoints: [join(root, "src/index.ts")],
    outfile: join(out, "index.mjs"),
    format: "esm",
    packages: "external",
    metafile: true,
    write: false,
  });
  const names = Object.values(metafile.outputs)
    .flatMap(({ exports }) => exports)
    .sort();
  return `import library from "./index.js";\nexport const { ${names.join(", ")} } = library;\n`;
}

async function writeTypes() {
  await promisify(execFile)(
    process.execPath,
    [
      join(root, "node_modules/typescript/bin/tsc"),
      "-p",
      "tsconfig.types.json",
      "--outDir",
      join(out, "types"),
    ],
    {
      cwd: root,
    },
  );
  await keepReachable(join(out, "types"), "index.d.ts");
  // The extension says that this one describes an ES module.
  await writeFile(join(out, "types", "index.d.mts"), 'export * from "./index.js";\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  build({ log: (line) => process.stdout.write(`${line}\n`), types: true }).catch((error) => {
    process.stderr.write(`The build failed: ${error.message}\n${error.stdout ?? ""}`);
    process.exitCode = 1;
  });
}
