import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";

const SCRIPT = /<script type="text\/javascript">([\s\S]*?)<\/script>/;

/**
 * What the built page of a node registers with the editor, by type. It is run as the editor does: the script that all
 * forms share first, then that of the form.
 *
 * @param shared the folder `resources` of the package
 */
export function registeredBy<T>(
  page: string,
  shared = new URL("../../resources/", import.meta.url),
): Record<string, T> {
  const found: Record<string, T> = {};
  const registerType = (type: string, definition: T) => {
    found[type] = definition;
  };
  const forms = readFileSync(fileURLToPath(new URL("forms.js", shared)), "utf8");
  runInNewContext(`${forms}\n${formScript(page)}`, {
    RED: { nodes: { registerType }, events: { on: () => undefined } },
  });
  return found;
}

/** The script in the built page of a node. */
export function formScript(page: string): string {
  return SCRIPT.exec(page)?.[1] ?? "";
}
