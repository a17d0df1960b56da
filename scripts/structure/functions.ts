// What functions take, and hand on to others.
import ts from "../../service/node_modules/typescript/lib/typescript.js";

type Taking = {
  file: string;
  line: number;
  name: string;
  /** Parameters, by themselves or in an object. */
  takes: Set<string>;
  calls: Array<{ name: string; hands: Set<string> }>;
};

export function callsOf({ file, source }: { file: string; source: ts.SourceFile }): Taking[] {
  const found: Taking[] = [];
  const visit = (node: ts.Node, around: Taking | undefined) => {
    let within = around;
    if (ts.isFunctionLike(node) && "body" in node && node.body) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      const takes = new Set(node.parameters.flatMap(valuesOf));
      within = { file, line, name: nameOf(node), takes, calls: [] };
      found.push(within);
    }
    if (within && (ts.isCallExpression(node) || ts.isNewExpression(node))) {
      const hands = new Set((node.arguments ?? []).flatMap(handed));
      const called = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression;
      if (hands.size > 0) within.calls.push({ name: ts.isIdentifier(called) ? called.text : "", hands });
    }
    ts.forEachChild(node, (child) => visit(child, within));
  };
  visit(source, undefined);
  return found;
}

/**
 * The longest way of one value: functions that take it by its name and hand it on by that name.
 *
 * @returns a line for each function on the way
 */
export function handToHand(functions: readonly Taking[], value: string): string[] {
  const taking = functions.filter(({ takes }) => takes.has(value));
  const known = new Map<Taking, Taking[]>();
  const way = (from: Taking, passed: ReadonlySet<Taking>): Taking[] => {
    const before = known.get(from);
    if (before) return before;
    const called = from.calls.filter(({ hands }) => hands.has(value)).map(({ name }) => name);
    const next = taking.filter((one) => called.includes(one.name) && !passed.has(one));
    const whole = [from, ...longestOf(next.map((one) => way(one, new Set([...passed, one]))))];
    known.set(from, whole);
    return whole;
  };
  const longest = longestOf(taking.map((one) => way(one, new Set([one]))));
  return longest.map(({ file, line, name }) => `${file}:${line} ${name}`);
}

function longestOf(ways: ReadonlyArray<Taking[]>): Taking[] {
  return ways.reduce((longest, one) => (one.length > longest.length ? one : longest), []);
}

function valuesOf({ name, type }: ts.ParameterDeclaration): string[] {
  if (!ts.isIdentifier(name))
    return name.elements.flatMap((one) =>
      ts.isOmittedExpression(one) ? [] : [(one.propertyName ?? one.name).getText()],
    );
  const members = type && ts.isTypeLiteralNode(type) ? type.members : [];
  return [name.text, ...members.flatMap((one) => (one.name ? [one.name.getText()] : []))];
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

/** @returns of a constructor that of its class */
function nameOf(node: ts.SignatureDeclaration): string {
  if (ts.isConstructorDeclaration(node)) return node.parent.name?.getText() ?? "";
  if (node.name) return node.name.getText();
  const { parent } = node;
  const isNamed =
    ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent);
  return isNamed ? parent.name.getText() : "";
}
