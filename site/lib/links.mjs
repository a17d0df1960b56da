// @ts-check
// Links of the sources as links of the site. The sources link to files of the repository, so that they can be read there.
import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { examplePage, root, sourcePages } from "./places.mjs";

/**
 * @typedef {object} Token of markdown-it, as far as it is used here
 * @property {string} type
 * @property {Token[] | null} children
 * @property {string} content
 * @property {(name: string) => string | null} attrGet
 * @property {(name: string, value: string) => void} attrSet
 * @typedef {{ tokens: Token[], env: { relativePath?: string } }} State
 * @typedef {{ core: { ruler: { push: (name: string, rule: (state: State) => void) => void } },
 *   renderer: { rules: Record<string, ((tokens: Token[], index: number) => string) | undefined> },
 *   utils: { escapeHtml: (text: string) => string } }} MarkdownIt
 */

const ELSEWHERE = /^(?:[a-z][a-z\d+.-]*:|\/\/)/i;

/**
 * Where a link of a page leads on the site.
 *
 * @param {string} target as written
 * @param {string} source the file it is written in
 * @param {{ pages: Map<string, string>, repository: string }} options
 * @returns {string | undefined} undefined for a file that is not on the site, while there is no repository to link to
 */
export function linkOnSite(target, source, { pages, repository }) {
  if (ELSEWHERE.test(target) || target.startsWith("#")) return target;
  const [path = "", anchor] = target.split("#");
  const file = posix.join(posix.dirname(source), decodeURIComponent(path)).replace(/\/$/, "");
  const page = pages.get(file) ?? pages.get(`${file}/README.md`) ?? exampleOf(file);
  if (page !== undefined) return `/${page}${anchor === undefined ? "" : `#${anchor}`}`;
  if (!existsSync(join(root, file))) throw new Error(`${source} links to ${target}, which does not exist.`);
  return repository === "" ? undefined : `${repository}/blob/HEAD/${file}`;
}

/** @param {string} file */
function exampleOf(file) {
  if (file === "examples") return "examples/index.md";
  return /^examples\/[^/]+\.json$/.test(file) ? examplePage(file) : undefined;
}

/**
 * An image of a page: all of them are in `docs/images`, which is `images` on the site.
 *
 * @param {string} target
 * @param {string} source
 */
export function imageOnSite(target, source) {
  if (ELSEWHERE.test(target))
    throw new Error(`${source} shows ${target}: pages load nothing from other hosts.`);
  if (target.startsWith("/")) return target;
  const file = posix.join(posix.dirname(source), target);
  if (!file.startsWith("docs/images/"))
    throw new Error(`${source} shows ${target}, which is not in docs/images.`);
  return `/${file.slice("docs/".length)}`;
}

/**
 * Makes markdown-it rewrite links and images, and show `{{ }}` as it is written, which Vue would run.
 *
 * @param {MarkdownIt} md
 * @param {{ repository: string }} owner
 */
export function useRepositoryLinks(md, { repository }) {
  const pages = sourcePages();
  const sources = new Map([...pages].map(([file, page]) => [page, file]));
  md.core.ruler.push("repository-links", ({ tokens, env }) => {
    const source = sources.get(env.relativePath ?? "");
    if (source === undefined) return;
    for (const token of tokens) {
      if (token.type === "html_block") rewriteHtml(token, source);
      if (token.children) token.children = rewritten(token.children, source);
    }
  });
  const escaped = (/** @type {string} */ text) => md.utils.escapeHtml(text).replaceAll("{{", "&#123;&#123;");
  md.renderer.rules.text = (tokens, index) => escaped(tokens[index]?.content ?? "");
  md.renderer.rules.code_inline = (tokens, index) => `<code>${escaped(tokens[index]?.content ?? "")}</code>`;

  /** @param {Token[]} tokens @param {string} source */
  function rewritten(tokens, source) {
    let isDropped = false;
    return tokens.filter((token) => {
      if (token.type === "image") token.attrSet("src", imageOnSite(token.attrGet("src") ?? "", source));
      if (token.type === "html_inline") rewriteHtml(token, source);
      if (token.type === "link_close" && isDropped) {
        isDropped = false;
        return false;
      }
      if (token.type !== "link_open") return true;
      const target = linkOnSite(token.attrGet("href") ?? "", source, { pages, repository });
      isDropped = target === undefined;
      if (target !== undefined) token.attrSet("href", target);
      return !isDropped;
    });
  }

  /** @param {Token} token @param {string} source */
  function rewriteHtml(token, source) {
    token.content = token.content.replaceAll(
      /\b(src|srcset)="([^"]+)"/g,
      (_, name, target) => `${name}="${imageOnSite(target, source)}"`,
    );
  }
}
