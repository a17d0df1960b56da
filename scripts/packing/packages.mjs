// @ts-check
import { join } from "node:path";
import { root } from "../lib/paths.mjs";
import { readJson } from "../lib/read-json.mjs";

/** The folders of the repository's packages, from the root. "" is the one for Node-RED. */
const FOLDERS = ["", "client", "service"];

/** @typedef {{ folder: string, manifest: Record<string, any>, isPrivate: boolean }} PackageOfRepository */

/** @returns {Promise<PackageOfRepository[]>} */
export function packages() {
  return Promise.all(
    FOLDERS.map(async (folder) => {
      const manifest = await readJson(join(root, folder, "package.json"));
      return { folder, manifest, isPrivate: manifest.private === true };
    }),
  );
}
