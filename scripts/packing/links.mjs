// @ts-check
// Links and pictures of Markdown texts.

/**
 * @typedef {object} Link
 * @property {boolean} isImage
 * @property {string} text of the link, or that a picture has for those who do not see it
 * @property {string} target
 */

const LINK = /(!?)\[((?:[^[\]]|\[[^[\]]*\])*)\]\(([^()\s]+)\)/g;
/** Written as HTML, or as an address in angle brackets. */
const OTHER = /<(?:img|a)\b[^>]*?\b(?:src|href)=["']([^"']+)["']|<(https?:[^>\s]+)>/g;
const CODE = /```[\s\S]*?```|`[^`\n]*`/g;

/**
 * Replaces links, except in code.
 *
 * @param {string} text
 * @param {(link: Link) => string} replace
 * @returns {string}
 */
export function replaceLinks(text, replace) {
  /** @type {string[]} */
  const code = [];
  // A link may have code in its text.
  const masked = text.replaceAll(CODE, (found) => `\uE000${code.push(found) - 1}\uE001`);
  const replaced = masked.replaceAll(LINK, (_all, mark, label, target) =>
    replace({ isImage: mark === "!", text: label, target }),
  );
  return replaced.replaceAll(/\uE000(\d+)\uE001/g, (_all, index) => code[Number(index)] ?? "");
}

/**
 * Where the links and pictures of a text lead.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function targetsOf(text) {
  /** @type {string[]} */
  const targets = [];
  replaceLinks(text, ({ target }) => {
    targets.push(target);
    return "";
  });
  for (const [, quoted, bracketed] of text.replaceAll(CODE, "").matchAll(OTHER)) {
    targets.push(quoted ?? bracketed ?? "");
  }
  return targets;
}

/**
 * The anchors of a page's headings, as GitHub and npm make them.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function anchorsOf(text) {
  const headings = text.replaceAll(/```[\s\S]*?```/g, "").matchAll(/^#+ +(.+)$/gm);
  return [...headings].map(([, heading = ""]) => anchorOf(heading));
}

/** @param {string} heading */
export function anchorOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}
