// The modules of the repository, parsed.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import ts from "../../service/node_modules/typescript/lib/typescript.js";
import { root } from "../lib/paths.mjs";

export type SourceFile = ts.SourceFile;
/** `file` from the root */
export type Module = { file: string; lines: number; source: SourceFile; imports: Import[] };
/** `names` as the target exports them */
type Import = { target: string; names: readonly string[] | "all" };

/** What users run. */
export const PRODUCTION = ["src", "nodes", "plugins", "rehearsal", "service/src"];
/** What else uses it. */
export const REST = ["test", "service/test", "service/scripts", "bench", "scripts", "site/lib", "containers"];

export function modulesIn(folders: readonly string[]): Module[] {
  return folders.flatMap((folder) =>
    filesIn(folder)
      .filter((file) => /\.(?:m?ts|m?js)$/.test(file))
      .map(moduleOf),
  );
}

/** All lines of a folder. */
export function linesOf(folder: string): number {
  return filesIn(folder).reduce((sum, file) => sum + countLines(readFileSync(join(root, file), "utf8")), 0);
}

function filesIn(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((file) => !file.includes("node_modules/"));
}

function moduleOf(file: string): Module {
  const text = readFileSync(join(root, file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return { file, lines: countLines(text), source, imports: importsOf(source, file) };
}

function countLines(text: string) {
  return text.split("\n").length - 1;
}

function importsOf(source: SourceFile, file: string): Import[] {
  const imports: Import[] = [];
  const add = (specifier: ts.Node | undefined, names: Import["names"]) => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier) || !specifier.text.startsWith("."))
      return;
    imports.push({ target: posix.join(posix.dirname(file), specifier.text), names });
  };
  const visit = (node: ts.Node) => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, importedNames(node.importClause));
    if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, exportedNames(node.exportClause));
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], namesTakenFrom(node));
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node.argument.literal, node.qualifier ? [node.qualifier.getText().split(".")[0] ?? ""] : "all");
    ts.forEachChild(node, visit);
  };
  visit(source);
  // Types in comments of JavaScript.
  for (const [, specifier = "", name] of source.text.matchAll(/\bimport\("(\.[^"]+)"\)(?:\.(\w+))?/g)) {
    if (/\.m?js$/.test(file))
      imports.push({ target: posix.join(posix.dirname(file), specifier), names: name ? [name] : "all" });
  }
  return imports;
}

function importedNames(clause: ts.ImportClause | undefined): Import["names"] {
  if (clause === undefined) return [];
  const { name, namedBindings } = clause;
  if (namedBindings && ts.isNamespaceImport(namedBindings)) return "all";
  const named = namedBindings?.elements.map((one) => (one.propertyName ?? one.name).text) ?? [];
  return name ? ["default", ...named] : named;
}

function exportedNames(clause: ts.NamedExportBindings | undefined): Import["names"] {
  if (clause === undefined || !ts.isNamedExports(clause)) return "all";
  return clause.elements.map((one) => (one.propertyName ?? one.name).text);
}

/** `const { a, b } = await import("./x.ts")`, or all. */
function namesTakenFrom(call: ts.Node): Import["names"] {
  const awaited = ts.isAwaitExpression(call.parent) ? call.parent : call;
  const holder = ts.isParenthesizedExpression(awaited.parent) ? awaited.parent : awaited;
  if (ts.isPropertyAccessExpression(holder.parent)) return [holder.parent.name.text];
  if (!ts.isVariableDeclaration(holder.parent) || !ts.isObjectBindingPattern(holder.parent.name))
    return "all";
  return holder.parent.name.elements.map((one) => (one.propertyName ?? one.name).getText());
}
