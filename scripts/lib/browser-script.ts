// Bundles what runs in the browser, as text for a page.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./paths.mjs";

export type ScriptOptions = {
  bundle: typeof import("esbuild").build;
  sourceMaps: boolean;
  plugins?: import("esbuild").Plugin[];
  isSmall?: boolean;
};

/** A script that is part of a page: only an absolute address leads to its source. */
const withSourceMapInside = {
  sourcemap: "inline",
  sourceRoot: pathToFileURL(root).href,
  outfile: join(root, "form.js"),
} as const;

/** The flow library reads literals in forms: so syntax stays as it is there. */
const small = { minifyWhitespace: true, minifyIdentifiers: true } as const;

/** @param entry in TypeScript */
export async function browserScript(
  entry: { contents: string; resolveDir: string; sourcefile: string },
  { bundle, sourceMaps, plugins = [], isSmall = false }: ScriptOptions,
): Promise<string> {
  const { outputFiles } = await bundle({
    absWorkingDir: root,
    bundle: true,
    format: "iife",
    target: "es2020",
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent",
    ...(sourceMaps ? withSourceMapInside : small),
    minifySyntax: isSmall && !sourceMaps,
    write: false,
    plugins,
    stdin: { ...entry, loader: "ts" },
  });
  return outputFiles[0]?.text ?? "";
}

export function scriptElement(type: string, attributes: string, content: string) {
  return `<script type="${type}"${attributes && ` ${attributes}`}>\n${content.trim()}\n</script>\n`;
}
