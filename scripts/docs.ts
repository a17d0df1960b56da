// npm run docs: generates docs/nodes/, one page for each node, from the help of the editor; docs/lifecycles.md;
// and the contacts in SECURITY.md and CODE_OF_CONDUCT.md, from release/owner.json. No tool reads a help of Node-RED.
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  OPERATION_TRANSITIONS,
  QUERY_TRANSITIONS,
  WALLET_TRANSITIONS,
  WATCHER_TRANSITIONS,
} from "../src/protocol/statuses.ts";
import { type Owner, readOwner } from "./lib/owner.mjs";
import { root } from "./lib/paths.mjs";

const folder = join(root, "docs/nodes");
/** A connection is in every example: a list of all of them would be too long. */
const MOST_EXAMPLES = 4;

/** The pages at the root that have a contact. */
export const PAGES_WITH_CONTACT = ["SECURITY.md", "CODE_OF_CONDUCT.md"];

const MISSING = "is not filled in yet: the owner of the project writes it into `release/owner.json`";

const SENTENCES: Readonly<Record<string, (owner: Owner) => string>> = {
  security: ({ securityContact, repository }) =>
    [
      "Report it in private, never in a public issue.",
      securityContact === "" ? `The contact ${MISSING}.` : `Write to ${linked(securityContact)}.`,
      repository === ""
        ? "On GitHub, *Report a vulnerability* under *Security* of the repository does the same, if it is turned on."
        : `On GitHub, [report a vulnerability](${repository}/security/advisories/new) does the same.`,
    ].join(" "),
  conduct: ({ conductContact }) =>
    conductContact === "" ? `The contact for reports ${MISSING}.` : `Write to ${linked(conductContact)}.`,
};

type Transition = { from: readonly string[]; to: string; by: string; when: string };

type NodeDoc = {
  name: string;
  title: string;
  isConfig: boolean;
  help: string;
  examples: string[];
  hasPicture: boolean;
};

/** All pages of docs/nodes. @returns file name in `docs/nodes` to text */
export async function pages(): Promise<Map<string, string>> {
  const listed = JSON.parse(await readFile(join(root, "package.json"), "utf8"))["node-red"].nodes;
  const examples = await exampleFlows();
  const nodes = await Promise.all(Object.keys(listed).map((name) => read(name, examples)));
  return new Map([["README.md", index(nodes)], ...nodes.map((node) => page(node))]);
}

/** @returns the node types of each example */
async function exampleFlows(): Promise<Array<{ file: string; types: Set<string> }>> {
  const files = (await readdir(join(root, "examples"))).filter((file) => file.endsWith(".json")).sort();
  return Promise.all(
    files.map(async (file) => {
      const flows: Array<{ type: string }> = JSON.parse(await readFile(join(root, "examples", file), "utf8"));
      return { file, types: new Set(flows.map(({ type }) => type)) };
    }),
  );
}

async function read(name: string, examples: Array<{ file: string; types: Set<string> }>): Promise<NodeDoc> {
  const locales = join(root, "nodes", name, "locales/en-US");
  const texts = JSON.parse(await readFile(join(locales, `${name}.json`), "utf8"))[name];
  return {
    name,
    // The name in the palette, which has no config nodes: they have a title.
    title: texts.palette ?? texts.title ?? name,
    isConfig: texts.palette === undefined,
    help: (await readFile(join(locales, `${name}.md`), "utf8")).trim(),
    examples: examples.filter(({ types }) => types.has(`crec-${name}`)).map(({ file }) => file),
    hasPicture: existsSync(join(root, "docs/images", `${name}.png`)),
  };
}

/** @returns file name and text */
function page({ name, title, isConfig, help, examples, hasPicture }: NodeDoc): [string, string] {
  const shown = examples.slice(0, MOST_EXAMPLES);
  const links = shown.map((file) => `[${file.replace(/\.json$/, "")}](../../examples/${file})`);
  const more = examples.length > shown.length ? ` and ${examples.length - shown.length} more` : "";
  const parts = [
    `<!-- Made from nodes/${name}/locales/en-US/${name}.md by "npm run docs". Change the help there. -->`,
    `# ${title}`,
    // Headings in the help are one level lower.
    help.replaceAll(/^#(#+ )/gm, "$1"),
    "## In the editor",
    ...(hasPicture ? [`![The form of ${title}](../images/${name}.png)`] : []),
    `Node type: \`crec-${name}\`${isConfig ? ", shared by other nodes" : ""}.`,
    ...(links.length > 0 ? [`Used in the examples ${links.join(", ")}${more}.`] : []),
    "[All nodes](README.md) · [Glossary](../glossary.md) · [Errors by code](../errors.md)",
  ];
  return [`${name}.md`, `${parts.join("\n\n")}\n`];
}

function index(nodes: NodeDoc[]) {
  const parts = [
    '<!-- Made by "npm run docs". -->',
    "# The nodes",
    "What the help sidebar of the editor says, one page a node. This project is independent of Chainlink.",
    "## In the palette",
    table(nodes.filter(({ isConfig }) => !isConfig)),
    "## Shared by the others",
    "These are in no palette: they are made and chosen in the forms of the nodes above.",
    table(nodes.filter(({ isConfig }) => isConfig)),
    "[All guides](../README.md)",
  ];
  return `${parts.join("\n\n")}\n`;
}

function table(nodes: NodeDoc[]) {
  const rows = nodes.map(({ name, title, help }) => `| [${title}](${name}.md) | ${help.split("\n", 1)[0]} |`);
  return ["| node | |", "| --- | --- |", ...rows].join("\n");
}

/** docs/lifecycles.md, made from the tables of statuses that the local service uses. */
export function lifecyclesPage(): string {
  const parts = [
    '<!-- Made from src/protocol/statuses.ts by "npm run docs". Change the tables there. -->',
    "# Lifecycles",
    "All changes of a status. The local service changes the status of its resources by these tables, and the waits of the library and the nodes use them to find out which statuses can still be reached. Each change emits one event of the type below; both are stored in one transaction. A status that is in no table is from a newer service: it is passed on, and does not end a wait.",
    section("Watcher", "watcher.status", WATCHER_TRANSITIONS),
    "The resource shows `archive_failed` as `failed`; the event names it. The reason of a failure is in the event.",
    section("Wallet", "wallet.status", WALLET_TRANSITIONS),
    "Its events appear in the channel of `status_channel_id`, if that is set.",
    section("Operation", "operation.status", OPERATION_TRANSITIONS),
    "On a network that reports only `latest`, an operation ends at `confirmed_latest`. If the chain replaces the block of an operation, the same transaction is sent again; the status never goes back.",
    section("Query", "query.status", QUERY_TRANSITIONS),
    "[All guides](README.md) · [Errors by code](errors.md)",
  ];
  return `${parts.join("\n\n")}\n`;
}

function section(title: string, event: string, transitions: readonly Transition[]) {
  const ends = [...new Set(transitions.map(({ to }) => to))].filter(
    (status) => !transitions.some(({ from }) => from.includes(status)),
  );
  const rows = transitions.map(
    ({ from, to, by, when }) =>
      `| ${from.length > 0 ? names(from) : "(new)"} | ${names([to])} | ${by} | ${when} |`,
  );
  return [
    `## ${title}`,
    "",
    `Event: \`${event}\`. Final: ${names(ends)}.`,
    "",
    "| from | to | changed by | when |",
    "| --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

function names(statuses: readonly string[]) {
  return statuses.map((status) => `\`${status}\``).join(", ");
}

/** @param contact a mail address, or the address of a page */
function linked(contact: string) {
  return contact.includes("@") && !contact.includes("/") ? `[${contact}](mailto:${contact})` : `<${contact}>`;
}

/** A page with the contacts between its markers. */
export function withContacts(page: string, owner: Owner): string {
  return page.replaceAll(
    /(<!-- contact:(\w+) -->\n)[\s\S]*?(<!-- \/contact -->)/g,
    (_all, start, kind, end) => `${start}${SENTENCES[kind]?.(owner)}\n${end}`,
  );
}

async function write() {
  const wanted = await pages();
  await mkdir(folder, { recursive: true });
  for (const file of await readdir(folder)) if (!wanted.has(file)) await rm(join(folder, file));
  for (const [file, text] of wanted) await writeFile(join(folder, file), text);
  await writeFile(join(root, "docs/lifecycles.md"), lifecyclesPage());
  const owner = await readOwner();
  for (const file of PAGES_WITH_CONTACT) {
    const path = join(root, file);
    await writeFile(path, withContacts(await readFile(path, "utf8"), owner));
  }
  const others = ["docs/lifecycles.md", ...PAGES_WITH_CONTACT].join(", ");
  process.stdout.write(`wrote ${wanted.size} pages to docs/nodes, and ${others}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await write();
