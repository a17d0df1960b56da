// @ts-check
// Makes the code of the nodes and plugins that runs in Node-RED. They share most of it, so all of it is one file; what
// Node-RED loads for each of them is a small file that takes its part.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeErrorTexts } from "./locales.mjs";
import { ownWords } from "./own-words.mjs";
import { root } from "./paths.mjs";

const FILE = "run-time.js";

/** The library is one file beside this one, loaded when first needed. */
export const librarySeparate = {
  name: "library-separate",
  setup(/** @type {import("esbuild").PluginBuild} */ { onResolve }) {
    onResolve({ filter: /\/src\/index\.ts$/ }, () => ({ path: "./index.js", external: true }));
  },
};

/**
 * @param {{ nodes: string[], plugins: string[] }} names
 * @param {string} folder of the build
 * @param {{ bundle: typeof import("esbuild").build, options: import("esbuild").BuildOptions }} how
 */
export async function writeRunTime({ nodes, plugins }, folder, { bundle, options }) {
  const parts = [...nodes.map((name) => ["nodes", name]), ...plugins.map((name) => ["plugins", name])];
  await bundle({
    ...options,
    stdin: {
      contents: parts
        .map(([kind, name]) => `export { default as "${kind}/${name}" } from "./${kind}/${name}/${name}.ts";`)
        .join("\n"),
      resolveDir: root,
      sourcefile: "run-time.ts",
      loader: "ts",
    },
    outfile: join(folder, FILE),
    define: { OWN_WORDS: JSON.stringify(await ownWords()) },
    plugins: [librarySeparate],
  });
  await writeErrorTexts(folder);
  await Promise.all(["nodes", "plugins"].map((kind) => mkdir(join(folder, kind), { recursive: true })));
  await Promise.all([
    ...nodes.map((name) => writeFile(join(folder, "nodes", `${name}.js`), nodeFile(name))),
    ...plugins.map((name) => writeFile(join(folder, "plugins", `${name}.js`), pluginFile(name))),
  ]);
}

/**
 * It looks at the version before it loads anything that an older Node.js may not have, and says what cannot be loaded.
 *
 * @param {string} name
 */
function nodeFile(name) {
  return `"use strict";
const { registerOf } = require("../node-version.js");
module.exports = registerOf("crec-${name}", () => require("../${FILE}")["nodes/${name}"]);
`;
}

/**
 * The nodes say what is missing; the editor needs no more.
 *
 * @param {string} name
 */
function pluginFile(name) {
  return `"use strict";
const { pluginOf } = require("../node-version.js");
module.exports = pluginOf(() => require("../${FILE}")["plugins/${name}"]);
`;
}
