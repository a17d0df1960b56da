// @ts-check
// Where the files of the repository are on the web, at the tag of a version.

/** @typedef {Pick<import("../lib/owner.mjs").Owner, "repository">} Owner */

/**
 * @param {Owner} owner
 * @returns {string | undefined} `owner/name`
 */
export function repositoryName({ repository }) {
  return /^https:\/\/github\.com\/([\w-]+\/[\w.-]+)$/.exec(repository)?.[1];
}

/**
 * @param {Owner} owner
 * @param {string} version of the package
 * @param {{ path: string, isImage: boolean }} file `path` is in the repository, perhaps with an anchor
 * @returns {string | undefined} undefined while the owner has not named the repository
 */
export function addressOf(owner, version, { path, isImage }) {
  const name = repositoryName(owner);
  if (name === undefined) return undefined;
  // A page of GitHub shows a folder too, but is no picture.
  const start = isImage ? `https://raw.githubusercontent.com/${name}` : `https://github.com/${name}/blob`;
  return `${start}/v${version}/${path}`;
}

/**
 * The path in the repository that an address of `addressOf` leads to.
 *
 * @param {Owner} owner
 * @param {string} version
 * @param {string} address
 * @returns {string | undefined}
 */
export function pathAt(owner, version, address) {
  for (const isImage of [true, false]) {
    const start = addressOf(owner, version, { path: "", isImage });
    if (start !== undefined && address.startsWith(start)) return address.slice(start.length);
  }
  return undefined;
}
