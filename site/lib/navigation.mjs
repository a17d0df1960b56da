// @ts-check
// The side bar, from the indexes that the documentation has anyway.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { examples } from "./examples.mjs";
import { examplePage, root, sourcePages } from "./places.mjs";

/** @typedef {{ text: string, link?: string, collapsed?: boolean, items?: Item[] }} Item */

const FIRST_LINK = /\[([^\]]+)\]\(([^)#\s]+\.md)\)/;
/** Pages of the root that are reached otherwise. */
const NOT_LISTED = ["README.md"];

/** @returns {Item[]} */
export function sidebar() {
  const pages = sourcePages();
  const guides = linesOf("docs/README.md", /^- /);
  const others = linesOf("docs/README.md", /^For /).flatMap((line) => linksIn(line));
  const isListed = new Set([...guides.flatMap((line) => linksIn(line)), ...others].map(({ link }) => link));
  const ofRoot = [...pages]
    .filter(
      ([file, page]) => !file.startsWith("docs/") && !NOT_LISTED.includes(file) && !isListed.has(`/${page}`),
    )
    .map(([file, page]) => ({ text: titleOf(file), link: `/${page}` }));
  return [
    {
      text: "Start here",
      items: [
        { text: "What it is", link: "/" },
        { text: "All guides", link: "/guides.md" },
      ],
    },
    { text: "Guides", items: guides.flatMap((line) => linksIn(line).slice(0, 1)) },
    {
      text: "Nodes",
      collapsed: true,
      items: linesOf("docs/nodes/README.md", /^\| \[/).flatMap((line) =>
        linksIn(line, "docs/nodes").slice(0, 1),
      ),
    },
    {
      text: "Examples",
      collapsed: true,
      items: [
        { text: "All examples", link: "/examples/" },
        ...examples().map(({ file, title }) => ({ text: title, link: `/${examplePage(file)}` })),
      ],
    },
    {
      text: "Programs and development",
      items: [{ text: "Library reference", link: "/reference/" }, ...others, ...ofRoot],
    },
  ];

  /** @param {string} line @param {string} [folder] @returns {Array<Item & { link: string }>} */
  function linksIn(line, folder = "docs") {
    return [...line.matchAll(new RegExp(FIRST_LINK, "g"))].flatMap(([, text = "", target = ""]) => {
      const page = pages.get(join(folder, target).replaceAll("\\", "/"));
      return page === undefined
        ? []
        : [{ text: text.replace(/^./, (c) => c.toUpperCase()), link: `/${page}` }];
    });
  }
}

/** @param {string} file @param {RegExp} kind */
function linesOf(file, kind) {
  return readFileSync(join(root, file), "utf8")
    .split(/\r?\n/)
    .filter((line) => kind.test(line));
}

/** @param {string} file */
function titleOf(file) {
  return /^# (.+)$/m.exec(readFileSync(join(root, file), "utf8"))?.[1]?.trim() ?? file;
}
