// npm run check:api: checks that the *.api.md in release/api are what the declarations of the library say, by API Extractor,
// and shows the lines that differ. Needs the registry. The other reports are checked by npm test.
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildClient } from "./build-client.ts";
import { IF_BREAKING, UPDATE } from "./lib/api/compare.ts";
import { libraryReports } from "./lib/api/library.ts";
import { checking, trying } from "./lib/check.ts";
import { root } from "./lib/paths.mjs";

await checking("api", async (folder) => {
  await buildClient();
  for (const [file, text] of await libraryReports()) {
    await trying(file, async () => {
      const now = join(folder, "now.api.md");
      await writeFile(now, text);
      const args = ["diff", "--no-index", "--unified=2", join(root, file), now];
      await promisify(execFile)("git", args, { maxBuffer: 2 ** 26 }).catch(({ stdout }) => {
        throw new Error(
          `it is not what the sources say:\n${stdout}\nIf lines are gone or different: ${IF_BREAKING}\n${UPDATE}`,
        );
      });
    });
  }
});
