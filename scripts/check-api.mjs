// @ts-check
// npm run check:api: checks that release/api/library.api.md is what the declarations of the library say, by API Extractor.
// Needs the registry. The other reports are checked by npm test.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { buildClient } from "./build-client.mjs";
import { explained, libraryDifferences } from "./lib/api/compare.mjs";
import { libraryReport } from "./lib/api/library.mjs";
import { LIBRARY_REPORT } from "./lib/api/reports.mjs";
import { fail } from "./lib/check.mjs";
import { root } from "./lib/paths.mjs";

await buildClient();
const [kept, now] = [await readFile(join(root, LIBRARY_REPORT), "utf8"), await libraryReport()];
const found = libraryDifferences(kept, now);
if (found.length > 0) fail(explained(LIBRARY_REPORT, found));
else process.stdout.write(`${LIBRARY_REPORT}: fine\n`);
