// @ts-check
// Texts that are read without the repository: links to its files become addresses on the web.
import { posix } from "node:path";
import { addressOf } from "./addresses.mjs";
import { replaceLinks } from "./links.mjs";

/** @typedef {import("../lib/owner.mjs").Owner} Owner */

/** The index of the guides: where they are published as pages, those are meant. */
const GUIDES = "docs/README.md";

/**
 * @param {string} text Markdown
 * @param {{ owner: Owner, version: string, folder: string }} of `folder` is where the text is in the repository
 * @returns {string} Without an address of the owner's a link is its text, and a picture is left out.
 */
export function withWebLinks(text, { owner, version, folder }) {
  const replaced = replaceLinks(text, ({ isImage, text: label, target }) => {
    const mark = isImage ? "!" : "";
    if (/^(?:[a-z][a-z\d+.-]*:|#)/i.test(target)) return `${mark}[${label}](${target})`;
    const path = posix.join(folder, target);
    const published = path === GUIDES ? owner.homepage : "";
    const address = published || addressOf(owner, version, { path, isImage });
    if (address !== undefined) return `${mark}[${label}](${address})`;
    return isImage ? "" : label;
  });
  return replaced.replaceAll(/\n{3,}/g, "\n\n");
}
