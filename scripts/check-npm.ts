// npm run check:npm: no tool checks that npm 10, 11 and 12 accept the lock files and do not change them. Runs in a folder
// with the manifests only, and installs nothing. Needs the registry.
import { execFile } from "node:child_process";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { checking, fail, trying } from "./lib/check.ts";
import { npm } from "./lib/npm.mjs";
import { fromRoot, root } from "./lib/paths.mjs";

/** Where the lock files are, each with the manifests that it was made from. */
const LOCKS = [
  { source: root, manifests: ["package.json", "client/package.json", "service/package.json"] },
  { source: join(root, "site"), manifests: ["package.json"] },
];

await checking("npm", async (folder) => {
  for (const { source, manifests } of LOCKS) {
    const lock = join(source, "package-lock.json");
    for (const major of [10, 11, 12]) {
      await trying(`${fromRoot(lock)}, npm ${major}`, async () => {
        const cwd = join(folder, `${fromRoot(source).replaceAll("/", "-")}-${major}`);
        await mkdir(cwd);
        for (const file of [...manifests, "package-lock.json"])
          await cp(join(source, file), join(cwd, file), { recursive: true });
        const ofMajor = (...args: string[]) =>
          npm(["exec", "--yes", `--package=npm@${major}`, "--", "npm", ...args], { cwd });
        const version = await ofMajor("--version");
        if (!version.startsWith(`${major}.`))
          throw new Error(`asked for npm ${major}, got ${version.trim()}`);
        await ofMajor("ci", "--dry-run");
        await ofMajor("install", "--package-lock-only");
        await promisify(execFile)("git", ["diff", "--no-index", lock, join(cwd, "package-lock.json")]).catch(
          ({ stdout }) => fail(`npm install changes the lock file:\n${stdout}`),
        );
      });
    }
  }
});
