// @ts-check
// How the library is bundled with the code of others that it uses: for the nodes into dist/, and for programs into
// client/dist/.
import { join } from "node:path";
import { root } from "./paths.mjs";
import { readJson } from "./read-json.mjs";
import { oxInParts, undiciInParts, wasmCompressed, withShortNames } from "./vendored.mjs";

/** The oldest supported Node.js, from package.json. */
export const minimumNode = (await readJson(join(root, "package.json"))).engines.node.replace(/^>=/, "");

export const nodeOptions = /** @type {const} */ ({
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: `node${minimumNode}`,
  format: "cjs",
  legalComments: "none",
  logLevel: "silent",
});

/** Names and lines stay as they are, so that stack traces can be read: an uncaught error prints its whole line. */
export const small = /** @type {const} */ ({ minifySyntax: true });

/** The code of others, only what is used of it. */
export const vendored = [undiciInParts, oxInParts, wasmCompressed, withShortNames];

/**
 * Of CommonJS files of AWS's SDK esbuild would keep everything, which is half as much again. And it would warn of each
 * Node.js that its later versions do not support: this one is pinned.
 */
const forAws = {
  mainFields: ["module", "main"],
  define: { "process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED": '"true"' },
};

/**
 * The parts of the library that few programs use, such as the clients of databases. Each is a file of its own, loaded
 * when first needed.
 *
 * @type {ReadonlyArray<{ source: string, name: string, options?: import("esbuild").BuildOptions }>}
 */
const PARTS = [
  { source: "src/fleet/postgres/index.ts", name: "fleet-postgres" },
  { source: "src/fleet/redis/index.ts", name: "fleet-redis" },
  { source: "src/signing/custody/aws-kms/index.ts", name: "custody-aws-kms", options: forAws },
];

/** @typedef {import("esbuild").BuildOptions} BuildOptions */

/**
 * The library as CommonJS: one file, and one for each of its parts beside it.
 *
 * @param {string} folder
 * @param {object} how
 * @param {typeof import("esbuild").build} how.bundle
 * @param {string} how.installed the package that is named where a file is damaged
 * @param {".js" | ".cjs"} how.extension
 * @param {BuildOptions} how.options
 * @param {readonly import("esbuild").Plugin[]} [how.plugins]
 * @returns {Promise<import("esbuild").Metafile[]>} what was bundled, for the licenses
 */
export async function writeCommonJs(folder, { bundle, installed, extension, options, plugins = [] }) {
  const [{ metafile }, ...parts] = await Promise.all([
    bundle({
      ...nodeOptions,
      ...options,
      metafile: true,
      entryPoints: [join(root, "src/index.ts")],
      outfile: join(folder, `index${extension}`),
      define: inPackage(installed),
      plugins: [...vendored, partsSeparate(extension), ...plugins],
    }),
    ...writeParts(folder, { bundle, extension, options }),
  ]);
  return [metafile, ...parts];
}

/**
 * @param {string} folder
 * @param {{ bundle: typeof import("esbuild").build, extension: string, options: BuildOptions }} how
 * @returns {Array<Promise<import("esbuild").Metafile>>}
 */
export function writeParts(folder, { bundle, extension, options }) {
  return PARTS.map(async ({ source, name, options: own }) => {
    const { metafile } = await bundle({
      ...nodeOptions,
      ...options,
      ...own,
      metafile: true,
      entryPoints: [join(root, source)],
      outfile: join(folder, `${name}${extension}`),
      // Code of others: names in it help nobody.
      minifyIdentifiers: options.minifySyntax === true,
    });
    return metafile;
  });
}

/** @param {string} name of the package that code is built into */
export function inPackage(name) {
  return { PACKAGE_NAME: JSON.stringify(name) };
}

/**
 * Loads the parts from their files. All files that load them lie beside them.
 *
 * @param {string} extension
 * @returns {import("esbuild").Plugin}
 */
export function partsSeparate(extension) {
  return {
    name: "parts-separate",
    setup({ onResolve }) {
      onResolve({ filter: /^\.\/.+\/index\.ts$/ }, ({ path, resolveDir }) => {
        const part = PARTS.find(({ source }) => join(root, source) === join(resolveDir, path));
        return part && { path: `./${part.name}${extension}`, external: true };
      });
    },
  };
}
