// @ts-check
// Both packages as they are published, for checks: built, and packed without a change in the repository.
import { join } from "node:path";
import { build } from "../build.mjs";
import { buildService } from "../build-service.mjs";
import { pack, stage } from "./stage.mjs";

/**
 * @param {string} folder a temporary one
 * @returns {Promise<{ nodes: string, service: string }>} the files
 */
export async function packBoth(folder) {
  await Promise.all([build({ types: true }), buildService()]);
  const [nodes, service] = await Promise.all(["", "service"].map((source) => packOne(source, folder)));
  return { nodes: nodes ?? "", service: service ?? "" };
}

/**
 * @param {string} source the folder of a package, from the root
 * @param {string} folder
 */
async function packOne(source, folder) {
  const staged = join(folder, `staged-${source || "nodes"}`);
  await stage(source, staged);
  const { filename } = await pack(staged, folder);
  return join(folder, filename);
}
