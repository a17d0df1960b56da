// @ts-check
// Packages as they are published, for checks: built, and packed without a change in the repository.
import { join } from "node:path";
import { build } from "../build.mjs";
import { buildClient } from "../build-client.mjs";
import { buildService } from "../build-service.mjs";
import { pack, stage } from "./stage.mjs";

const PACKAGES = {
  nodes: { folder: "", make: build },
  client: { folder: "client", make: buildClient },
  service: { folder: "service", make: buildService },
};

/**
 * @template {keyof typeof PACKAGES} Name
 * @param {string} target a temporary folder
 * @param {readonly Name[]} names
 * @returns {Promise<Record<Name, string>>} the packed file of each
 */
export async function packBuilt(target, names) {
  const files = await Promise.all(
    names.map(async (name) => {
      const { folder, make } = PACKAGES[name];
      await make();
      const staged = join(target, `staged-${name}`);
      await stage(folder, staged);
      const { filename } = await pack(staged, target);
      return [name, join(target, filename)];
    }),
  );
  return Object.fromEntries(files);
}
