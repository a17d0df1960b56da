// @ts-check
// Programs from PyPI, for checks.
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const PIPS = /** @type {Array<[string, ...string[]]>} */ ([["pip"], ["python3", "-m", "pip"]]);

/**
 * Installs one package into a folder.
 *
 * @param {string} folder
 * @param {{ name: string, version: string, sha256: string }} wheel `sha256` is that of the file for Linux on x64, which
 *   CI has
 * @returns {Promise<boolean>} false where there is no pip
 */
export async function pipInstall(folder, { name, version, sha256 }) {
  const pip = await findPip();
  if (pip === undefined) return false;
  const isKnown = process.platform === "linux" && process.arch === "x64";
  const requirements = join(folder, `${name}.txt`);
  await writeFile(requirements, `${name}==${version}${isKnown ? ` --hash=sha256:${sha256}` : ""}\n`);
  const [command, ...args] = pip;
  await run(command, [...args, "install", "--quiet", "--no-deps", "--target", folder, "-r", requirements]);
  return true;
}

/** @returns {Promise<[string, ...string[]] | undefined>} */
async function findPip() {
  for (const [command, ...args] of PIPS) {
    const isThere = await run(command, [...args, "--version"]).then(
      () => true,
      () => false,
    );
    if (isThere) return [command, ...args];
  }
  return undefined;
}
