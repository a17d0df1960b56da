// What must be true before a version is published, and no tool knows. Each check returns a sentence for each problem, with
// what to do. publint checks the files that package.json names beside those for Node-RED.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Owner } from "../lib/owner.mjs";
import { withWebLinks } from "../packing/links.ts";
import type { Manifest, PackageOfRepository } from "../packing/stage.ts";

/** Of the packed file of the nodes: a palette install on a small device. */
const MOST_BYTES = 1_400_000;
const DEPENDENCIES = [
  ...[
    "dependencies",
    "optionalDependencies",
    "peerDependencies",
    "bundleDependencies",
    "bundledDependencies",
  ],
];

/**
 * The section of a changelog about a version, without its heading, for the release on GitHub.
 *
 * @param changelog with a heading `## 1.2.3`, or `## 1.2.3 (2026-01-31)`, for each version
 * @returns Markdown
 * @throws {Error} when there is no such section, or nothing in it
 */
export function releaseNotes(changelog: string, version: string, owner: Owner): string {
  const text = sectionOf(changelog, version).text;
  return `${withWebLinks(text, { owner, version, folder: "" })}\n`;
}

export function changelogProblems(changelog: string, version: string): string[] {
  try {
    return /unreleased/i.test(sectionOf(changelog, version).title)
      ? [`CHANGELOG.md calls ${version} unreleased. Write the date of the release instead.`]
      : [];
  } catch (error) {
    return [(error as Error).message];
  }
}

function sectionOf(changelog: string, version: string) {
  const sections = changelog.replaceAll("\r\n", "\n").split(/^## /m).slice(1);
  const versions = sections.map((section) => /^\S+/.exec(section)?.[0] ?? "");
  const [title = "", ...lines] = sections[versions.indexOf(version)]?.split("\n") ?? [];
  if (title === "")
    throw new Error(
      `CHANGELOG.md has no section for ${version}, only for ${versions.join(", ")}. Add "## ${version}" with what has changed, or name another version.`,
    );
  const text = lines.join("\n").trim();
  if (text === "") throw new Error(`CHANGELOG.md says nothing about ${version}. List what has changed.`);
  return { title, text };
}

export function sizeProblems({ size, filename }: { size: number; filename: string }): string[] {
  if (size <= MOST_BYTES) return [];
  const [is, most] = [size, MOST_BYTES].map((bytes) => `${(bytes / 1e6).toFixed(2)} MB`);
  return [
    `${filename} has ${is}, the most is ${most}. Make dist/ or examples/ smaller: tar -tzvf shows each file.`,
  ];
}

/** @param manifest of the nodes or of the client */
export function dependencyProblems(manifest: Pick<Manifest, "name"> & Record<string, unknown>): string[] {
  return DEPENDENCIES.flatMap((kind) => {
    const names = Object.keys(manifest[kind] ?? {}).join(", ");
    return names === ""
      ? []
      : [
          `The package.json of ${manifest.name} has ${kind}: ${names}. Make them devDependencies, which the build bundles.`,
        ];
  });
}

export function versionProblems(packages: readonly PackageOfRepository[]): string[] {
  const versions = packages.map(
    ({ folder, manifest }) => `${join(folder, "package.json")} has ${manifest.version}`,
  );
  const isOne = new Set(packages.map(({ manifest }) => manifest.version)).size === 1;
  return isOne
    ? []
    : [`The packages have different versions: ${versions.join(", ")}. Write the same in all.`];
}

export function privateProblems(packages: readonly PackageOfRepository[]): string[] {
  const marked = packages.filter(({ manifest }) => manifest.private);
  return marked.map(
    ({ folder }) => `${join(folder, "package.json")} says "private": npm would refuse it. Remove that line.`,
  );
}

/** @param folder of the files as they are packed. @returns what Node-RED or a person would not find */
export function missingFileProblems(folder: string, manifest: Manifest): string[] {
  const { nodes, plugins } = manifest["node-red"] ?? {};
  const named = Object.values({ ...nodes, ...plugins });
  return [...named, "README.md", "LICENSE"]
    .filter((file) => !existsSync(join(folder, file)))
    .map((file) => `${manifest.name} has no ${file} in it. Build it, or correct package.json.`);
}
