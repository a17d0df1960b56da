// How the library is bundled with the code of others that it uses: for the nodes into dist/, and for programs into
// client/dist/.
import { join } from "node:path";
import { type BuildOptions, build as bundle, type Metafile, type Plugin } from "esbuild";
import { root } from "./paths.mjs";
import { readJson } from "./read-json.mjs";
import { oxInParts, undiciInParts, wasmCompressed, withShortNames } from "./vendored.ts";

/** The oldest supported Node.js, from package.json. */
export const minimumNode = (await readJson(join(root, "package.json"))).engines.node.replace(/^>=/, "");

export const nodeOptions = {
  ...({ absWorkingDir: root, bundle: true, platform: "node", format: "cjs" } as const),
  ...({ target: `node${minimumNode}`, legalComments: "none", logLevel: "silent" } as const),
};

/** Names and lines stay as they are, so that stack traces can be read: an uncaught error prints its whole line. */
export const small = { minifySyntax: true };

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
const PARTS: ReadonlyArray<{ source: string; name: string; options?: BuildOptions }> = [
  { source: "src/fleet/postgres/index.ts", name: "fleet-postgres" },
  { source: "src/fleet/redis/index.ts", name: "fleet-redis" },
  { source: "src/signing/custody/aws-kms/index.ts", name: "custody-aws-kms", options: forAws },
];

/**
 * The library as CommonJS: one file, and one for each of its parts beside it.
 *
 * @param installed the package that is named where a file is damaged
 * @returns what was bundled, for the licenses
 */
export async function writeCommonJs(
  folder: string,
  installed: string,
  extension: ".js" | ".cjs",
  { plugins = [], ...options }: BuildOptions,
): Promise<Metafile[]> {
  const whole = metafileOf({
    ...options,
    entryPoints: [join(root, "src/index.ts")],
    outfile: join(folder, `index${extension}`),
    define: inPackage(installed),
    plugins: [...vendored, partsSeparate(extension), ...plugins],
  });
  return Promise.all([whole, ...writeParts(folder, extension, options)]);
}

export function writeParts(folder: string, extension: string, options: BuildOptions): Promise<Metafile>[] {
  return PARTS.map(({ source, name, options: own }) =>
    metafileOf({
      ...{
        ...options,
        ...own,
        entryPoints: [join(root, source)],
        outfile: join(folder, `${name}${extension}`),
      },
      // Code of others: names in it help nobody.
      minifyIdentifiers: options.minifySyntax === true,
    }),
  );
}

export async function metafileOf(options: BuildOptions): Promise<Metafile> {
  return (await bundle({ ...nodeOptions, ...options, metafile: true })).metafile;
}

/** @param name of the package that code is built into */
export const inPackage = (name: string) => ({ PACKAGE_NAME: JSON.stringify(name) });

/** Loads the parts from their files. All files that load them lie beside them. */
export function partsSeparate(extension: string): Plugin {
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
