// Who uses what: exports that nobody imports, and files that only one other file needs.

import ts from "../../service/node_modules/typescript/lib/typescript.js";
import type { Module } from "./modules.ts";

/** What others than modules load, by name: Node-RED, a command, a program, a worker, a browser, the build. */
const ENTRIES =
  /^(?:src\/(?:testing\/)?index\.ts|nodes\/[^/]+\/(?:node|editor|editor\/index)\.ts|nodes\/common\/(?:build\/.*|node-version|editor\/node-form)\.ts|plugins\/([^/]+)\/\1\.ts|plugins\/[^/]+\/editor\/index\.ts|service\/src\/(?:cli|index|start\/\w+)\.ts|service\/src\/page\/.*|rehearsal\/(?:child|cli)\/main\.ts|rehearsal\/parent\/report-worker\.ts)$/;

/** @param all that may import them */
export function unusedExports(
  modules: readonly Module[],
  all: readonly Module[],
): Array<{ file: string; name: string }> {
  const used: Map<string, Set<string>> = new Map();
  for (const { imports } of all) {
    for (const { target, names } of imports) {
      const known = used.get(target) ?? new Set();
      for (const name of names === "all" ? ["*"] : names) known.add(name);
      used.set(target, known);
    }
  }
  return modules
    .filter(({ file }) => !ENTRIES.test(file))
    .flatMap(({ file, source }) => {
      const names = used.get(file) ?? new Set();
      return names.has("*")
        ? []
        : exportsOf(source)
            .filter((name) => !names.has(name))
            .map((name) => ({ file, name }));
    });
}

/** @returns those that exactly one other module imports */
export function withOneImporter(
  modules: readonly Module[],
  all: readonly Module[],
): Array<Module & { importer: string }> {
  const importers: Map<string, Set<string>> = new Map();
  for (const { file, imports } of all.filter((one) => modules.includes(one))) {
    for (const { target } of imports) importers.set(target, (importers.get(target) ?? new Set()).add(file));
  }
  return modules.flatMap((one) => {
    const [importer, ...others] = importers.get(one.file) ?? [];
    return importer === undefined || others.length > 0 ? [] : [{ ...one, importer }];
  });
}

function exportsOf(source: import("./modules.ts").SourceFile): string[] {
  return source.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement))
      return statement.exportClause && ts.isNamedExports(statement.exportClause)
        ? statement.exportClause.elements.map((one) => one.name.text)
        : [];
    if (ts.isExportAssignment(statement)) return ["default"];
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    if (modifiers.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)) return ["default"];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) =>
        ts.isIdentifier(name)
          ? [name.text]
          : name.elements.flatMap((one) => ("name" in one ? [one.name.getText()] : [])),
      );
    return "name" in statement && statement.name ? [(statement.name as ts.Identifier).text] : [];
  });
}
