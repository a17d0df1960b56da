// @ts-check
// The packages as npm packs them.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "./paths.mjs";

/**
 * Packs a package, after a build.
 *
 * @param {string} destination a folder for the tarball
 * @param {{ from?: string, build?: boolean }} [options] `from` is the folder of the package, from the root; with
 *   `build: false`, what was built before is packed
 * @returns {Promise<string>} the tarball
 */
export async function pack(destination, { from = ".", build = true } = {}) {
  const { stdout } = await promisify(execFile)(
    "npm",
    [
      ...["pack", "--json", "--loglevel=error", "--pack-destination", destination],
      ...(build ? [] : ["--ignore-scripts"]),
    ],
    { cwd: join(root, from), maxBuffer: 2 ** 26, shell: process.platform === "win32" },
  );
  // npm 12 prints an object by name, older versions a list. The output of the build comes before it.
  const [packed] = Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]/m))));
  return join(destination, packed.filename);
}
