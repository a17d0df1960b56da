// @ts-check
import { cp, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { npm } from "../lib/npm.mjs";
import { root } from "../lib/paths.mjs";

/**
 * Installs the tools of release/tools into a temporary folder, by their lock file, and removes it afterwards. They are no
 * devDependencies, because only checks of a release need them. Needs the registry.
 *
 * @template T
 * @param {(load: NodeJS.Require, folder: string) => T | Promise<T>} use `load` is the `require` of the folder
 * @param {string} [kind] a folder in release/tools, for what few checks need
 * @returns {Promise<T>}
 */
export async function withReleaseTools(use, kind = "") {
  const folder = await mkdtemp(join(tmpdir(), "crec-release-tools-"));
  try {
    for (const file of ["package.json", "package-lock.json"]) {
      await cp(join(root, "release/tools", kind, file), join(folder, file));
    }
    await npm(["ci"], { cwd: folder });
    return await use(createRequire(join(folder, "package.json")), folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
