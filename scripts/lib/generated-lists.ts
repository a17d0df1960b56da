// Modules that list what is in a folder, so that nobody has to: the field tables of the nodes. They
// are committed, because Node.js runs the sources without a build; the build writes them, and lint finds one that is not
// current. No bundler finds files for sources that also run without it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.mjs";

const read = (file: string) => (existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "");

/** In the order in which people see them. */
const listedNodes = () => Object.keys(JSON.parse(read("package.json"))["node-red"].nodes);

const LISTS: Readonly<Record<string, () => string>> = {
  "plugins/monitor/diagnostics/field-tables.generated.ts": () => {
    const tables = listedNodes().map((name) => ({
      name: camel(name),
      from: `../../../nodes/${name}/fields.ts`,
    }));
    const imports = tables.map(({ name, from }) => `import { NODE as ${name} } from "${from}";`);
    return list(imports, "NODES", tables);
  },
};

/** @returns whether something was written: what is current stays as it is, for those who watch it */
export function writeLists(): boolean {
  const old = Object.entries(LISTS).filter(([file, make]) => read(file) !== make());
  for (const [file, make] of old) writeFileSync(join(root, file), make());
  return old.length > 0;
}

/** What lint says: lists that are not current, and nodes that are in package.json or in a folder alone. */
export function listProblems(): string[] {
  const old = Object.entries(LISTS).filter(([file, make]) => read(file) !== make());
  const folders = readdirSync(join(root, "nodes"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "common")
    .map(({ name }) => name);
  const listed = listedNodes();
  return [
    ...old.map(([file]) => `${file} is not current: run "npm run build", and commit it.`),
    ...folders
      .filter((name) => !listed.includes(name))
      .map((name) => `package.json does not list nodes/${name}.`),
    ...listed
      .filter((name) => !folders.includes(name))
      .map((name) => `There is no nodes/${name}, which package.json lists.`),
  ];
}

function list(imports: readonly string[], name: string, entries: ReadonlyArray<{ name: string }>) {
  const names = entries.map((entry) => `  ${entry.name},`).join("\n");
  return `// The build writes this, from what is in the folders.\n${imports.join("\n")}\n\nexport const ${name} = [\n${names}\n] as const;\n`;
}

const camel = (name: string) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
