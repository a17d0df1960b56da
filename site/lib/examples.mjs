// @ts-check
// A page for each example flow: its description, its picture, its nodes and its file.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { exampleFiles, examplePage, root } from "./places.mjs";

/** Pictures whose names are not those of the example. */
const PICTURES = new Map([["01-quickstart", "quickstart"]]);
const OWN_NODES = /^crec-(.+)$/;

/** @typedef {{ file: string, name: string, title: string, info: string, types: string[], picture?: string }} Example */

/** @returns {Example[]} */
export function examples() {
  return exampleFiles().map((file) => {
    /** @type {Array<{ type: string, label?: string, info?: string }>} */
    const flow = JSON.parse(readFileSync(join(root, file), "utf8"));
    const tab = flow.find(({ type }) => type === "tab");
    const name = basename(file, ".json");
    const picture = `images/${PICTURES.get(name) ?? name}.png`;
    return {
      file,
      name,
      title: tab?.label ?? name,
      info: tab?.info ?? "",
      types: [...new Set(flow.map(({ type }) => type))],
      ...(existsSync(join(root, "docs", picture)) ? { picture } : {}),
    };
  });
}

/** @param {Example} example @returns {string} its page */
function page({ file, title, info, types, picture }) {
  const nodes = new Set(readdirSync(join(root, "docs/nodes")));
  const own = types.flatMap((type) => {
    const name = OWN_NODES.exec(type)?.[1];
    return name !== undefined && nodes.has(`${name}.md`) ? [`[${name}](/nodes/${name}.md)`] : [];
  });
  const parts = [
    `# ${title}`,
    ...(picture === undefined ? [] : [`![The flow ${title}](/${picture})`]),
    info,
    "## The flow",
    `In the editor: **Import**, **Examples**, this package, \`${basename(file, ".json")}\`. Or import the file <a href="./${basename(file)}" download target="_self">${basename(file)}</a>.`,
    `Its nodes: ${own.join(", ")}.`,
  ];
  return `${parts.join("\n\n")}\n`;
}

/** @param {readonly Example[]} all @returns {string} */
function index(all) {
  const rows = all.map(({ file, name, title, info }) => {
    const first = info.split("\n", 1)[0]?.replaceAll("|", "\\|") ?? "";
    return `| ${name.slice(0, 2)} | [${title}](/${examplePage(file)}) | ${first} |`;
  });
  return `# Examples\n\nFlows to import. They are also in the editor, under **Import**, **Examples**.\n\n| | flow | |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
}

/** @returns {Map<string, string>} path on the site to text */
export function examplePages() {
  const all = examples();
  return new Map([
    ["examples/index.md", index(all)],
    ...all.map((example) => /** @type {[string, string]} */ ([examplePage(example.file), page(example)])),
  ]);
}
