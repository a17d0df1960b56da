// npm run check:package: packs from a fresh clone, by `npm pack` and by `npm run package`. No tool compares them: both must
// have the same content, without the links of the repository, and leave the clone as it was; what is published must be small
// enough. Uses the installed dependencies, and what is committed.
import { execFile } from "node:child_process";
import { appendFile, readdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { checking, trying } from "./lib/check.ts";
import { runNpm } from "./lib/npm-command.mjs";
import { root } from "./lib/paths.mjs";
import { packages, unpack } from "./packing/stage.ts";
import { sizeProblems } from "./release/checks.ts";
import { differences } from "./release/published.ts";

const run = promisify(execFile);

// Names of folders may have a space.
await checking("check package", async (folder) => {
  const clone = join(folder, "a clone");
  await run("git", ["clone", "--quiet", root, clone]);
  // git ignores the folders of that name, and not links to them.
  await appendFile(join(clone, ".git/info/exclude"), "node_modules\n");
  await symlink(join(root, "node_modules"), join(clone, "node_modules"), "junction");
  const ofService = join(root, "service/node_modules");
  await symlink(ofService, join(clone, "service/node_modules"), "junction").catch(() => {});
  const byScript = join(folder, "script");
  await runNpm(["run", "package", "--", byScript], { cwd: clone, maxBuffer: 2 ** 26 });
  for (const { folder: source, manifest } of await packages()) {
    if (manifest.private) continue;
    const start = `${manifest.name.replace("@", "").replace("/", "-")}-`;
    const [file = ""] = (await readdir(byScript)).filter((name) => name.startsWith(start));
    await trying(`${file}, by npm pack and by npm run package`, async () => {
      const byNpm = join(folder, `npm-${source}`);
      await runNpm(["pack", "--pack-destination", folder], { cwd: join(clone, source), maxBuffer: 2 ** 26 });
      const { size } = await stat(join(byScript, file));
      // What is published.
      const problems = source === "" ? sizeProblems({ size, filename: file }) : [];
      await unpack(join(folder, file), byNpm);
      await unpack(join(byScript, file), `${byNpm}-script`);
      const differing = await differences(byNpm, `${byNpm}-script`);
      if (differing.length > 0) problems.push(`they have ${differing.join(", ")} different`);
      if (problems.length > 0) throw new Error(problems.join("; "));
      return `the same, ${(size / 1e6).toFixed(2)} MB`;
    });
  }
  await trying("the clone afterwards", async () => {
    const { stdout } = await run("git", ["status", "--porcelain"], { cwd: clone });
    if (stdout !== "") throw new Error(stdout);
  });
});
