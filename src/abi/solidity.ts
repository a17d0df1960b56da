import { ABI_BOUNDS, invalid, tooLarge } from "./bounds.ts";

/** A word or sign of human-readable text. */
export type Token = {
  text: string;
  line: number;
  /** Its place in the text. */
  at: number;
  /** Whether it is the first of its line. */
  isFirst: boolean;
};

const TOKEN = /\/\/[^\n]*|\/\*|\s+|[A-Za-z_$][\w$]*|\d[\w.]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[\s\S]/y;

/** The words and signs of a text, without comments. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let isFirst = true;
  const pass = (blank: string): void => {
    const breaks = blank.split("\n").length - 1;
    line += breaks;
    isFirst ||= breaks > 0;
  };
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    const [word = ""] = TOKEN.exec(text) ?? [];
    if (word === "/*") {
      const end = text.indexOf("*/", at + 2) + 2;
      if (end < 2)
        throw invalid("abi", `Line ${line} of the ABI begins a comment that does not end. End it with */.`);
      TOKEN.lastIndex = end;
      pass(text.slice(at, end));
    } else if (word.startsWith("//") || word.trim() === "") {
      pass(word);
    } else {
      if (word === '"' || word === "'")
        throw invalid("abi", `Line ${line} of the ABI has a quotation mark without its second one.`);
      tokens.push({ text: word, line, at, isFirst });
      isFirst = false;
    }
  }
  return tokens;
}

/** The words and signs of one item, read one after the other. */
export class Cursor {
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** The text of the next one, empty at the end. */
  get peek(): string {
    return this.#tokens[this.#next]?.text ?? "";
  }

  get isName(): boolean {
    return isName(this.peek);
  }

  take(): string {
    const { peek } = this;
    this.#next += 1;
    return peek;
  }

  takeIf(text: string): boolean {
    return this.peek === text && this.take() !== "";
  }

  expect(text: string): void {
    if (!this.takeIf(text)) this.fail();
  }

  name(): string {
    return this.isName ? this.take() : this.fail();
  }

  /** Leaves out a bracket with all that is in it. */
  skipBracket(): void {
    let depth = 0;
    do {
      const text = this.take();
      if (text === "") this.fail();
      depth += "([{".includes(text) ? 1 : ")]}".includes(text) ? -1 : 0;
    } while (depth > 0);
  }

  /** The next word is wrong, or the last one with `back`. */
  fail(problem?: string, back = 0): never {
    const at = Math.min(this.#next - back, this.#tokens.length - 1);
    const { line = 1 } = this.#tokens[back === 0 && this.peek === "" ? 0 : at] ?? {};
    throw new Unreadable(
      line,
      problem ?? (this.peek === "" ? "It ends too early." : `"${shorten(this.peek)}" is not expected there.`),
    );
  }
}

/** Why an item cannot be read, and the line of the word that is wrong. */
export class Unreadable extends Error {
  readonly line: number;

  constructor(line: number, problem: string) {
    super(problem);
    this.line = line;
  }
}

export function isName(text: string): boolean {
  return /^[A-Za-z_$]/.test(text);
}

export function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

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
