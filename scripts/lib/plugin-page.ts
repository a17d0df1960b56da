// Makes the page of an editor plugin: its script, in an HTML file as Node-RED wants it; and its texts in each language.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { browserScript, scriptElement } from "./browser-script.ts";
import { writePluginTexts } from "./locales.ts";
import { root } from "./paths.mjs";

/** @param folder of the built plugins */
export async function writePluginPage(
  name: string,
  folder: string,
  options: import("./browser-script.ts").ScriptOptions,
) {
  const source = join(root, "plugins", name);
  const script = await browserScript(
    { contents: 'import "./editor/index.ts";', resolveDir: source, sourcefile: `${name}-plugin.ts` },
    { ...options, isSmall: true },
  );
  await writeFile(join(folder, `${name}.html`), scriptElement("text/javascript", "", script));
  await writePluginTexts(name, folder);
}
