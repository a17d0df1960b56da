// @ts-check
import { relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The package's own folder. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** The folder of all data that is kept after a stop: `CREC_DATA_DIR`, else `data`, which git ignores. */
export function dataDir() {
  return resolve(process.env.CREC_DATA_DIR || resolve(root, "data"));
}

/**
 * @param {string} path as a person gives it
 * @returns {string} from the root, with slashes
 */
export function fromRoot(path) {
  return relative(root, resolve(path)).split(sep).join("/");
}
