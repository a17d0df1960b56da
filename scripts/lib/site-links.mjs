// @ts-check
// Checks the built pages of the site as files: what they link to, show and load.
import { readdir, readFile } from "node:fs/promises";
import { join, posix } from "node:path";

const LINK = /<a\b[^>]*?\shref="([^"]*)"/g;
const LOADED = /<(?:img|script|source|iframe|link)\b[^>]*?\s(?:src|href)="([^"]*)"/g;
/** What style sheets load: fonts, pictures and other sheets. */
const LOADED_BY_STYLE = /(?:url\(\s*|@import\s+)["']?([^"')\s;]+)/g;
const ID = /\sid="([^"]+)"/g;
const ABSOLUTE = /^(?:[a-z][a-z\d+.-]*:|\/\/)/i;
/** In a style sheet: drawings inside it. */
const INLINE = /^(?:data:|#|%23)/;

/**
 * @param {string} folder
 * @param {string} base the path of the folder on its host
 * @returns {Promise<{ checked: number, problems: string[] }>}
 */
export async function brokenLinks(folder, base) {
  const files = (await readdir(folder, { recursive: true })).map((file) => file.replaceAll("\\", "/"));
  const there = new Set(files);
  const html = files.filter((file) => file.endsWith(".html"));
  const texts = new Map(
    await Promise.all(html.map(async (file) => /** @type {const} */ ([file, await read(file)]))),
  );
  const anchors = new Map([...texts].map(([file, text]) => [file, new Set(allOf(text, ID).map(plain))]));
  /** @type {string[]} */
  const problems = [];
  let checked = 0;

  for (const [file, text] of texts) {
    for (const target of allOf(text, LINK)) if (!ABSOLUTE.test(target)) check(file, target);
    for (const target of allOf(text, LOADED)) {
      if (ABSOLUTE.test(target)) problems.push(`${file} loads ${target}: pages load nothing from elsewhere.`);
      else check(file, target);
    }
  }
  for (const file of files.filter((one) => one.endsWith(".css"))) {
    for (const target of allOf(await read(file), LOADED_BY_STYLE)) {
      if (INLINE.test(target)) continue;
      if (ABSOLUTE.test(target)) problems.push(`${file} loads ${target}: pages load nothing from elsewhere.`);
      else check(file, target);
    }
  }
  return { checked, problems: [...new Set(problems)] };

  /** @param {string} file @param {string} target */
  function check(file, target) {
    checked += 1;
    const [path = "", anchor] = plain(target).split("#");
    const found = path === "" ? file : fileOf(file, path);
    if (found === undefined) problems.push(`${file} leads to ${target}, which is not there.`);
    else if (anchor && anchors.has(found) && !anchors.get(found)?.has(decodeURIComponent(anchor)))
      problems.push(`${file} leads to ${target}: the page has no such anchor.`);
  }

  /** @param {string} from @param {string} path */
  function fileOf(from, path) {
    if (path.startsWith("/") && !path.startsWith(base)) return undefined;
    const decoded = decodeURIComponent(path);
    const file = decoded.startsWith("/")
      ? decoded.slice(base.length)
      : posix.join(posix.dirname(from), decoded);
    return [file, posix.join(file, "index.html"), `${file}.html`].find((one) =>
      there.has(one.replace(/^\.\//, "")),
    );
  }

  /** @param {string} file */
  function read(file) {
    return readFile(join(folder, file), "utf8");
  }
}

/** @param {string} text @param {RegExp} pattern */
const allOf = (text, pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? "");

/** @param {string} text */
const plain = (text) => text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
