// @ts-check
// Bundles what runs in the browser, as text for a page.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./paths.mjs";

/** @typedef {{ bundle: typeof import("esbuild").build, sourceMaps: boolean, plugins?: import("esbuild").Plugin[], isSmall?: boolean }} ScriptOptions */

/** A script that is part of a page: only an absolute address leads to its source. */
const withSourceMapInside = /** @type {const} */ ({
  sourcemap: "inline",
  sourceRoot: pathToFileURL(root).href,
  outfile: join(root, "form.js"),
});

/** The flow library reads literals in forms: so syntax stays as it is there. */
const small = /** @type {const} */ ({ minifyWhitespace: true, minifyIdentifiers: true });

/**
 * @param {{ contents: string, resolveDir: string, sourcefile: string }} entry in TypeScript
 * @param {ScriptOptions} options
 * @returns {Promise<string>}
 */
export async function browserScript(entry, { bundle, sourceMaps, plugins = [], isSmall = false }) {
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

/**
 * @param {string} type
 * @param {string} attributes
 * @param {string} content
 */
export function scriptElement(type, attributes, content) {
  return `<script type="${type}"${attributes && ` ${attributes}`}>\n${content.trim()}\n</script>\n`;
}
