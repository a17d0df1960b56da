// npm run structure: measures how the code is cut: files, folders, exports, what is handed from function to function.
// No tool counts these for TypeScript 7, which has no compiler API: the sources are parsed by the older one of the service.
//
//   npm run structure              the table
//   npm run structure -- --list    also the places behind each number
import { parseArgs } from "node:util";
import { handToHand, takingRed } from "./structure/functions.ts";
import { linesOf, modulesIn, PRODUCTION, REST } from "./structure/modules.ts";
import { unusedExports, withOneImporter } from "./structure/uses.ts";

/** What a room may have at most. */
const LONG_FILE = 300;
const SMALL_FILE = 30;
const LARGE_FOLDER = 25;

const { values } = parseArgs({ options: { list: { type: "boolean", default: false } } });
const modules = modulesIn(PRODUCTION);
const all = [...modules, ...modulesIn(REST)];

const folders = sizesOf(modules);
const small = withOneImporter(modules, all).filter(({ lines }) => lines <= SMALL_FILE);
const unused = unusedExports(modules, all);
const red = takingRed(modules);
const chain = handToHand(modules, "folderLease");

row("production files", modules.length, []);
row(
  "lines",
  modules.reduce((sum, { lines }) => sum + lines, 0),
  [],
);
row("lines of scripts", linesOf("scripts"), []);
row(
  "largest flat folder",
  folders[0]?.files ?? 0,
  folders.filter(({ files }) => files > LARGE_FOLDER).map(({ folder, files }) => `${folder}: ${files}`),
);
row(
  `files over ${LONG_FILE} lines`,
  modules.filter(({ lines }) => lines > LONG_FILE).length,
  modules.filter(({ lines }) => lines > LONG_FILE).map(({ file, lines }) => `${file}: ${lines}`),
);
row(
  `files up to ${SMALL_FILE} lines with one importer`,
  small.length,
  small.map(({ file, importer }) => `${file} (${importer})`),
);
row(
  "exports used by nobody",
  unused.length,
  unused.map(({ file, name }) => `${file}: ${name}`),
);
row(
  "functions that take RED",
  red.length,
  red.map(({ file, line, name }) => `${file}:${line} ${name}`),
);
row("files with such functions", new Set(red.map(({ file }) => file)).size, []);
row("longest hand-to-hand of `folderLease`", chain.length, chain);

function row(what: string, number: number, places: readonly string[]) {
  process.stdout.write(`${String(number).padStart(7)}  ${what}\n`);
  if (values.list) for (const place of places) process.stdout.write(`           ${place}\n`);
}

function sizesOf(modules: readonly import("./structure/modules.ts").Module[]) {
  const sizes: Map<string, number> = new Map();
  for (const { file } of modules) {
    const folder = file.slice(0, file.lastIndexOf("/"));
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  }
  return [...sizes].map(([folder, files]) => ({ folder, files })).sort((a, b) => b.files - a.files);
}
