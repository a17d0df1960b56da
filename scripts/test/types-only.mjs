// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { root } from "../lib/paths.mjs";

/**
 * The files of a folder that hold only types. No test can run them: coverage would count each of their lines as missed.
 *
 * @param {string} folder from the root
 * @returns {Promise<string[]>}
 */
export async function typesOnly(folder) {
  const { stop, transform } = await import("esbuild");
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  const files = await Promise.all(
    names
      .filter((name) => name.endsWith(".ts"))
      .map(async (name) => {
        const { code } = await transform(readFileSync(join(root, folder, name), "utf8"), { loader: "ts" });
        return code === "" ? [`${folder}/${name.split(sep).join("/")}`] : [];
      }),
  );
  // Otherwise esbuild's process would count as one that the tests left running.
  await stop();
  return files.flat();
}
