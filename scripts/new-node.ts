// npm run new-node NAME: the files of a new node, which finds networks until you change what it does. CONTRIBUTING.md
// says what to do with them. No generator makes nodes with a table of fields.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeLists } from "./lib/generated-lists.ts";
import { root } from "./lib/paths.mjs";
import { readJson } from "./lib/read-json.mjs";

const TEMPLATES = join(root, "scripts/templates/node");
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
/** The folder and the namespace of texts that all nodes share. */
const RESERVED = ["common"];

/**
 * Writes the files of a new node, and adds it to `package.json` and so to the list of field tables.
 *
 * @param name such as `gas-price`; the node's type is then `crec-gas-price`
 * @returns the files, by their paths from the root
 * @throws {Error} when the name is missing, wrong or taken
 */
export async function newNode(name: string): Promise<string[]> {
  checkName(name);
  const number = await nextNumber();
  const files = {
    "fields.ts": `nodes/${name}/fields.ts`,
    "node.ts": `nodes/${name}/node.ts`,
    "catalog.json": `nodes/${name}/locales/en-US/${name}.json`,
    "help.md": `nodes/${name}/locales/en-US/${name}.md`,
    "icon.svg": `icons/${name}.svg`,
    "example.json": `examples/${number}-${name}.json`,
    "test.ts": `test/examples/${number}-${name}.test.ts`,
  };
  const taken = Object.values(files).find((file) => existsSync(join(root, file)));
  if (taken) throw new Error(`There is a file ${taken}: choose another name, or remove it.`);
  for (const [template, file] of Object.entries(files)) {
    const text = await readFile(join(TEMPLATES, `${template}.template`), "utf8");
    await mkdir(dirname(join(root, file)), { recursive: true });
    const filled = filledIn(text, name, number);
    // The template has a line for each node of the flow.
    const isFlow = template === "example.json";
    await writeFile(join(root, file), isFlow ? `${JSON.stringify(JSON.parse(filled), null, 2)}\n` : filled);
  }
  await register(name);
  writeLists();
  return [...Object.values(files), "package.json", "plugins/monitor/diagnostics/field-tables.generated.ts"];
}

function checkName(name: string) {
  if (name === "") throw new Error('Give the node a name, such as "npm run new-node gas-price".');
  if (!NAME.test(name)) {
    throw new Error(
      `A node cannot be called "${name}". Use lower-case letters, digits and single hyphens, and start with a letter, such as gas-price.`,
    );
  }
  if (RESERVED.includes(name)) {
    throw new Error(`A node cannot be called "${name}": all nodes share that name. Choose another one.`);
  }
  if (existsSync(join(root, "nodes", name))) {
    throw new Error(`There is a node "${name}". Choose another name, or change the files in nodes/${name}.`);
  }
}

/** The examples are numbered without a gap, from 00. */
async function nextNumber() {
  const files = (await readdir(join(root, "examples"))).filter((file) => file.endsWith(".json"));
  return String(files.length).padStart(2, "0");
}

/** @param number of the example */
function filledIn(template: string, name: string, number: string) {
  return template
    .replaceAll("{{name}}", name)
    .replaceAll("{{Name}}", pascal(name))
    .replaceAll("{{title}}", name.split("-").join(" "))
    .replaceAll("{{number}}", number)
    .replaceAll(/\{\{id:(\w+)\}\}/g, (_, node) => idOf(name, node));
}

function pascal(name: string) {
  return name
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

/** An id as Node-RED makes them. No two examples may have the same. */
function idOf(name: string, node: string) {
  return createHash("sha256").update(`${name}/${node}`).digest("hex").slice(0, 16);
}

async function register(name: string) {
  const file = join(root, "package.json");
  const content = await readJson(file);
  content["node-red"].nodes[name] = `dist/nodes/${name}.js`;
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const files = await newNode(process.argv[2] ?? "");
    // How lines break depends on the length of the name.
    const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
    const code = files.filter((file) => /\.(?:ts|json)$/.test(file) && !file.includes(".generated."));
    execFileSync(process.execPath, [biome, "check", "--write", ...code], { cwd: root, stdio: "pipe" });
    const list = files.map((file) => `  ${file}\n`).join("");
    process.stdout.write(
      `Made the node crec-${process.argv[2]}:\n${list}Change what it does, then run "npm run docs", and "npm run screenshots" for its picture.\n`,
    );
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
