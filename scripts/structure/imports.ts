// What a module imports and exports, by name.
import { posix } from "node:path";
import ts from "../../service/node_modules/typescript/lib/typescript.js";

/** `names` as the target exports them. */
export type Import = { target: string; names: readonly string[] | "all" };
type Names = Import["names"];

export function importsOf(source: ts.SourceFile, file: string): Import[] {
  const imports: Import[] = [];
  const add = (specifier: ts.Node | undefined, names: Names) => {
    if (specifier !== undefined && ts.isStringLiteralLike(specifier) && specifier.text.startsWith("."))
      imports.push({ target: posix.join(posix.dirname(file), specifier.text), names });
  };
  const visit = (node: ts.Node) => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, importedNames(node.importClause));
    if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, namesIn(node.exportClause));
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], namesTakenFrom(node));
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node.argument.literal, node.qualifier ? [node.qualifier.getText().split(".")[0] ?? ""] : "all");
    ts.forEachChild(node, visit);
  };
  visit(source);
  // Types in comments of JavaScript.
  const ofComments = /\.m?js$/.test(file) ? source.text.matchAll(/\bimport\("(\.[^"]+)"\)(?:\.(\w+))?/g) : [];
  for (const [, specifier = "", name] of ofComments)
    imports.push({ target: posix.join(posix.dirname(file), specifier), names: name ? [name] : "all" });
  return imports;
}

function importedNames(clause: ts.ImportClause | undefined): Names {
  const named = clause?.namedBindings ? namesIn(clause.namedBindings) : [];
  return named === "all" || clause?.name === undefined ? named : ["default", ...named];
}

function namesIn(list: ts.NamedImportBindings | ts.NamedExportBindings | undefined): Names {
  if (list === undefined || !("elements" in list)) return "all";
  return [...list.elements].map((one) => (one.propertyName ?? one.name).text);
}

/** `const { a, b } = await import("./x.ts")`, or all. */
function namesTakenFrom(call: ts.Node): Names {
  const awaited = ts.isAwaitExpression(call.parent) ? call.parent : call;
  const { parent } = ts.isParenthesizedExpression(awaited.parent) ? awaited.parent : awaited;
  if (ts.isPropertyAccessExpression(parent)) return [parent.name.text];
  if (!ts.isVariableDeclaration(parent) || !ts.isObjectBindingPattern(parent.name)) return "all";
  return parent.name.elements.map((one) => (one.propertyName ?? one.name).getText());
}

export function exportsOf(source: ts.SourceFile): string[] {
  return source.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause } = statement;
      return exportClause && ts.isNamedExports(exportClause)
        ? exportClause.elements.map((one) => one.name.text)
        : [];
    }
    if (ts.isExportAssignment(statement)) return ["default"];
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    const has = (wanted: ts.SyntaxKind) => modifiers.some(({ kind }) => kind === wanted);
    if (!has(ts.SyntaxKind.ExportKeyword)) return [];
    if (has(ts.SyntaxKind.DefaultKeyword)) return ["default"];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) =>
        ts.isIdentifier(name)
          ? [name.text]
          : name.elements.flatMap((one) => ("name" in one ? [one.name.getText()] : [])),
      );
    return "name" in statement && statement.name ? [(statement.name as ts.Identifier).text] : [];
  });
}
