// How the library is bundled with the code of others that it uses: for the nodes into dist/, and for programs into
// client/dist/.

import { join } from "node:path";
import type { BuildOptions } from "esbuild";
import { root } from "./paths.mjs";
import { readJson } from "./read-json.mjs";
import { oxInParts, undiciInParts, wasmCompressed, withShortNames } from "./vendored.ts";

/** The oldest supported Node.js, from package.json. */
export const minimumNode = (await readJson(join(root, "package.json"))).engines.node.replace(/^>=/, "");

export const nodeOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: `node${minimumNode}`,
  format: "cjs",
  legalComments: "none",
  logLevel: "silent",
} as const;

/**
 * Names and lines stay as they are, so that stack traces can be read: an uncaught error prints its whole line.
 */
export const small = { minifySyntax: true } as const;

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
 */
const PARTS: ReadonlyArray<{ source: string; name: string; options?: import("esbuild").BuildOptions }> = [
  { source: "src/fleet/postgres/index.ts", name: "fleet-postgres" },
  { source: "src/fleet/redis/index.ts", name: "fleet-redis" },
  { source: "src/signing/custody/aws-kms/index.ts", name: "custody-aws-kms", options: forAws },
];

/**
 * The library as CommonJS: one file, and one for each of its parts beside it.
 *
 * @returns what was bundled, for the licenses
 */
export async function writeCommonJs(
  folder: string,
  {
    bundle,
    installed,
    extension,
    options,
    plugins = [],
  }: {
    bundle: typeof import("esbuild").build;
    installed: string;
    extension: ".js" | ".cjs";
    options: BuildOptions;
    plugins?: readonly import("esbuild").Plugin[];
  },
): Promise<import("esbuild").Metafile[]> {
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

export function writeParts(
  folder: string,
  {
    bundle,
    extension,
    options,
  }: { bundle: typeof import("esbuild").build; extension: string; options: BuildOptions },
): Array<Promise<import("esbuild").Metafile>> {
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

/** @param name of the package that code is built into */
export function inPackage(name: string) {
  return { PACKAGE_NAME: JSON.stringify(name) };
}

/** Loads the parts from their files. All files that load them lie beside them. */
export function partsSeparate(extension: string): import("esbuild").Plugin {
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
