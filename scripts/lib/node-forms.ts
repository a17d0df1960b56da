// Makes the forms of the nodes: each has its template, its help and its script in one HTML file; and texts in each
// language.

import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ScriptOptions as FormOptions } from "./browser-script.ts";
import { browserScript, scriptElement } from "./browser-script.ts";
import { reader } from "./common-texts.ts";
import { glossary, glossarySection } from "./glossary.ts";
import { ENGLISH, helpElement, writeNodeTexts } from "./locales.ts";
import { root } from "./paths.mjs";
import { SharedForms } from "./shared-forms.ts";

/** @param folder of the build */
export async function writeForms(names: string[], folder: string, options: FormOptions) {
  const shared = new SharedForms();
  const pages = await Promise.all(
    names.map((name) => formPage(name, { ...options, plugins: [shared.plugin] })),
  );
  const loading = await shared.write(folder, options);
  const nodes = join(folder, "nodes");
  const textOf = reader();
  await Promise.all([
    ...names.map((name, index) => writeFile(join(nodes, `${name}.html`), `${loading}${pages[index] ?? ""}`)),
    ...names.map((name) => writeNodeTexts(name, nodes, textOf)),
  ]);
}

async function formPage(name: string, options: FormOptions) {
  const source = join(root, "nodes", name);
  const { html, registration } = await generatedForm(source, options);
  const help = (await readFile(join(source, "locales", ENGLISH, `${name}.md`), "utf8")).trim();
  const words = glossarySection(help, await glossary());
  return [
    html,
    helpElement(name, `${help}${words}`),
    scriptElement("text/javascript", "", await formScript(name, source, registration, options)),
  ].join("\n");
}

/**
 * The form's template and its registration, generated from the node's table of fields. The table is bundled for each
 * build: a second build in the same process must not get the modules of the first one.
 *
 * @param source the node's folder
 */
async function generatedForm(
  source: string,
  { bundle }: FormOptions,
): Promise<{ html: string; registration: string }> {
  const { outputFiles } = await bundle({
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "silent",
    write: false,
    stdin: {
      contents: [
        'import { NODE } from "./fields.ts";',
        'import { formHtml } from "../common/build/form-html.ts";',
        'import { isConfig, registration as registrationOf } from "../common/build/registration.ts";',
        "export const html = formHtml(NODE, isConfig(NODE));",
        "export const registration = registrationOf(NODE);",
      ].join("\n"),
      resolveDir: source,
      loader: "ts",
    },
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  return import(`data:text/javascript;base64,${code}`);
}

/**
 * The code that runs in the browser: the registration, and the node's own `editor.ts`, or `editor/index.ts`, if it has one.
 *
 * @param source the node's folder
 */
function formScript(
  name: string,
  source: string,
  registration: string,
  options: FormOptions,
): Promise<string> {
  const own = ["./editor.ts", "./editor/index.ts"].find((file) => existsSync(join(source, file)));
  const contents = [
    'import { forms } from "../common/editor/node-form.ts";',
    'import { NODE } from "./fields.ts";',
    own ? `import { form } from "${own}";` : "const form = {};",
    registration,
  ].join("\n");
  return browserScript({ contents, resolveDir: source, sourcefile: `${name}-form.ts` }, options);
}
