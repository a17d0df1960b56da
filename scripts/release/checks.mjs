// @ts-check
// What must be true before a version is published. Each check returns a sentence for each problem, with what to do.
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** @typedef {Record<string, any>} Manifest */

/** Of the packed file of the nodes: a palette install on a small device. */
const MOST_BYTES = 1_400_000;
const DEPENDENCIES = [
  "dependencies",
  "optionalDependencies",
  "peerDependencies",
  "bundleDependencies",
  "bundledDependencies",
];

/**
 * @param {string} changelog
 * @param {string} version
 * @returns {string[]}
 */
export function changelogProblems(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
  if (section === undefined) {
    return [`CHANGELOG.md has no section for ${version}. Add "## ${version}" with what has changed.`];
  }
  const [title = "", ...lines] = section.split("\n");
  const problems = [];
  if (/unreleased/i.test(title)) {
    problems.push(`CHANGELOG.md calls ${version} unreleased. Write the date of the release instead.`);
  }
  if (lines.join("").trim() === "") {
    problems.push(`CHANGELOG.md says nothing about ${version}. List what has changed.`);
  }
  return problems;
}

/**
 * @param {{ size: number, filename: string }} packed
 * @returns {string[]}
 */
export function sizeProblems({ size, filename }) {
  if (size <= MOST_BYTES) return [];
  const [is, most] = [size, MOST_BYTES].map((bytes) => `${(bytes / 1e6).toFixed(2)} MB`);
  return [
    `${filename} has ${is}, the most is ${most}. Make dist/ or examples/ smaller: tar -tzvf shows each file.`,
  ];
}

/**
 * @param {Manifest} manifest of the nodes or of the client
 * @returns {string[]}
 */
export function dependencyProblems(manifest) {
  return DEPENDENCIES.filter((kind) => Object.keys(manifest[kind] ?? {}).length > 0).map(
    (kind) =>
      `The package.json of ${manifest.name} has ${kind}: ${Object.keys(manifest[kind]).join(", ")}. Make them devDependencies, which the build bundles.`,
  );
}

/**
 * @param {ReadonlyArray<{ folder: string, manifest: Manifest }>} packages
 * @returns {string[]}
 */
export function versionProblems(packages) {
  const versions = packages.map(
    ({ folder, manifest }) => `${join(folder, "package.json")} has ${manifest.version}`,
  );
  const isOne = new Set(packages.map(({ manifest }) => manifest.version)).size === 1;
  return isOne
    ? []
    : [`The packages have different versions: ${versions.join(", ")}. Write the same in all.`];
}

/**
 * @param {ReadonlyArray<{ folder: string, isPrivate: boolean }>} packages
 * @returns {string[]}
 */
export function privateProblems(packages) {
  return packages
    .filter(({ isPrivate }) => isPrivate)
    .map(
      ({ folder }) =>
        `${join(folder, "package.json")} says "private": npm would refuse it. Remove that line.`,
    );
}

/**
 * @param {string} folder of the files as they are packed
 * @param {Manifest} manifest
 * @returns {Promise<string[]>} what package.json names and the package does not have
 */
export async function missingFileProblems(folder, manifest) {
  const files = new Set(
    (await readdir(folder, { recursive: true })).map((file) => file.replaceAll("\\", "/")),
  );
  const { nodes = {}, plugins = {} } = manifest["node-red"] ?? {};
  const named = [
    manifest.main,
    manifest.module,
    manifest.types,
    ...filesOf(manifest.exports),
    ...Object.values(manifest.bin ?? {}),
    ...Object.values(nodes),
    ...Object.values(plugins),
    "README.md",
    "LICENSE",
  ];
  return named
    .filter((file) => file !== undefined && !files.has(file.replace(/^\.\//, "")))
    .map((file) => `${manifest.name} has no ${file} in it. Build it, or correct package.json.`);
}

/**
 * @param {unknown} exports of package.json, or a part of them
 * @returns {string[]}
 */
function filesOf(exports) {
  if (typeof exports === "string") return [exports];
  return Object.values(exports ?? {}).flatMap(filesOf);
}
