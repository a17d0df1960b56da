// npm run release:check: whether the packages can be published as they are: what no tool knows. Names everything that is
// missing, with what to do, and fails. It changes nothing. `--owner FILE` reads another file than release/owner.json. The
// files, links and dependencies of the packages are checked by their tests, with publint.
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { checking } from "./lib/check.ts";
import { root } from "./lib/paths.mjs";
import { readJson } from "./lib/read-json.mjs";
import { pack, packages, stage } from "./packing/stage.ts";
import * as checks from "./release/checks.ts";
import { linkProblems } from "./release/link-problems.ts";
import { ownerProblems } from "./release/owner-problems.ts";
import { publishedFinding } from "./release/published.ts";

const { values } = parseArgs({
  options: { owner: { type: "string", default: join(root, "release/owner.json") } },
});
let failed = 0;

await checking("release", async (folder) => {
  const owner = await readJson(resolve(values.owner));
  const given = ownerProblems(owner);
  const sentences = given.map(({ sentence }) => sentence);
  report("the owner's fields", sentences);
  const all = await packages();
  report("one version in all packages", checks.versionProblems(all));
  report("no package is private", checks.privateProblems(all));
  const changelog = await readFile(join(root, "CHANGELOG.md"), "utf8");
  report("the section of CHANGELOG.md", checks.changelogProblems(changelog, all[0]?.manifest.version ?? ""));

  // What is malformed is reported above, and packed as if it were not filled in.
  const malformed = given.filter(({ isUnset }) => !isUnset).map(({ field }) => [field, ""]);
  const known = { ...owner, ...Object.fromEntries(malformed) };
  for (const { folder: source, manifest } of all.filter((one) => one.manifest.private !== true)) {
    const { name, version } = manifest;
    const staged = join(folder, source || "nodes");
    await stage(source, staged, known);
    const packed = await pack(staged, folder);
    report(`${name}: every link leads somewhere`, await linkProblems(staged, { owner: known, version }));
    const size = `${(packed.size / 1e6).toFixed(2)} MB packed`;
    report(`${name}: ${size}`, source === "" ? checks.sizeProblems(packed) : []);
    const { problems, note } = await publishedFinding({ name, version }, staged);
    report(note || `${name}: the version is new`, problems);
  }
});
process.stdout.write(failed === 0 ? "\nReady to publish.\n" : `\nNot ready to publish: ${failed} to do.\n`);
if (failed > 0) process.exitCode = 1;

function report(what: string, problems: readonly string[]) {
  failed += problems.length;
  process.stdout.write(`${problems.length === 0 ? "ok  " : "TO DO"} ${what}\n`);
  for (const problem of problems) process.stdout.write(`       ${problem}\n`);
}
