// Links and pictures of Markdown texts, and where the files of the repository are on the web, at the tag of a version: what a
// package says is read without the repository, and no tool rewrites it for npm.
import { posix } from "node:path";
import type { Owner } from "../lib/owner.mjs";

/** `text` is that of the link, or what a picture has for those who do not see it. */
type Link = { isImage: boolean; text: string; target: string };

const LINK = /(!?)\[((?:[^[\]]|\[[^[\]]*\])*)\]\(([^()\s]+)\)/g;
/** Written as HTML, or as an address in angle brackets. */
const OTHER = /<(?:img|a)\b[^>]*?\b(?:src|href)=["']([^"']+)["']|<(https?:[^>\s]+)>/g;
const CODE = /```[\s\S]*?```|`[^`\n]*`/g;

/** Replaces links, except in code. */
export function replaceLinks(text: string, replace: (link: Link) => string): string {
  const code: string[] = [];
  // A link may have code in its text.
  const masked = text.replaceAll(CODE, (found) => `\uE000${code.push(found) - 1}\uE001`);
  const replaced = masked.replaceAll(LINK, (_all, mark, label, target) =>
    replace({ isImage: mark === "!", text: label, target }),
  );
  return replaced.replaceAll(/\uE000(\d+)\uE001/g, (_all, index) => code[Number(index)] ?? "");
}

/** Where the links and pictures of a text lead. */
export function targetsOf(text: string): string[] {
  const targets: string[] = [];
  replaceLinks(text, ({ target }) => {
    targets.push(target);
    return "";
  });
  for (const [, quoted, bracketed] of text.replaceAll(CODE, "").matchAll(OTHER)) {
    targets.push(quoted ?? bracketed ?? "");
  }
  return targets;
}

/** The anchors of a page's headings, as GitHub and npm make them. */
export function anchorsOf(text: string): string[] {
  const headings = text.replaceAll(/```[\s\S]*?```/g, "").matchAll(/^#+ +(.+)$/gm);
  return [...headings].map(([, heading = ""]) => anchorOf(heading));
}

export function anchorOf(heading: string) {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

type Repository = Pick<Owner, "repository">;

/** @returns `owner/name` */
export function repositoryName({ repository }: Repository): string | undefined {
  return /^https:\/\/github\.com\/([\w-]+\/[\w.-]+)$/.exec(repository)?.[1];
}

/** @returns where a file of the repository is; undefined while the owner has not named the repository */
function addressOf(owner: Repository, version: string, path: string, isImage: boolean): string | undefined {
  const name = repositoryName(owner);
  // A page of GitHub shows a folder too, but is no picture.
  const start = isImage ? `https://raw.githubusercontent.com/${name}` : `https://github.com/${name}/blob`;
  return name && `${start}/v${version}/${path}`;
}

/** The path in the repository that an address of a text leads to. */
export function pathAt(owner: Repository, version: string, address: string): string | undefined {
  const starts = [true, false].flatMap((isImage) => addressOf(owner, version, "", isImage) ?? []);
  const start = starts.find((one) => address.startsWith(one));
  return start && address.slice(start.length);
}

/** The index of the guides: where they are published as pages, those are meant. */
const GUIDES = "docs/README.md";

/**
 * Makes addresses of links to files of the repository.
 *
 * @param text Markdown
 * @param of `folder` is where the text is in the repository
 * @returns Without an address of the owner's a link is its text, and a picture is left out.
 */
export function withWebLinks(
  text: string,
  { owner, version, folder }: { owner: Owner; version: string; folder: string },
): string {
  const replaced = replaceLinks(text, ({ isImage, text: label, target }) => {
    const mark = isImage ? "!" : "";
    if (/^(?:[a-z][a-z\d+.-]*:|#)/i.test(target)) return `${mark}[${label}](${target})`;
    const path = posix.join(folder, target);
    const published = path === GUIDES ? owner.homepage : "";
    const address = published || addressOf(owner, version, path, isImage);
    if (address !== undefined) return `${mark}[${label}](${address})`;
    return isImage ? "" : label;
  });
  return replaced.replaceAll(/\n{3,}/g, "\n\n");
}
