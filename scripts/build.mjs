// @ts-check
// Makes dist/: the library, the nodes with their forms, catalogs and icons.
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { access, cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { licensesOf } from "./lib/licenses.mjs";
import { readJson } from "./lib/read-json.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
/** Made beside dist/ and put in its place when whole: a Node-RED that runs from dist/ never sees half a build. */
const out = join(root, `dist-${process.pid}`);

/**
 * @typedef {object} Options
 * @property {(line: string) => void} [log]
 * @property {boolean} [types] declarations too, for a package
 * @property {boolean} [sourceMaps] for a debugger: nothing is minified, and everything has a source map
 */

/**
 * @param {Options} [options]
 * @returns {Promise<void>}
 */
export async function build({ log = () => {}, types = false, sourceMaps = false } = {}) {
  process.once("exit", removeHalfBuilt);
  try {
    const nodes = await buildAll({ types, sourceMaps });
    await swap();
    log(`built the library and ${nodes} nodes`);
  } finally {
    // What else is still being written when one part fails must not hide why it failed.
    await rm(out, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
    process.off("exit", removeHalfBuilt);
  }
}

function removeHalfBuilt() {
  rmSync(out, { recursive: true, force: true, maxRetries: 5 });
}

/** Another build may put its own there in between: the last one wins. */
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
  await mkdir(join(out, "nodes", "locales", "en-US"), { recursive: true });

  await writeFile(join(out, "package.json"), '{ "type": "commonjs" }\n');

  const library = await bundle({
    ...nodeOptions,
    entryPoints: [join(root, "src/index.ts")],
    outfile: join(out, "index.js"),
    metafile: true,
    ...(sourceMaps ? withSourceMaps : small),
    plugins: [undiciInParts],
  });
  await writeFile(join(out, "index.mjs"), await moduleWrapper(bundle));
  const licenses = await licensesOf(bundledFiles(library.metafile));
  await writeFile(join(out, "THIRD_PARTY_LICENSES"), licenses);

  await bundle({
    ...nodeOptions,
    ...readByOlder,
    entryPoints: [join(root, "nodes/lib/runtime/node-version.ts")],
    outfile: join(out, "node-version.js"),
    define: { MINIMUM_NODE: JSON.stringify(minimumNode) },
  });
  const nodes = await nodeNames();
  await Promise.all(nodes.map((name) => buildNode(name, { bundle, sourceMaps })));
  await cp(join(root, "icons"), join(out, "nodes", "icons"), { recursive: true });
  if (types) await writeTypes();
  return nodes.length;
}

/**
 * What is really inside: most of what a package's index names is left out again.
 *
 * @param {import("esbuild").Metafile} metafile
 */
function bundledFiles(metafile) {
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => (inputs[path]?.bytesInOutput ?? 0) > 0),
  );
}

/** The lowest Node.js that users may have, as package.json says. */
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

/** What older Node.js can read, too, so that it can say what is missing: Node-RED 4.1 runs on 18. */
const readByOlder = /** @type {const} */ ({ target: "node18" });

const small = /** @type {const} */ ({
  // Readable stack traces are worth more than the last bytes, so names stay as they are.
  minifyWhitespace: true,
  minifySyntax: true,
  // An uncaught error prints the line it stands in.
  lineLimit: 160,
});

const withSourceMaps = /** @type {const} */ ({ sourcemap: "linked" });

/** A form's script stands in a page, where only an absolute address leads to its source. */
const withSourceMapInside = /** @type {const} */ ({
  sourcemap: "inline",
  sourceRoot: pathToFileURL(`${root}/`).href,
  outfile: join(root, "form.js"),
});

/** Each folder under nodes/ that holds a form is a node. */
async function nodeNames() {
  const entries = await readdir(join(root, "nodes"), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && entry.name !== "lib").map((entry) => entry.name);
}

/**
 * @param {string} name
 * @param {{ bundle: typeof import("esbuild").build, sourceMaps: boolean }} options
 */
async function buildNode(name, { bundle, sourceMaps }) {
  const source = join(root, "nodes", name);
  await bundle({
    ...nodeOptions,
    ...readByOlder,
    entryPoints: [join(source, `${name}.ts`)],
    outfile: join(out, "nodes", `${name}.js`),
    // Before anything that older Node.js might not have. Node-RED calls what the file exports.
    banner: {
      js: `"use strict";\nconst tooOld = require("../node-version.js").tooOldFor("crec-${name}");\nif (tooOld) { module.exports = tooOld; return; }`,
    },
    footer: { js: "module.exports = module.exports.default;" },
    ...(sourceMaps ? withSourceMaps : {}),
    plugins: [librarySeparate],
  });
  const description = await describedForm(source, bundle);
  const hasForm = await exists(join(source, "editor.ts"));
  const form = await bundle({
    absWorkingDir: root,
    bundle: true,
    format: "iife",
    target: "es2020",
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent",
    ...(sourceMaps ? withSourceMapInside : {}),
    write: false,
    stdin: {
      contents: [
        'import { forms } from "../lib/editor/node-form.ts";',
        'import { NODE } from "./fields.ts";',
        hasForm ? 'import { form } from "./editor.ts";' : "const form = {};",
        description.registration,
      ].join("\n"),
      resolveDir: source,
      loader: "ts",
      sourcefile: `${name}-form.ts`,
    },
  });
  const help = await readFile(join(source, "locales", "en-US", `${name}.md`), "utf8");
  await writeForm(name, description.html, help, form.outputFiles[0]?.text);
}

/**
 * @param {string} name
 * @param {string} template
 * @param {string} help
 * @param {string} [code]
 */
async function writeForm(name, template, help, code = "") {
  const html = [
    template,
    script("text/markdown", `data-help-name="crec-${name}"`, help),
    script("text/javascript", "", code),
  ];
  await writeFile(join(out, "nodes", `${name}.html`), html.join("\n"));

  const common = await readJson(join(root, "nodes/lib/locales/en-US/common.json"));
  const own = await readJson(join(root, "nodes", name, "locales", "en-US", `${name}.json`));
  const catalog = join(out, "nodes", "locales", "en-US", `${name}.json`);
  await writeFile(catalog, `${JSON.stringify({ ...common, ...own }, null, 2)}\n`);
}

/**
 * The form's template and its registration, made of the node's table of fields. That is bundled for each build: a
 * build that runs again in the same process must not meet the modules of the last one.
 *
 * @param {string} source the node's folder
 * @param {typeof import("esbuild").build} bundle
 * @returns {Promise<{ html: string, registration: string }>}
 */
async function describedForm(source, bundle) {
  const { outputFiles } = await bundle({
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "silent",
    write: false,
    stdin: {
      contents: [
        'import { NODE } from "./fields.ts";',
        'import { formHtml } from "../lib/build/form-html.ts";',
        'import { isConfig, registration as registrationOf } from "../lib/build/registration.ts";',
        "export const html = formHtml(NODE, isConfig(NODE));",
        "export const registration = registrationOf(NODE);",
      ].join("\n"),
      resolveDir: source,
      loader: "ts",
    },
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  return import(`data:text/javascript;base64,${code}`);
}

/** @param {string} path */
function exists(path) {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** The library is one file beside the nodes, loaded when first needed: never a copy of it in each. */
const librarySeparate = {
  name: "library-separate",
  setup(/** @type {import("esbuild").PluginBuild} */ { onResolve }) {
    onResolve({ filter: /\/src\/index\.ts$/ }, () => ({ path: "../index.js", external: true }));
  },
};

/**
 * @param {string} type
 * @param {string} attributes
 * @param {string} content
 */
function script(type, attributes, content) {
  return `<script type="${type}"${attributes && ` ${attributes}`}>\n${content.trim()}\n</script>\n`;
}

/**
 * The parts of undici that `src/http` imports, each from its own file: its index brings fetch, web sockets and
 * caches along, which double the size of the library and the time to load it.
 */
const UNDICI_PARTS = {
  Agent: "undici/lib/dispatcher/agent.js",
  Pool: "undici/lib/dispatcher/pool.js",
  ProxyAgent: "undici/lib/dispatcher/proxy-agent.js",
  buildConnector: "undici/lib/core/connect.js",
};

/** @type {import("esbuild").Plugin} */
const undiciInParts = {
  name: "undici-in-parts",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: "undici", namespace: "parts" }));
    onLoad({ filter: /.*/, namespace: "parts" }, () => ({
      // As a module, so that a part that is missing here breaks the build and not a flow.
      contents: [
        // The index is also what gives dispatchers their methods; we use one of them, a proxy's tunnel another.
        `import Dispatcher from "undici/lib/dispatcher/dispatcher.js";`,
        `import connect from "undici/lib/api/api-connect.js";`,
        `import request from "undici/lib/api/api-request.js";`,
        `Object.assign(Dispatcher.prototype, { connect, request });`,
        ...Object.entries(UNDICI_PARTS).map(
          ([name, path]) => `export { default as ${name} } from "${path}";`,
        ),
      ].join("\n"),
      resolveDir: root,
    }));
  },
};

/**
 * ES modules get the same objects as CommonJS: one library in memory for both.
 *
 * @param {typeof import("esbuild").build} bundle
 */
async function moduleWrapper(bundle) {
  // As an ES module, which is not kept: of these alone esbuild says what they export.
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

/** Declarations name one another as the built files would be called. */
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
  // An ES module sees the same names, by a file that says it is one.
  await writeFile(join(out, "types", "index.d.mts"), 'export * from "./index.js";\n');
  for (const file of await readdir(join(out, "types"), { recursive: true })) {
    if (!file.endsWith(".d.ts")) continue;
    const path = join(out, "types", file);
    await writeFile(path, (await readFile(path, "utf8")).replaceAll(/(from "\.[^"]*)\.ts"/g, '$1.js"'));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  build({ log: (line) => process.stdout.write(`${line}\n`), types: true }).catch((error) => {
    process.stderr.write(`The build failed: ${error.message}\n${error.stdout ?? ""}`);
    process.exitCode = 1;
  });
}
