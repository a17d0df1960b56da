// @ts-check
// npm run release:flow-library [-- --library URL]: tells flows.nodered.org to read the newest version of the package from
// npm, or to list it for the first time. The library has no interface for programs: this fills in its form
// https://flows.nodered.org/add/node, as a person would. If it fails, do that by hand.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { refreshFlowLibrary } from "./flow-library/form.mjs";
import { root } from "./lib/paths.mjs";
import { readJson } from "./lib/read-json.mjs";

const { values } = parseArgs({
  options: { library: { type: "string", default: "https://flows.nodered.org" } },
});
const { name } = await readJson(join(root, "package.json"));
try {
  process.stdout.write(`${await refreshFlowLibrary(name, values.library)}\n`);
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${reason}\nOpen ${values.library}/add/node, enter ${name}, and press the button.\n`);
  process.exitCode = 1;
}
