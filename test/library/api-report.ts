import { readFileSync } from "node:fs";

// Reads release/api/library.api.md: TypeScript 7 has no interface for programs that would tell the types of a package.

export type Type =
  | { kind: "any" }
  | { kind: "primitive"; name: string }
  | { kind: "literal"; value: string | number | boolean }
  | ({ kind: "function" } & Called)
  | { kind: "list"; item: Type }
  | { kind: "object"; members: Member[] }
  | { kind: "union" | "both"; types: Type[] }
  | { kind: "named"; name: string; of: Type[] };

type Called = { parameters: Member[]; returns: string };

export type Member = { name: string; isOptional: boolean; type: Type };

/** A function, a method (`Channels.list`) or a constructor (`new FileCursorStore`). */
export type Signature = Called & { name: string };

export type Report = {
  signatures: Signature[];
  types: ReadonlyMap<string, { parameters: string[]; type: Type }>;
};

const TOKEN = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\.)*"|`[^`]*`|=>|\.\.\.|[\w$]+|\S/g;
const PRIMITIVES = ["string", "number", "boolean", "bigint", "symbol", "null", "undefined", "void", "never"];

export function readReport(): Report {
  const file = new URL("../../release/api/library.api.md", import.meta.url);
  const [, code = ""] = /```ts\n([\s\S]*)```/.exec(readFileSync(file, "utf8")) ?? [];
  return new Reader(code.match(TOKEN)?.filter((token) => !/^\/[/*]/.test(token)) ?? []).report();
}

class Reader {
  readonly #tokens: readonly string[];
  readonly #signatures: Signature[] = [];
  readonly #types = new Map<string, { parameters: string[]; type: Type }>();
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  report(): Report {
    while (this.#at < this.#tokens.length) {
      this.#skip("export");
      const what = this.#next();
      if (what === "type") this.#typeAlias();
      else if (what === "function") this.#function();
      else if (what === "class") this.#class();
      // A constant, or the other name of a type.
      else this.#statement();
    }
    return { signatures: this.#signatures, types: this.#types };
  }

  #typeAlias(): void {
    const name = this.#next();
    const parameters = this.#typeParameters();
    this.#expect("=");
    this.#types.set(name, { parameters, type: this.#type() });
    this.#skip(";");
  }

  #function(): void {
    const name = this.#next();
    this.#typeParameters();
    this.#signatures.push({ name, ...this.#call() });
    this.#skip(";");
  }

  #class(): void {
    const name = this.#next();
    this.#typeParameters();
    let base = "";
    while (!this.#is("{")) base += ` ${this.#next()}`;
    this.#expect("{");
    const isError = /\bextends \w*Error\b/.test(base);
    while (!this.#skip("}")) {
      while (["readonly", "get", "static"].includes(this.#peek()) && !["(", "<", ":"].includes(this.#peek(1)))
        this.#next();
      const member = this.#next();
      this.#skip("?");
      this.#typeParameters();
      if (this.#is("(")) {
        const called = this.#call();
        const isMade = member === "constructor";
        if (!isError)
          this.#signatures.push({ name: isMade ? `new ${name}` : `${name}.${member}`, ...called });
      } else {
        while (!this.#is(";")) this.#next();
      }
      this.#skip(";");
    }
    this.#types.set(name, { parameters: [], type: { kind: "named", name: `class ${name}`, of: [] } });
  }

  #call(): Called {
    const parameters = this.#parameters();
    const from = this.#at + 1;
    if (this.#skip(":")) this.#type();
    return { parameters, returns: this.#tokens.slice(from, this.#at).join(" ") };
  }

  #parameters(): Member[] {
    this.#expect("(");
    const parameters: Member[] = [];
    while (!this.#skip(")")) {
      const isRest = this.#skip("...");
      const name = this.#next();
      const isOptional = this.#skip("?") || isRest;
      this.#expect(":");
      parameters.push({ name, isOptional, type: this.#type() });
      this.#skip(",");
    }
    return parameters;
  }

  #typeParameters(): string[] {
    const names: string[] = [];
    if (!this.#skip("<")) return names;
    while (!this.#skip(">")) {
      names.push(this.#next());
      if (this.#skip("extends")) this.#type();
      if (this.#skip("=")) this.#type();
      this.#skip(",");
    }
    return names;
  }

  #type(): Type {
    const type = this.#union();
    // What depends on another type is no option.
    if (this.#skip("extends")) {
      this.#type();
      this.#expect("?");
      this.#type();
      this.#expect(":");
      this.#type();
      return { kind: "any" };
    }
    if (!this.#skip("is")) return type;
    this.#type();
    return { kind: "primitive", name: "boolean" };
  }

  #union(): Type {
    this.#skip("|");
    const types = [this.#both()];
    while (this.#skip("|")) types.push(this.#both());
    return types.length === 1 ? (types[0] as Type) : { kind: "union", types };
  }

  #both(): Type {
    const types = [this.#postfix()];
    while (this.#skip("&")) types.push(this.#postfix());
    return types.length === 1 ? (types[0] as Type) : { kind: "both", types };
  }

  #postfix(): Type {
    if (this.#skip("readonly")) return this.#postfix();
    if (this.#skip("keyof") || this.#skip("typeof")) {
      this.#postfix();
      return { kind: "any" };
    }
    let type = this.#primary();
    while (this.#is("[")) {
      this.#next();
      if (this.#skip("]")) type = { kind: "list", item: type };
      else {
        // A member of a type, such as `TypeFilter["types"]`.
        const member = this.#type();
        this.#expect("]");
        type = { kind: "named", name: "[]", of: [type, member] };
      }
    }
    return type;
  }

  #primary(): Type {
    if (this.#is("<") || (this.#is("(") && this.#isFunction())) return this.#functionType();
    if (this.#skip("(")) {
      const type = this.#type();
      this.#expect(")");
      return type;
    }
    if (this.#skip("{")) return this.#object();
    if (this.#skip("[")) {
      while (!this.#skip("]")) this.#next();
      return { kind: "named", name: "tuple", of: [] };
    }
    const word = this.#next();
    if (word.startsWith('"')) return { kind: "literal", value: JSON.parse(word) };
    if (word.startsWith("`")) return { kind: "primitive", name: "string" };
    if (word === "true" || word === "false") return { kind: "literal", value: word === "true" };
    if (/^\d/.test(word)) return { kind: "literal", value: Number(word) };
    if (PRIMITIVES.includes(word)) return { kind: "primitive", name: word };
    let name = word;
    while (this.#skip(".")) name += `.${this.#next()}`;
    const of: Type[] = [];
    if (this.#skip("<")) {
      while (!this.#skip(">")) {
        of.push(this.#type());
        this.#skip(",");
      }
    }
    return name === "unknown" || name === "any" ? { kind: "any" } : { kind: "named", name, of };
  }

  #functionType(): Type {
    this.#typeParameters();
    const parameters = this.#parameters();
    this.#expect("=>");
    const from = this.#at;
    this.#type();
    return { kind: "function", parameters, returns: this.#tokens.slice(from, this.#at).join(" ") };
  }

  #object(): Type {
    const members: Member[] = [];
    while (!this.#skip("}")) {
      if (this.#peek() === "readonly" && this.#peek(1) !== ":") this.#next();
      if (this.#is("(") || this.#is("<")) {
        // Can be called itself.
        this.#typeParameters();
        this.#call();
      } else if (this.#skip("[")) {
        while (!this.#skip("]")) this.#next();
        this.#expect(":");
        this.#type();
      } else {
        const name = this.#next().replace(/^"(.*)"$/, "$1");
        const isOptional = this.#skip("?");
        const isMethod = this.#is("(") || this.#is("<");
        this.#typeParameters();
        const type: Type | undefined = isMethod ? { kind: "function", ...this.#call() } : undefined;
        if (type === undefined) this.#expect(":");
        members.push({ name, isOptional, type: type ?? this.#type() });
      }
      this.#skip(";") || this.#skip(",");
    }
    return { kind: "object", members };
  }

  /** Whether parentheses are those of a function: an arrow follows. */
  #isFunction(): boolean {
    let depth = 0;
    for (let at = this.#at; at < this.#tokens.length; at += 1) {
      if (this.#tokens[at] === "(") depth += 1;
      if (this.#tokens[at] === ")") depth -= 1;
      if (depth === 0) return this.#tokens[at + 1] === "=>";
    }
    return false;
  }

  #statement(): void {
    let depth = 0;
    for (let token = this.#next(); token !== ";" || depth > 0; token = this.#next()) {
      if ("{[(".includes(token)) depth += 1;
      if ("}])".includes(token)) depth -= 1;
      if (depth === 0 && token === "}" && !this.#is(";") && this.#is("export")) return;
      if (this.#at >= this.#tokens.length) return;
    }
  }

  #peek(ahead = 0): string {
    return this.#tokens[this.#at + ahead] ?? "";
  }

  #is(token: string): boolean {
    return this.#peek() === token;
  }

  #skip(token: string): boolean {
    if (!this.#is(token)) return false;
    this.#at += 1;
    return true;
  }

  #next(): string {
    this.#at += 1;
    return this.#tokens[this.#at - 1] ?? "";
  }

  #expect(token: string): void {
    if (this.#skip(token)) return;
    const around = this.#tokens.slice(Math.max(0, this.#at - 12), this.#at + 3).join(" ");
    throw new Error(`The report cannot be read: ${token} is expected near ${around}`);
  }
}
