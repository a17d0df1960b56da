// @ts-check
// Palettes that few examples need. Node-RED would load them at each start, as all that is in node_modules: 0.2 s of a
// processor and 17 MB, and 30 nodes that a newcomer does not need.
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { StartError } from "./say.mjs";

/** With the types of their nodes, as a file of flows has them. */
const PALETTES = [
  { module: "@flowfuse/node-red-dashboard", used: /"type":\s*"ui-/ },
  { module: "node-red-node-email", used: /"type":\s*"e-mail/ },
];

/**
 * The folders in node_modules that Node-RED does not load: those of palettes that no flow has a node of, that are not
 * installed in the user directory, and that `CREC_PALETTES` does not ask for.
 *
 * @param {string} userDir
 * @returns {string[]}
 * @throws {StartError} when the variable has another value
 */
export function unusedPalettes(userDir) {
  const asked = process.env.CREC_PALETTES ?? "";
  if (asked === "all") return [];
  if (asked !== "") throw new StartError(`CREC_PALETTES is "${asked}": set it to "all", or remove it.`);
  const flowFile = join(userDir, "flows.json");
  const flows = existsSync(flowFile) ? readFileSync(flowFile, "utf8") : "";
  return PALETTES.filter(
    ({ module, used }) => !used.test(flows) && !existsSync(join(userDir, "node_modules", module)),
  ).map(({ module }) => basename(module));
}
