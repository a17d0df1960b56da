// What a package says differently from the repository: package.json names the owner, and the links of its README
// are addresses on the web. npm, the flow library and the palette show it without the repository. Nobody reads the
// examples and dashboards in a package: without their indentation it is smaller.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Owner, readOwner } from "../lib/owner.mjs";
import { root } from "../lib/paths.mjs";
import { readJson } from "../lib/read-json.mjs";
import { ownerProblems } from "../release/owner-problems.ts";
import { repositoryName, withWebLinks } from "./links.ts";

const README = "README.md";
/** Folders with JSON for programs. */
const FOR_PROGRAMS = ["examples", "docs/monitoring"];
/** For people who look at the repository: it is in no package. */
const REPOSITORY_ONLY = /<!-- repository only -->[\s\S]*?<!-- \/repository only -->\n*/g;

/**
 * @param folder of the package, from the root: "", "client" or "service"
 * @param given instead of the one in release/owner.json
 * @returns the files that differ, with their text in the package
 */
export async function packedTexts(folder: string, given?: Owner): Promise<Map<string, string>> {
  const owner = given ?? (await readOwner());
  const malformed = ownerProblems(owner).find(({ isUnset }) => !isUnset);
  if (malformed) throw new Error(malformed.sentence);

  const manifest = await readJson(join(root, folder, "package.json"));
  const texts = new Map([
    ["package.json", `${JSON.stringify(packedManifest(manifest, owner, folder), null, 2)}\n`],
  ]);
  const text = (await readFile(join(root, folder, README), "utf8")).replaceAll(REPOSITORY_ONLY, "");
  texts.set(README, withWebLinks(text, { owner, version: manifest.version, folder }));
  if (folder !== "") return texts;
  for (const within of FOR_PROGRAMS) {
    for (const name of await readdir(join(root, within))) {
      const file = `${within}/${name}`;
      if (file.endsWith(".json")) texts.set(file, `${JSON.stringify(await readJson(join(root, file)))}\n`);
    }
  }
  return texts;
}

/** @returns with what the owner has said; what is unset is left out */
function packedManifest(
  manifest: Record<string, unknown>,
  owner: Owner,
  folder: string,
): Record<string, unknown> {
  const name = repositoryName(owner);
  const url = `https://github.com/${name}`;
  const homepage = owner.homepage || (name && `${url}#readme`);
  return {
    ...manifest,
    ...(owner.author && { author: owner.author }),
    ...(homepage && { homepage }),
    ...(name && {
      repository: { type: "git", url: `git+${url}.git`, ...(folder && { directory: folder }) },
      bugs: { url: `${url}/issues` },
    }),
  };
}
