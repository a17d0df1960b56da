// Makes the code of the nodes and plugins that runs in Node-RED, and that of rehearsals, which run in processes of their
// own. They share most of it, so all of it is one file; what Node-RED loads for each node is a small file that takes its
// part.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeErrorTexts } from "./locales.ts";
import { ownWords } from "./own-words.ts";
import { root } from "./paths.mjs";
import { shortLocals, withShortNames } from "./vendored.ts";

const FILE = "run-time.js";

/**
 * The process of a rehearsal, the worker that reads its report, and the command `crec-rehearse`, which
 * bin/crec-rehearse.cjs starts. Node-RED itself needs none of them, so they are loaded when they are called.
 */
const OF_REHEARSALS = `
const runChild = async () => (await import("./rehearsal/child/main.ts")).runChild();
const checkReport = async () => (await import("./rehearsal/parent/report-worker.ts")).checkReport();
const command = async (args: string[], folder: string) => (await import("./rehearsal/cli/main.ts")).main(args, folder);
export { runChild as "rehearsal/child", checkReport as "rehearsal/report", command as "rehearsal/cli" };
`;

/** The library is one file beside this one, loaded when first needed. */
const librarySeparate = {
  name: "library-separate",
  setup({ onResolve }: import("esbuild").PluginBuild) {
    onResolve({ filter: /\/src\/index\.ts$/ }, () => ({ path: "./index.js", external: true }));
  },
};

/** @param folder of the build. @returns what was bundled, for the licenses */
export async function writeRunTime(
  { nodes, plugins }: { nodes: string[]; plugins: string[] },
  folder: string,
  { bundle, options }: { bundle: typeof import("esbuild").build; options: import("esbuild").BuildOptions },
) {
  const parts = [...nodes.map((name) => ["nodes", name]), ...plugins.map((name) => ["plugins", name])];
  const result = await bundle({
    ...options,
    metafile: true,
    stdin: {
      contents: parts
        .map(([kind, name]) => {
          const file = kind === "nodes" ? "node" : name;
          return `export { default as "${kind}/${name}" } from "./${kind}/${name}/${file}.ts";`;
        })
        .join("\n")
        .concat(OF_REHEARSALS),
      resolveDir: root,
      sourcefile: "run-time.ts",
      loader: "ts",
    },
    outfile: join(folder, FILE),
    define: { OWN_WORDS: JSON.stringify(await ownWords()) },
    plugins: [librarySeparate, withShortNames, shortLocals],
  });
  await writeErrorTexts(folder);
  await Promise.all(["nodes", "plugins"].map((kind) => mkdir(join(folder, kind), { recursive: true })));
  await Promise.all([
    ...nodes.map((name) => writeFile(join(folder, "nodes", `${name}.js`), nodeFile(name))),
    ...plugins.map((name) => writeFile(join(folder, "plugins", `${name}.js`), pluginFile(name))),
    writeFile(join(folder, "rehearsal.js"), programOf("child")),
    writeFile(join(folder, "rehearsal-report.js"), programOf("report")),
  ]);
  return result;
}

/** @param part of rehearsals */
function programOf(part: "child" | "report") {
  return `"use strict";
void require("./${FILE}")["rehearsal/${part}"]();
`;
}

/**
 * It looks at the version before it loads anything that an older Node.js may not have, and says what cannot be loaded.
 */
function nodeFile(name: string) {
  return `"use strict";
const { registerOf } = require("../node-version.js");
module.exports = registerOf("crec-${name}", () => require("../${FILE}")["nodes/${name}"]);
`;
}

/** The nodes say what is missing; the editor needs no more. */
function pluginFile(name: string) {
  return `"use strict";
const { pluginOf } = require("../node-version.js");
module.exports = pluginOf(() => require("../${FILE}")["plugins/${name}"]);
`;
}
