// npm run check:api: checks that the *.api.md in release/api are what the declarations of the library say, by API Extractor.
// Needs the registry. The other reports are checked by npm test.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { buildClient } from "./build-client.ts";
import { explained, libraryDifferences } from "./lib/api/compare.ts";
import { libraryReports } from "./lib/api/library.ts";
import { fail } from "./lib/check.ts";
import { root } from "./lib/paths.mjs";

await buildClient();
for (const [file, now] of await libraryReports()) {
  const found = libraryDifferences(await readFile(join(root, file), "utf8"), now);
  if (found.length > 0) fail(explained(file, found));
  else process.stdout.write(`${file}: fine\n`);
}
