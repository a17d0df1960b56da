// The forms of all nodes share most of their code. It is a script of its own, which the editor loads before each form
// and runs once.
import { createHash } from "node:crypto";
import { copyFile, mkdir, rename, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { browserScript } from "./browser-script.ts";
import { root } from "./paths.mjs";
import { readJson } from "./read-json.mjs";

/** Node-RED serves this folder of a package. */
const RESOURCES = "resources";
const FILE = "forms.js";
/** What is in here is of more than one form. */
const SHARED = /^(?:nodes\/lib|src)\//;
/** The shared modules by their paths, in the page of the editor. */
const GLOBAL = "crecForms";
/** Stands for the hash of the shared code until that is known. */
const HASH = "HASH_OF_FORMS";

/** Collects what the forms share while they are bundled, and makes the script of it. */
export class SharedForms {
  /** Paths from the root. */
  #modules: Set<string> = new Set();

  /** Takes shared modules from the script instead of bundling them. */
  plugin: import("esbuild").Plugin = {
    name: "shared-forms",
    setup: ({ onResolve, onLoad, resolve }) => {
      onResolve({ filter: /^\.\.?\// }, async ({ path, pluginData, kind, importer, resolveDir }) => {
        if (pluginData === this) return undefined;
        const found = await resolve(path, { kind, importer, resolveDir, pluginData: this });
        const module = relative(root, found.path).split(sep).join("/");
        return SHARED.test(module) ? { path: module, namespace: "shared" } : undefined;
      });
      onLoad({ filter: /.*/, namespace: "shared" }, ({ path }) => {
        this.#modules.add(path);
        return { contents: `module.exports = ${GLOBAL}[${JSON.stringify(path)}];`, loader: "js" };
      });
    },
  };

  /** Writes the script. @param folder of the build. @returns what each form begins with */
  async write(folder: string, options: import("./browser-script.ts").ScriptOptions): Promise<string> {
    const modules = [...this.#modules].sort();
    const contents = [
      ...modules.map((path, index) => `import * as module${index} from "./${path}";`),
      `globalThis.${GLOBAL} = { hash: "${HASH}", ${modules.map((path, index) => `${JSON.stringify(path)}: module${index}`).join(", ")} };`,
    ].join("\n");
    const script = await browserScript(
      { contents, resolveDir: root, sourcefile: "forms.ts" },
      { ...options, isSmall: true },
    );
    // The script is loaded with each form. After an update, an open editor gets the new code with the new forms; and one
    // that is loaded before Node-RED restarts gets it with the forms that Node-RED still has.
    const once = `if (globalThis.${GLOBAL}?.hash !== "${HASH}") {\n${script}}\n`;
    const hash = createHash("sha256").update(once).digest("hex").slice(0, 8);
    await mkdir(join(folder, RESOURCES), { recursive: true });
    await writeFile(join(folder, RESOURCES, FILE), once.replaceAll(HASH, hash));
    const { name } = await readJson(join(root, "package.json"));
    return `<script src="${RESOURCES}/${name}/${FILE}?${hash}"></script>\n`;
  }
}

/**
 * Copies the script to where Node-RED serves it from: beside package.json, never half of it.
 *
 * @param folder of the build
 */
export async function serveForms(folder: string) {
  const served = join(root, RESOURCES);
  const partial = join(served, `${FILE}.${process.pid}`);
  await mkdir(served, { recursive: true });
  await copyFile(join(folder, RESOURCES, FILE), partial);
  await rename(partial, join(served, FILE));
}
