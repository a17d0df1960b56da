// What functions take, and hand on to others.

import ts from "../../service/node_modules/typescript/lib/typescript.js";
import type { Module } from "./modules.ts";

type Signature = ts.SignatureDeclaration;
type Taking = {
  file: string;
  line: number;
  name: string;
  takes: Set<string>;
  calls: Array<{ name: string; hands: Set<string> }>;
};

/** Functions with a parameter `RED`, by itself or in an object. */
export function takingRed(modules: readonly Module[]) {
  return modules.flatMap(functionsOf).filter(({ takes }) => takes.has("RED"));
}

/**
 * The longest way of one value: functions that take it by its name and hand it on by that name.
 *
 * @param value its name
 * @returns a line for each function on the way
 */
export function handToHand(modules: readonly Module[], value: string): string[] {
  const taking = modules.flatMap(functionsOf).filter(({ takes }) => takes.has(value));
  const known: Map<Taking, Taking[]> = new Map();
  const way = (from: Taking, passed: ReadonlySet<Taking>): Taking[] => {
    const before = known.get(from);
    if (before) return before;
    const called = from.calls.filter(({ hands }) => hands.has(value)).map(({ name }) => name);
    const next = taking.filter((one) => called.includes(one.name) && !passed.has(one));
    const rest = longestOf(next.map((one) => way(one, new Set([...passed, one]))));
    const whole = [from, ...rest];
    known.set(from, whole);
    return whole;
  };
  const longest = longestOf(taking.map((one) => way(one, new Set([one]))));
  return longest.map(({ file, line, name }) => `${file}:${line} ${name}`);
}

function longestOf(ways: ReadonlyArray<Taking[]>) {
  return ways.reduce((longest, one) => (one.length > longest.length ? one : longest), []);
}

const parsed: WeakMap<Module, Taking[]> = new WeakMap();

function functionsOf(module: Module): Taking[] {
  const before = parsed.get(module);
  if (before) return before;
  const { file, source } = module;
  const found: Taking[] = [];
  const visit = (node: ts.Node, around: Taking | undefined) => {
    let within = around;
    if (ts.isFunctionLike(node) && "body" in node && node.body) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      within = {
        file,
        line,
        name: nameOf(node),
        takes: new Set(node.parameters.flatMap(valuesOf)),
        calls: [],
      };
      found.push(within);
    }
    if (within && (ts.isCallExpression(node) || ts.isNewExpression(node))) {
      const hands = new Set((node.arguments ?? []).flatMap(handed));
      if (hands.size > 0) within.calls.push({ name: calledName(node.expression), hands });
    }
    ts.forEachChild(node, (child) => visit(child, within));
  };
  visit(source, undefined);
  parsed.set(module, found);
  return found;
}

function valuesOf({ name, type }: ts.ParameterDeclaration): string[] {
  if (ts.isIdentifier(name)) {
    const members =
      type && ts.isTypeLiteralNode(type)
        ? type.members.flatMap((one) => (one.name ? [one.name.getText()] : []))
        : [];
    return [name.text, ...members];
  }
  return name.elements.flatMap((one) =>
    ts.isOmittedExpression(one) ? [] : [(one.propertyName ?? one.name).getText()],
  );
}

function handed(argument: ts.Expression): string[] {
  if (ts.isIdentifier(argument)) return [argument.text];
  if (ts.isPropertyAccessExpression(argument)) return [argument.name.text];
  if (!ts.isObjectLiteralExpression(argument)) return [];
  return argument.properties.flatMap((one) =>
    one.name && (ts.isShorthandPropertyAssignment(one) || ts.isPropertyAssignment(one))
      ? [one.name.getText()]
      : [],
  );
}

function calledName(expression: ts.Expression) {
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text;
  return ts.isIdentifier(expression) ? expression.text : "";
}

/** @returns of a constructor that of its class */
function nameOf(node: Signature): string {
  if (ts.isConstructorDeclaration(node)) return node.parent.name?.getText() ?? "";
  if (node.name) return node.name.getText();
  return ts.isVariableDeclaration(node.parent) ||
    ts.isPropertyAssignment(node.parent) ||
    ts.isPropertyDeclaration(node.parent)
    ? node.parent.name.getText()
    : "";
}
