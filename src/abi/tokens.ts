import { invalid } from "./invalid.ts";

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
