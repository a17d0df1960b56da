// @ts-check
// Where the files of the repository are on the web, at the tag of a version.

/** @typedef {import("../lib/owner.mjs").Owner} Owner */

const GITHUB = /^https:\/\/github\.com\/([\w-]+\/[\w.-]+?)$/;

/**
 * @param {Pick<Owner, "repository">} owner
 * @returns {string | undefined} `owner/name`
 */
export function repositoryName({ repository }) {
  return GITHUB.exec(repository)?.[1];
}

/**
 * @param {Pick<Owner, "repository">} owner
 * @param {string} version of the package
 * @param {{ path: string, kind: "file" | "folder" | "image" }} what `path` is in the repository, perhaps with an anchor
 * @returns {string | undefined} undefined while the owner has not named the repository
 */
export function addressOf(owner, version, { path, kind }) {
  const name = repositoryName(owner);
  if (name === undefined) return undefined;
  const tag = `v${version}`;
  if (kind === "image") return `https://raw.githubusercontent.com/${name}/${tag}/${path}`;
  return `https://github.com/${name}/${kind === "folder" ? "tree" : "blob"}/${tag}/${path}`;
}

/**
 * The path in the repository that an address of `addressOf` leads to.
 *
 * @param {Pick<Owner, "repository">} owner
 * @param {string} version
 * @param {string} address
 * @returns {string | undefined}
 */
export function pathAt(owner, version, address) {
  for (const kind of /** @type {const} */ (["image", "folder", "file"])) {
    const start = addressOf(owner, version, { path: "", kind });
    if (start !== undefined && address.startsWith(start)) return address.slice(start.length);
  }
  return undefined;
}
