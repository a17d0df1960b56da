// @ts-check
// What a package says differently from the repository: package.json names the owner, and the links of its Markdown
// files are addresses on the web. npm, the flow library and the palette show these files without the repository.
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join, posix } from "node:path";
import { readOwner } from "../lib/owner.mjs";
import { root } from "../lib/paths.mjs";
import { readJson } from "../lib/read-json.mjs";
import { ownerProblems } from "../release/owner-problems.mjs";
import { addressOf, repositoryName } from "./addresses.mjs";
import { replaceLinks } from "./links.mjs";

/** @typedef {import("../lib/owner.mjs").Owner} Owner */

const MARKDOWN = ["README.md", "CHANGELOG.md"];
const GUIDES = "docs/README.md";
/** For people who look at the repository: it is in no package. */
const REPOSITORY_ONLY = /<!-- repository only -->[\s\S]*?<!-- \/repository only -->\n*/g;

/**
 * @param {string} folder of the package, from the root: "" or "service"
 * @param {Owner} [given] instead of the one in release/owner.json
 * @returns {Promise<Map<string, string>>} the files that differ, with their text in the package
 */
export async function packedTexts(folder, given) {
  const owner = given ?? (await readOwner());
  const [malformed] = ownerProblems(owner).filter(({ isUnset }) => !isUnset);
  if (malformed) throw new Error(malformed.sentence);

  const manifest = await readJson(join(root, folder, "package.json"));
  const texts = new Map([
    ["package.json", `${JSON.stringify(packedManifest(manifest, owner, folder), null, 2)}\n`],
  ]);
  for (const file of MARKDOWN) {
    const path = join(root, folder, file);
    if (!existsSync(path)) continue;
    const text = await readFile(path, "utf8");
    texts.set(file, await packedMarkdown(text, { owner, version: manifest.version, folder }));
  }
  return texts;
}

/**
 * @param {Record<string, unknown>} manifest
 * @param {Owner} owner
 * @param {string} folder
 * @returns {Record<string, unknown>} with what the owner has said; what is unset is left out
 */
export function packedManifest(manifest, owner, folder) {
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

/**
 * @param {string} text
 * @param {{ owner: Owner, version: string, folder: string }} of
 * @returns {Promise<string>} Without the owner's address a link is its text, and a picture is left out.
 */
export async function packedMarkdown(text, { owner, version, folder }) {
  const kept = text.replaceAll(REPOSITORY_ONLY, "");
  /** @type {Map<string, "file" | "folder" | "image">} */
  const kinds = new Map();
  replaceLinks(kept, ({ target }) => {
    kinds.set(target, "file");
    return "";
  });
  for (const target of kinds.keys()) {
    if (isInPackage(target)) kinds.set(target, await kindOf(pathOf(folder, target)));
  }
  const replaced = replaceLinks(kept, ({ isImage, text: label, target }) => {
    if (!isInPackage(target)) return `${isImage ? "!" : ""}[${label}](${target})`;
    const path = pathOf(folder, target);
    const kind = isImage ? "image" : (kinds.get(target) ?? "file");
    const address =
      path === GUIDES && owner.homepage ? owner.homepage : addressOf(owner, version, { path, kind });
    if (address !== undefined) return `${isImage ? "!" : ""}[${label}](${address})`;
    return isImage ? "" : label;
  });
  return replaced.replaceAll(/\n{3,}/g, "\n\n");
}

/** @param {string} target */
const isInPackage = (target) => !/^(?:[a-z][a-z\d+.-]*:|#)/i.test(target);

/**
 * @param {string} folder
 * @param {string} target
 */
const pathOf = (folder, target) => posix.normalize(posix.join(folder, target));

/**
 * @param {string} path in the repository
 * @returns {Promise<"file" | "folder">}
 */
async function kindOf(path) {
  const [file = ""] = path.split("#");
  const found = await stat(join(root, file)).catch(() => undefined);
  if (found === undefined)
    throw new Error(`A link leads to ${file}, which does not exist. Correct the link.`);
  return found.isDirectory() ? "folder" : "file";
}
