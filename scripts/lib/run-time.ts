// Makes the code of the nodes and plugins that runs in Node-RED, and that of rehearsals, which run in processes of their
// own. They share most of it, so all of it is one file; what Node-RED loads for each node is a small file that takes its
// part.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BuildOptions, Plugin } from "esbuild";
import { metafileOf } from "./library-bundle.ts";
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
const librarySeparate: Plugin = {
  name: "library-separate",
  setup({ onResolve }) {
    onResolve({ filter: /\/src\/index\.ts$/ }, () => ({ path: "./index.js", external: true }));
  },
};

/** @param folder of the build. @returns what was bundled, for the licenses */
export async function writeRunTime(
  { nodes, plugins }: { nodes: string[]; plugins: string[] },
  folder: string,
  options: BuildOptions,
) {
  const parts = [...nodes.map((name) => ["nodes", name]), ...plugins.map((name) => ["plugins", name])];
  const exported = parts.map(([kind, name]) => {
    const file = kind === "nodes" ? "node" : name;
    return `export { default as "${kind}/${name}" } from "./${kind}/${name}/${file}.ts";`;
  });
  const contents = `${exported.join("\n")}${OF_REHEARSALS}`;
  const metafile = await metafileOf({
    ...options,
    stdin: { contents, resolveDir: root, sourcefile: "run-time.ts", loader: "ts" },
    outfile: join(folder, FILE),
    define: { OWN_WORDS: JSON.stringify(await ownWords()) },
    plugins: [librarySeparate, withShortNames, shortLocals],
  });
  await writeErrorTexts(folder);
  await Promise.all(["nodes", "plugins"].map((kind) => mkdir(join(folder, kind), { recursive: true })));
  const write = (file: string, code: string) => writeFile(join(folder, file), `"use strict";\n${code}\n`);
  // Both look at the version before they load anything that an older Node.js may not have. The nodes say what is missing;
  // the editor needs no more.
  await Promise.all([
    ...nodes.map((name) =>
      write(
        `nodes/${name}.js`,
        `const { registerOf } = require("../node-version.js");
module.exports = registerOf("crec-${name}", () => require("../${FILE}")["nodes/${name}"]);`,
      ),
    ),
    ...plugins.map((name) =>
      write(
        `plugins/${name}.js`,
        `const { pluginOf } = require("../node-version.js");
module.exports = pluginOf(() => require("../${FILE}")["plugins/${name}"]);`,
      ),
    ),
    write("rehearsal.js", `void require("./${FILE}")["rehearsal/child"]();`),
    write("rehearsal-report.js", `void require("./${FILE}")["rehearsal/report"]();`),
  ]);
  return metafile;
}
