// @ts-check
// npm run release:check: whether the packages can be published as they are. Names everything that is missing, with what
// to do, and fails. It changes nothing. `--owner FILE` reads another file than release/owner.json.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { root } from "./lib/paths.mjs";
import { readJson } from "./lib/read-json.mjs";
import { packages } from "./packing/packages.mjs";
import { pack, stage } from "./packing/stage.mjs";
import * as checks from "./release/checks.mjs";
import { linkProblems } from "./release/link-problems.mjs";
import { ownerProblems } from "./release/owner-problems.mjs";
import { publishedFinding } from "./release/published.mjs";

const { values } = parseArgs({
  options: { owner: { type: "string", default: join(root, "release/owner.json") } },
});

let failed = 0;
const folder = await mkdtemp(join(tmpdir(), "crec-release-"));
try {
  const owner = await readJson(resolve(values.owner));
  const given = ownerProblems(owner);
  report(
    "the owner's fields",
    given.map(({ sentence }) => sentence),
  );

  const all = await packages();
  report("one version in all packages", checks.versionProblems(all));
  report("no package is private", checks.privateProblems(all));
  const changelog = await readFile(join(root, "CHANGELOG.md"), "utf8");
  report("the section of CHANGELOG.md", checks.changelogProblems(changelog, all[0]?.manifest.version));
  const bundled = all.filter(({ folder }) => folder !== "service");
  report(
    "no run-time dependencies",
    bundled.flatMap(({ manifest }) => checks.dependencyProblems(manifest)),
  );

  // What is malformed is reported above, and packed as if it were not filled in.
  const malformed = given.filter(({ isUnset }) => !isUnset).map(({ field }) => [field, ""]);
  for (const one of all.filter(({ isPrivate }) => !isPrivate)) {
    await checkPacked(one, { ...owner, ...Object.fromEntries(malformed) });
  }
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
process.stdout.write(failed === 0 ? "\nReady to publish.\n" : `\nNot ready to publish: ${failed} to do.\n`);
if (failed > 0) process.exitCode = 1;

/**
 * @param {import("./packing/packages.mjs").PackageOfRepository} one
 * @param {import("./lib/owner.mjs").Owner} owner
 */
async function checkPacked({ folder: source, manifest }, owner) {
  const { name, version } = manifest;
  const staged = join(folder, source || "nodes");
  await stage(source, staged, owner);
  const packed = await pack(staged, folder);
  report(`${name}: the files that package.json names`, await checks.missingFileProblems(staged, manifest));
  report(`${name}: every link leads somewhere`, await linkProblems(staged, { owner, version }));
  const size = `${(packed.size / 1e6).toFixed(2)} MB packed`;
  report(`${name}: ${size}`, source === "" ? checks.sizeProblems(packed) : []);
  const { problems, note } = await publishedFinding({ name, version }, staged);
  report(note || `${name}: the version is new`, problems);
}

/**
 * @param {string} what
 * @param {readonly string[]} problems
 */
function report(what, problems) {
  failed += problems.length;
  process.stdout.write(`${problems.length === 0 ? "ok  " : "TO DO"} ${what}\n`);
  for (const problem of problems) process.stdout.write(`       ${problem}\n`);
}
