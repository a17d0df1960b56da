// @ts-check
// Which file of the repository is which page of the site.
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's own folder. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const site = join(root, "site");
/** Where the pages are collected before VitePress reads them. Git ignores it. */
export const pagesFolder = join(site, ".cache/pages");

/** Files outside `docs` and the root that are pages too, where they exist. */
const FURTHER = ["service/README.md", "containers/README.md"];

/**
 * Each page that is a file of the repository: its path there to its path on the site, both with slashes.
 *
 * @returns {Map<string, string>}
 */
export function sourcePages() {
  const guides = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((file) =>
    posix.join("docs", file.replaceAll("\\", "/")),
  );
  const ofRoot = readdirSync(root);
  const further = FURTHER.filter((file) => existsSync(join(root, file)));
  const files = [...guides, ...ofRoot, ...further].filter((file) => file.endsWith(".md")).sort();
  return new Map(files.map((file) => [file, pageOf(file)]));
}

/** @param {string} file */
function pageOf(file) {
  if (file === "README.md") return "index.md";
  // The index of the guides: the first page is the README of the project.
  if (file === "docs/README.md") return "guides.md";
  if (file.startsWith("docs/")) return file.slice("docs/".length).replace(/README\.md$/, "index.md");
  return file
    .toLowerCase()
    .replace(/\/readme\.md$/, ".md")
    .replaceAll("_", "-");
}

/** @param {string} file an example, such as `examples/01-quickstart.json` @returns {string} its page */
export const examplePage = (file) => file.replace(/\.json$/, ".md");

/** @returns {string[]} the examples, by their paths in the repository */
export function exampleFiles() {
  return readdirSync(join(root, "examples"))
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => `examples/${file}`);
}

/**
 * The path of the site on its host, from where the owner publishes the documentation.
 *
 * @param {{ homepage: string, repository: string }} owner
 */
export function baseOf({ homepage, repository }) {
  // A homepage inside the repository is its README, and not this site.
  if (homepage === "" || (repository !== "" && homepage.startsWith(repository))) return "/";
  const { pathname } = new URL(homepage);
  return pathname.endsWith("/") ? pathname : `${pathname}/`;
}
