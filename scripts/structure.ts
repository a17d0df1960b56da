// npm run structure: measures how the code is cut: files, folders, exports, what is handed from function to function.
// No tool counts these for TypeScript 7, which has no compiler API: the sources are parsed by the older one of the service.
//
//   npm run structure              the table
//   npm run structure -- --list    also the places behind each number
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import ts from "../service/node_modules/typescript/lib/typescript.js";
import { root } from "./lib/paths.mjs";
import { callsOf, handToHand } from "./structure/functions.ts";
import { exportsOf, type Import, importsOf } from "./structure/imports.ts";

export type Module = { file: string; lines: number; source: ts.SourceFile; imports: Import[] };

/** What users run, and what else uses it. */
const PRODUCTION = ["src", "nodes", "plugins", "rehearsal", "service/src"];
const REST = ["test", "service/test", "service/scripts", "bench", "scripts", "site/lib", "containers"];
/** What others than modules load, by name: Node-RED, a command, a program, a worker, a browser, the build. */
const ENTRIES =
  /^(?:src\/(?:testing\/)?index\.ts|nodes\/[^/]+\/(?:node|editor|editor\/index)\.ts|nodes\/common\/(?:build\/.*|node-version|editor\/node-form)\.ts|plugins\/([^/]+)\/\1\.ts|plugins\/[^/]+\/editor\/index\.ts|service\/src\/(?:cli|index|start\/\w+)\.ts|service\/src\/page\/.*|rehearsal\/(?:child|cli)\/main\.ts|rehearsal\/parent\/report-worker\.ts)$/;
/** What a room may have at most. */
const [LONG_FILE, SMALL_FILE, LARGE_FOLDER] = [300, 30, 25];

const modules = PRODUCTION.flatMap(modulesIn);
const all = [...modules, ...REST.flatMap(modulesIn)];

/** Where the names of a module are imported. */
const importersOf = Map.groupBy(
  all.flatMap(({ file, imports }) => imports.map((one) => ({ ...one, importer: file }))),
  ({ target }) => target,
);
const folders = Map.groupBy(modules, ({ file }) => posix.dirname(file));
const sizes = [...folders].map(([folder, { length }]) => ({ folder, length }));
const inProduction = new Set(modules.map(({ file }) => file));
const small = modules.flatMap(({ file, lines }) => {
  const known = importersOf.get(file)?.filter(({ importer }) => inProduction.has(importer)) ?? [];
  const importers = new Set(known.map(({ importer }) => importer));
  return lines <= SMALL_FILE && importers.size === 1 ? [`${file} (${[...importers]})`] : [];
});
const unused = modules
  .filter(({ file }) => !ENTRIES.test(file))
  .flatMap(({ file, source }) => {
    const uses = importersOf.get(file) ?? [];
    if (uses.some(({ names }) => names === "all")) return [];
    const used = new Set(uses.flatMap(({ names }) => names));
    return exportsOf(source).flatMap((name) => (used.has(name) ? [] : [`${file}: ${name}`]));
  });
const functions = modules.flatMap(callsOf);
const red = functions.filter(({ takes }) => takes.has("RED"));
const long = modules.filter(({ lines }) => lines > LONG_FILE);
const chain = handToHand(functions, "folderLease");
const large = sizes.filter(({ length }) => length > LARGE_FOLDER).sort((a, b) => b.length - a.length);

row("production files", modules.length);
row(
  "lines",
  modules.reduce((sum, { lines }) => sum + lines, 0),
);
row(
  "lines of scripts",
  filesIn("scripts").reduce((sum, file) => sum + linesOf(file), 0),
);
row(
  "largest flat folder",
  Math.max(...sizes.map(({ length }) => length)),
  large.map(({ folder, length }) => `${folder}: ${length}`),
);
row(
  `files over ${LONG_FILE} lines`,
  long.length,
  long.map(({ file, lines }) => `${file}: ${lines}`),
);
row(`files up to ${SMALL_FILE} lines with one importer`, small.length, small);
row("exports used by nobody", unused.length, unused);
row(
  "functions that take RED",
  red.length,
  red.map(({ file, line, name }) => `${file}:${line} ${name}`),
);
row("files with such functions", new Set(red.map(({ file }) => file)).size);
row("longest hand-to-hand of `folderLease`", chain.length, chain);

function row(what: string, number: number, places: readonly string[] = []) {
  process.stdout.write(`${String(number).padStart(7)}  ${what}\n`);
  if (process.argv.includes("--list"))
    for (const place of places) process.stdout.write(`           ${place}\n`);
}

function modulesIn(folder: string): Module[] {
  return filesIn(folder)
    .filter((file) => /\.(?:m?ts|m?js)$/.test(file))
    .map((file) => {
      const text = readFileSync(join(root, file), "utf8");
      const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
      return { file, lines: linesOf(file), source, imports: importsOf(source, file) };
    });
}

function filesIn(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((file) => !file.includes("node_modules/"));
}

function linesOf(file: string) {
  return readFileSync(join(root, file), "utf8").split("\n").length - 1;
}
