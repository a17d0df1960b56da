// Whether each link of a package leads somewhere: what people read of it has left the repository.
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import type { Owner } from "../lib/owner.mjs";
import { root } from "../lib/paths.mjs";
import { anchorsOf, pathAt, targetsOf } from "../packing/links.ts";

export type Page = { file: string; text: string };

/** Addresses of others that the texts may name. They are not asked. */
const KNOWN = [
  /^http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?(?:\/|$)/,
  /^https:\/\/(?:[\w-]+\.)*(?:getfoundry\.sh|nodejs\.org|nodered\.org|npmjs\.com)(?:\/|$)/,
];

/** @param folder of the files as they are packed. @returns a sentence for each link that leads nowhere */
export async function linkProblems(
  folder: string,
  { owner, version }: { owner: Owner; version: string },
): Promise<string[]> {
  const problems = [];
  for (const { file, text } of await pagesOf(folder)) {
    for (const target of targetsOf(text)) {
      const problem = await problemOf(target, { folder, file, text, owner, version });
      if (problem !== undefined) problems.push(`${file}: the link ${target} ${problem}`);
    }
  }
  return problems;
}

/** Markdown files, the help in the forms and in their translations, and the descriptions in the examples. */
async function pagesOf(folder: string): Promise<Page[]> {
  const pages: Page[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(?:md|html|json)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const file = posix.normalize(path.slice(folder.length + 1).replaceAll("\\", "/"));
    const text = await readFile(path, "utf8");
    if (file.endsWith(".md")) pages.push({ file, text });
    else if (file.endsWith(".html")) pages.push({ file, text: withoutPrograms(text) });
    else if (file.startsWith("examples/")) pages.push({ file, text: descriptionsOf(text) });
  }
  return pages;
}

const withoutPrograms = (html: string) =>
  html.replaceAll(/<script\b[^>]*type="text\/javascript"[^>]*>[\s\S]*?<\/script>/g, "");

const descriptionsOf = (flows: string) =>
  JSON.parse(flows)
    .map(({ info }: { info?: unknown }) => (typeof info === "string" ? info : ""))
    .join("\n\n");

async function problemOf(
  target: string,
  { folder, file, text, owner, version }: Page & { folder: string; owner: Owner; version: string },
): Promise<string | undefined> {
  if (target.startsWith("#")) {
    return anchorsOf(text).includes(target.slice(1)) ? undefined : "names a heading that does not exist.";
  }
  if (!/^[a-z][a-z\d+.-]*:/i.test(target)) {
    const path = posix.join(posix.dirname(file), target.split("#")[0] ?? "");
    if (existsSync(join(folder, path)) && !path.startsWith("..")) return undefined;
    return "is not in the package. Link to a file of the repository, so that packing makes an address of it.";
  }
  const path = pathAt(owner, version, target);
  if (path !== undefined) return inRepository(path);
  if (owner.homepage !== "" && target.startsWith(owner.homepage)) return undefined;
  if (KNOWN.some((known) => known.test(target))) return undefined;
  return "is neither an address of the owner's nor a known one. Correct it, or add its host to scripts/release/link-problems.ts.";
}

/** @param path perhaps with an anchor */
async function inRepository(path: string): Promise<string | undefined> {
  const [file = "", anchor] = path.split("#");
  if (!existsSync(join(root, file))) return "leads to a file that is not in the repository.";
  if (anchor === undefined) return undefined;
  const anchors = anchorsOf(await readFile(join(root, file), "utf8"));
  return anchors.includes(anchor) ? undefined : "names a heading that does not exist.";
}
