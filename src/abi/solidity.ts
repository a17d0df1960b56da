import { ABI_BOUNDS, tooLarge } from "./bounds.ts";
import { invalid } from "./invalid.ts";
import { isName, type Token } from "./tokens.ts";

/** An interface, contract or library of a source. */
export type Scope = { kind: string; name: string; isAbstract: boolean; bases: string[]; line: number };

/** An item, or another statement of a source; `scope` is what is around it. */
export type Statement = { tokens: Token[]; scope: Scope | undefined };

const KINDS = /^(?:interface|contract|library)$/;
/** Words that begin an item, so that the one above has ended. */
const BEGINNING =
  /^(?:function|event|error|struct|enum|type|constructor|receive|fallback|modifier|abstract|interface|contract|library|pragma|import|using)$/;
/** The beginning of a line that continues the item above. */
const CONTINUATION =
  /^(?:[({]|external|public|internal|private|view|pure|payable|nonpayable|constant|virtual|override|returns|anonymous)$/;

/**
 * Items end at a semicolon, a closing brace or a line break outside of brackets, unless the next line continues them.
 * The braces of an interface are not part of its items.
 *
 * @throws ArgumentError `ABI_INVALID` where the last brace of an interface is missing, or there are too many items.
 */
export function statementsOf(tokens: readonly Token[]): { statements: Statement[]; scopes: Scope[] } {
  const statements: Statement[] = [];
  const scopes: Scope[] = [];
  let scope: Scope | undefined;
  let current: Token[] = [];
  let depth = 0;
  const end = () => {
    if (current.length > 0) statements.push({ tokens: current, scope });
    current = [];
    depth = 0;
  };
  for (const token of tokens) {
    const { text } = token;
    if (depth === 0) {
      if (token.isFirst && !continues(current, text, scope)) end();
      if (text === ";" || (text === "}" && scope !== undefined)) {
        end();
        if (text === "}") scope = undefined;
        continue;
      }
      if (text === "{" && isHeader(current)) {
        scope = scopeOf(current);
        scopes.push(scope);
        current = [];
        continue;
      }
    }
    current.push(token);
    if ("([{".includes(text)) depth += 1;
    if (")]}".includes(text)) depth = Math.max(0, depth - 1);
    if (text === "}" && depth === 0 && !/^(?:import|using)$/.test(current[0]?.text ?? "")) end();
  }
  // The rest has unclosed brackets.
  end();
  if (scope !== undefined) {
    const { line, kind, name } = scope;
    throw invalid("abi", `Line ${line} of the ABI begins ${kind} ${name}, but its last brace is missing.`);
  }
  if (statements.length > ABI_BOUNDS.items)
    throw tooLarge("abi", `The ABI has ${statements.length} items; the limit is ${ABI_BOUNDS.items}.`);
  return { statements, scopes };
}

function continues(current: readonly Token[], next: string, scope: Scope | undefined): boolean {
  if (BEGINNING.test(next)) return false;
  if (/^(?:import|using)$/.test(current[0]?.text ?? "")) return true;
  return scope !== undefined || CONTINUATION.test(next) || isHeader(current);
}

function isHeader([first, second]: readonly Token[]): boolean {
  return KINDS.test(first?.text ?? "") || (first?.text === "abstract" && second?.text === "contract");
}

/** `abstract contract A is B, lib.C(1)`: the names of its bases are their last parts. */
function scopeOf(tokens: readonly Token[]): Scope {
  const isAbstract = tokens[0]?.text === "abstract";
  const [kind, name, ...rest] = tokens.slice(isAbstract ? 1 : 0);
  const bases: string[] = [];
  let depth = 0;
  for (const [index, { text }] of rest.entries()) {
    depth += text === "(" ? 1 : text === ")" ? -1 : 0;
    const isLast = rest[index + 1]?.text !== ".";
    if (depth === 0 && isName(text) && text !== "is" && isLast) bases.push(text);
  }
  if (bases.length > ABI_BOUNDS.structs)
    throw tooLarge(
      "abi",
      `Line ${kind?.line} of the ABI inherits from more than ${ABI_BOUNDS.structs} others.`,
    );
  return { kind: kind?.text ?? "", name: name?.text ?? "", isAbstract, bases, line: tokens[0]?.line ?? 1 };
}
