// Makes what runs in the browser: the forms of the nodes, each with its template, its help and its script in one HTML file as
// Node-RED wants it, and the pages of the plugins; with their texts in each language. The forms share most of their code: it
// is a script of its own, which the editor loads before each form and runs once.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { build as bundle, type Plugin } from "esbuild";
import { reader } from "./common-texts.ts";
import { glossary, glossarySection } from "./glossary.ts";
import { ENGLISH, helpElement, scriptElement, writeNodeTexts, writePluginTexts } from "./locales.ts";
import { root } from "./paths.mjs";
import { readJson } from "./read-json.mjs";

/** Node-RED serves this folder of a package. */
const RESOURCES = "resources";
const FILE = "forms.js";
/** What is in here is of more than one form. */
const SHARED = /^(?:nodes\/common|src)\//;
/** The shared modules by their paths, in the page of the editor. */
const GLOBAL = "crecForms";
/** Stands for the hash of the shared code until that is known. */
const HASH = "HASH_OF_FORMS";

/** @param folder of the build. @param sourceMaps for a debugger */
export async function writeForms(names: string[], folder: string, sourceMaps: boolean) {
  const shared = new Set<string>();
  const words = await glossary();
  const pages = await Promise.all(
    names.map(async (name) => {
      const source = join(root, "nodes", name);
      const { html, registration } = await generatedForm(source);
      const help = (await readFile(join(source, "locales", ENGLISH, `${name}.md`), "utf8")).trim();
      const own = ["./editor.ts", "./editor/index.ts"].find((file) => existsSync(join(source, file)));
      const contents = [
        'import { forms } from "../common/editor/node-form.ts";',
        'import { NODE } from "./fields.ts";',
        own ? `import { form } from "${own}";` : "const form = {};",
        registration,
      ].join("\n");
      const entry = { contents, resolveDir: source, sourcefile: `${name}-form.ts` };
      // The flow library reads literals in forms: so syntax stays as it is there.
      const script = await browserScript(entry, { sourceMaps, isSmall: false, plugins: [takenFrom(shared)] });
      const texts = helpElement(name, `${help}${glossarySection(help, words)}`);
      return [html, texts, scriptElement("text/javascript", "", script)].join("\n");
    }),
  );
  const loading = await writeShared([...shared].sort(), folder, sourceMaps);
  const nodes = join(folder, "nodes");
  const textOf = reader();
  await Promise.all([
    ...names.map((name, index) => writeFile(join(nodes, `${name}.html`), `${loading}${pages[index] ?? ""}`)),
    ...names.map((name) => writeNodeTexts(name, nodes, textOf)),
  ]);
}

/** @param folder of the built plugins */
export async function writePluginPage(name: string, folder: string, sourceMaps: boolean) {
  const resolveDir = join(root, "plugins", name);
  const entry = { contents: 'import "./editor/index.ts";', resolveDir, sourcefile: `${name}-plugin.ts` };
  const script = await browserScript(entry, { sourceMaps, isSmall: true });
  await writeFile(join(folder, `${name}.html`), scriptElement("text/javascript", "", script));
  await writePluginTexts(name, folder);
}

/** Copies the shared script to where Node-RED serves it from: beside package.json, never half of it. */
export async function serveForms(folder: string) {
  const served = join(root, RESOURCES);
  const partial = join(served, `${FILE}.${process.pid}`);
  await mkdir(served, { recursive: true });
  await copyFile(join(folder, RESOURCES, FILE), partial);
  await rename(partial, join(served, FILE));
}

/**
 * The form's template and its registration, generated from the node's table of fields. The table is bundled for each
 * build: a second build in the same process must not get the modules of the first one.
 *
 * @param resolveDir the node's folder
 */
async function generatedForm(resolveDir: string): Promise<{ html: string; registration: string }> {
  const contents = `
import { NODE } from "./fields.ts";
import { formHtml } from "../common/build/form-html.ts";
import { isConfig, registration as registrationOf } from "../common/build/registration.ts";
export const html = formHtml(NODE, isConfig(NODE));
export const registration = registrationOf(NODE);`;
  const { outputFiles } = await bundle({
    ...{
      absWorkingDir: root,
      bundle: true,
      format: "esm",
      platform: "node",
      logLevel: "silent",
      write: false,
    },
    stdin: { contents, resolveDir, loader: "ts" },
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  return import(`data:text/javascript;base64,${code}`);
}

/** Takes shared modules from the script instead of bundling them, and notes which. */
function takenFrom(shared: Set<string>): Plugin {
  return {
    name: "shared-forms",
    setup({ onResolve, onLoad, resolve }) {
      onResolve({ filter: /^\.\.?\// }, async ({ path, pluginData, kind, importer, resolveDir }) => {
        if (pluginData === shared) return undefined;
        const found = await resolve(path, { kind, importer, resolveDir, pluginData: shared });
        const module = relative(root, found.path).split(sep).join("/");
        return SHARED.test(module) ? { path: module, namespace: "shared" } : undefined;
      });
      onLoad({ filter: /.*/, namespace: "shared" }, ({ path }) => {
        shared.add(path);
        return { contents: `module.exports = ${GLOBAL}[${JSON.stringify(path)}];`, loader: "js" };
      });
    },
  };
}

/** @returns what each form begins with */
async function writeShared(modules: string[], folder: string, sourceMaps: boolean): Promise<string> {
  const contents = [
    ...modules.map((path, index) => `import * as module${index} from "./${path}";`),
    `globalThis.${GLOBAL} = { hash: "${HASH}", ${modules.map((path, index) => `${JSON.stringify(path)}: module${index}`).join(", ")} };`,
  ].join("\n");
  const entry = { contents, resolveDir: root, sourcefile: "forms.ts" };
  const script = await browserScript(entry, { sourceMaps, isSmall: true });
  // The script is loaded with each form. After an update, an open editor gets the new code with the new forms; and one
  // that is loaded before Node-RED restarts gets it with the forms that Node-RED still has.
  const once = `if (globalThis.${GLOBAL}?.hash !== "${HASH}") {\n${script}}\n`;
  const hash = createHash("sha256").update(once).digest("hex").slice(0, 8);
  await mkdir(join(folder, RESOURCES), { recursive: true });
  await writeFile(join(folder, RESOURCES, FILE), once.replaceAll(HASH, hash));
  const { name } = await readJson(join(root, "package.json"));
  return `<script src="${RESOURCES}/${name}/${FILE}?${hash}"></script>\n`;
}

/** Bundles TypeScript as text for a page. */
async function browserScript(
  entry: { contents: string; resolveDir: string; sourcefile: string },
  { sourceMaps, isSmall, plugins = [] }: { sourceMaps: boolean; isSmall: boolean; plugins?: Plugin[] },
): Promise<string> {
  const { outputFiles } = await bundle({
    ...{ absWorkingDir: root, bundle: true, format: "iife", target: "es2020", charset: "utf8", write: false },
    ...{ legalComments: "none", logLevel: "silent" },
    ...(sourceMaps
      ? // A script that is part of a page: only an absolute address leads to its source.
        { sourcemap: "inline", sourceRoot: pathToFileURL(root).href, outfile: join(root, "form.js") }
      : { minifyWhitespace: true, minifyIdentifiers: true }),
    minifySyntax: isSmall && !sourceMaps,
    plugins,
    stdin: { ...entry, loader: "ts" },
  });
  return outputFiles[0]?.text ?? "";
}
