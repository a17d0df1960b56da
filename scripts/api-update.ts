// npm run api:update: writes the reports under release/api from the sources as they are now. A test (test/release) and
// "npm run check:api" compare them. API Extractor makes those of the library, and needs the registry; no tool has reports of
// nodes. --no-library leaves the library's as they are.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildClient } from "./build-client.ts";
import { libraryReports } from "./lib/api/library.ts";
import { REPORTS, textOf } from "./lib/api/reports.ts";
import { root } from "./lib/paths.mjs";

for (const { file, make } of REPORTS) await write(file, textOf(await make()));
if (!process.argv.includes("--no-library")) {
  await buildClient();
  for (const [file, text] of await libraryReports()) await write(file, text);
}
// Importing the nodes may have started timers.
process.exit();

/** @param file from the root */
async function write(file: string, text: string) {
  await writeFile(join(root, file), text);
  process.stdout.write(`${file}: ${text.split("\n").length - 1} lines\n`);
}
