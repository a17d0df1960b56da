import { invalid } from "./bounds.ts";

/** Deeper than any artifact of a compiler. */
const MOST_DEPTH = 200;
const WORDS: Readonly<Record<string, unknown>> = {
  ...{ true: true, false: false, null: null, undefined: null },
  ...{ True: true, False: false, None: null },
};
const QUOTE = /["'`]/;
const BLANK = /\s*/y;
const LINE = /[^\n]*/y;
const TOKEN = /[A-Za-z_$][\w$.]*|[-+]?\d[\w.+-]*|\.\.\.[\w$.]*|[\s\S]/y;
/** `as const`, `satisfies Abi` and the like, which change no value. */
const CAST = /(?:\s*(?:\bas|\bsatisfies)\s+[\w$.[\]]+)*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  v: "\v",
  0: "\0",
};

/**
 * Reads values as JSON, JavaScript, TypeScript and Python write them: names without quotation marks, other quotation
 * marks, commas at the end, comments. Nothing is evaluated.
 */
export class Literals {
  readonly #text: string;
  at: number;

  constructor(text: string, at = 0) {
    this.#text = text;
    this.at = at;
  }

  /** Values with commas, semicolons or nothing between, to the end of the text. */
  values(): unknown[] {
    const found: unknown[] = [];
    while (this.next() !== "") {
      if (/[,;]/.test(this.next())) this.at += 1;
      else found.push(this.value());
    }
    return found;
  }

  /** @throws ArgumentError `ABI_INVALID` with the line and the word that is not part of a value. */
  value(depth = 0): unknown {
    if (depth > MOST_DEPTH) throw invalid("abi", "The ABI is nested too deeply. Paste the ABI alone.");
    const value = this.#bare(depth);
    this.#match(CAST);
    return value;
  }

  #bare(depth: number): unknown {
    const first = this.next();
    if (first === "[") return this.#list(depth);
    if (first === "{") return this.#object(depth);
    return QUOTE.test(first) ? this.#string() : this.#word();
  }

  #list(depth: number): unknown[] {
    const list: unknown[] = [];
    this.at += 1;
    while (this.next() !== "]") {
      list.push(this.value(depth + 1));
      this.#endOrComma("]");
    }
    this.at += 1;
    return list;
  }

  /** An own property each, also for a name such as `__proto__`. */
  #object(depth: number): object {
    const entries: Array<[string, unknown]> = [];
    this.at += 1;
    while (this.next() !== "}") {
      const key = QUOTE.test(this.next()) ? this.#string() : this.#key();
      if (this.next() !== ":") this.#fail();
      this.at += 1;
      entries.push([key, this.value(depth + 1)]);
      this.#endOrComma("}");
    }
    this.at += 1;
    return Object.fromEntries(entries);
  }

  #endOrComma(end: string): void {
    const next = this.next();
    if (next === ",") this.at += 1;
    else if (next !== end) this.#fail();
  }

  #key(): string {
    const word = this.#token();
    if (!/^[\w$]+$/.test(word)) this.#fail();
    this.at += word.length;
    return word;
  }

  #word(): unknown {
    const word = this.#token();
    const number = /^[-+\d]/.test(word) ? Number(word) : Number.NaN;
    if (!Object.hasOwn(WORDS, word) && Number.isNaN(number)) this.#fail();
    this.at += word.length;
    return Object.hasOwn(WORDS, word) ? WORDS[word] : number;
  }

  #string(): string {
    const quote = this.#text[this.at] ?? "";
    const parts: string[] = [];
    let from = this.at + 1;
    for (let at = from; at < this.#text.length; at++) {
      const character = this.#text[at];
      if (character === quote) {
        this.at = at + 1;
        return parts.join("") + this.#text.slice(from, at);
      }
      if (character === "\\") {
        const [all = "", code, sign = ""] =
          /^\\(?:u([0-9a-f]{4})|\r?([\s\S]))/i.exec(this.#text.slice(at, at + 6)) ?? [];
        const meant =
          code === undefined
            ? (ESCAPES[sign] ?? (sign === "\n" ? "" : sign))
            : String.fromCharCode(Number.parseInt(code, 16));
        parts.push(this.#text.slice(from, at), meant);
        from = at + all.length;
        at = from - 1;
      } else if (quote === "`" ? character === "$" && this.#text[at + 1] === "{" : character === "\n") {
        break;
      }
    }
    return this.#fail();
  }

  /** The next character that is neither blank nor part of a comment. */
  next(): string {
    for (;;) {
      this.#match(BLANK);
      const sign = this.#text.slice(this.at, this.at + 2);
      const end = sign === "/*" ? this.#text.indexOf("*/", this.at + 2) : -1;
      if (sign === "//") this.#match(LINE);
      else if (end < 0) return this.#text[this.at] ?? "";
      else this.at = end + 2;
    }
  }

  #token(): string {
    TOKEN.lastIndex = this.at;
    return TOKEN.exec(this.#text)?.[0] ?? "";
  }

  #match(pattern: RegExp): void {
    pattern.lastIndex = this.at;
    this.at += pattern.exec(this.#text)?.[0].length ?? 0;
  }

  #fail(): never {
    const line = this.#text.slice(0, this.at).split("\n").length;
    const word = /["'`]?[^"'`]{0,40}/.exec(
      this.#text[this.at] === '"' ? this.#text.slice(this.at + 1) : this.#token(),
    );
    throw invalid(
      "abi",
      this.at >= this.#text.length
        ? `Line ${line} of the ABI is not valid JSON: the text ends there. Paste it to its end.`
        : `Line ${line} of the ABI: "${word}" is not valid JSON there, and nothing is evaluated. Write the value itself.`,
    );
  }
}
