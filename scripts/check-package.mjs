// @ts-check
// npm run check:package: packs from a fresh clone, by `npm pack` and by `npm run package`. Both must have the same
// content, without the links of the repository, and leave the clone as it was; what is published must be small enough.
// Uses the installed dependencies, and what is committed.
import { execFile } from "node:child_process";
import { appendFile, mkdtemp, readdir, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { runNpm } from "./lib/npm-command.mjs";
import { root } from "./lib/paths.mjs";
import { packages } from "./packing/packages.mjs";
import { unpack } from "./packing/stage.mjs";
import { sizeProblems } from "./release/checks.mjs";
import { differences } from "./release/published.mjs";

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), "crec check package "));
const clone = join(folder, "clone");
try {
  await run("git", ["clone", "--quiet", root, clone]);
  // git ignores the folders of that name, and not links to them.
  await appendFile(join(clone, ".git/info/exclude"), "node_modules\n");
  await linkDependencies("");
  await linkDependencies("service");
  const byScript = join(folder, "script");
  await runNpm(["run", "package", "--", byScript], { cwd: clone, maxBuffer: 2 ** 26 });
  for (const { folder: source, manifest, isPrivate } of await packages()) {
    if (isPrivate) continue;
    const byNpm = join(folder, `npm-${source}`);
    await runNpm(["pack", "--pack-destination", folder], { cwd: join(clone, source), maxBuffer: 2 ** 26 });
    const [file = ""] = (await readdir(byScript)).filter((name) => name.startsWith(fileStart(manifest.name)));
    if (source === "") {
      // What is published.
      const { size } = await stat(join(byScript, file));
      const problems = sizeProblems({ size, filename: file });
      say(problems.length === 0, problems[0] ?? `${file}: ${(size / 1e6).toFixed(2)} MB`);
    }
    await unpack(join(folder, file), byNpm);
    await unpack(join(byScript, file), `${byNpm}-script`);
    const differing = await differences(byNpm, `${byNpm}-script`);
    say(
      differing.length === 0,
      `${file}: npm pack and npm run package have ${differing.join(", ") || "nothing"} different`,
    );
  }
  const { stdout } = await run("git", ["status", "--porcelain"], { cwd: clone });
  say(stdout === "", `The clone afterwards: ${stdout.trim() || "as it was"}`);
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** @param {string} source the folder of a package */
async function linkDependencies(source) {
  const installed = join(root, source, "node_modules");
  await symlink(installed, join(clone, source, "node_modules"), "junction").catch((error) => {
    if (source === "") throw error;
  });
}

/** @param {string} name of a package */
function fileStart(name) {
  return `${name.replace("@", "").replace("/", "-")}-`;
}

/**
 * @param {boolean} isRight
 * @param {string} sentence
 */
function say(isRight, sentence) {
  process.stdout.write(`${isRight ? "ok" : "FAILED"}  ${sentence}\n`);
  if (!isRight) process.exitCode = 1;
}
