// @ts-check
import { withWebLinks } from "../packing/web-links.mjs";

/**
 * The section of a changelog about a version, without its heading.
 *
 * @param {string} changelog with a heading `## 1.2.3`, or `## 1.2.3 (2026-01-31)`, for each version
 * @param {string} version
 * @param {import("../lib/owner.mjs").Owner} owner
 * @returns {string} Markdown
 * @throws {Error} when there is no such section, or nothing in it
 */
export function releaseNotes(changelog, version, owner) {
  const sections = changelog.replaceAll("\r\n", "\n").split(/^## /m).slice(1);
  const versions = sections.map((section) => /^\S+/.exec(section)?.[0] ?? "");
  const section = sections[versions.indexOf(version)];
  if (section === undefined) {
    throw new Error(
      `CHANGELOG.md has no section for ${version}, only for ${versions.join(", ")}. Add one, or name another version.`,
    );
  }
  const text = section.slice(section.indexOf("\n")).trim();
  if (text === "") throw new Error(`CHANGELOG.md says nothing about ${version}. List what has changed.`);
  return `${withWebLinks(text, { owner, version, folder: "" })}\n`;
}
