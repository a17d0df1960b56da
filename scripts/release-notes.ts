// npm run release:notes [-- VERSION]: prints what CHANGELOG.md says about a version, for the release on GitHub; by default
// the version in package.json. No tool makes addresses of the links within the repository, at the version's tag.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readOwner } from "./lib/owner.mjs";
import { root } from "./lib/paths.mjs";
import { readJson } from "./lib/read-json.mjs";
import { releaseNotes } from "./release/checks.ts";

try {
  const version = process.argv[2] ?? (await readJson(join(root, "package.json"))).version;
  const changelog = await readFile(join(root, "CHANGELOG.md"), "utf8");
  process.stdout.write(releaseNotes(changelog, version, await readOwner()));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
