// @ts-check
// npm run release:notes [-- VERSION]: prints what CHANGELOG.md says about a version, for the release on GitHub; by default
// the version in package.json. Links within the repository become addresses of the version's tag, if the repository is
// known from release/owner.json; otherwise their text stays.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readOwner } from "./lib/owner.mjs";
import { root } from "./lib/paths.mjs";
import { readJson } from "./lib/read-json.mjs";
import { releaseNotes } from "./release/notes.mjs";

const { version: current } = await readJson(join(root, "package.json"));
const [version = current] = process.argv.slice(2);
const [changelog, owner] = await Promise.all([readFile(join(root, "CHANGELOG.md"), "utf8"), readOwner()]);
try {
  process.stdout.write(releaseNotes(changelog, version, owner));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
