import { tooLarge } from "./bounds.ts";
import type { Scope, Statement } from "./solidity.ts";

/** Far more than contracts of one text have, and quickly read. */
const MOST_WORDS = 3_000_000;

/**
 * Which events and errors from elsewhere the code of a contract leads to, as the compiler lists them: of a library, where a
 * function that is called has them, and `IProxy.Upgraded` of an interface.
 */
export class Elsewhere {
  readonly #ofContracts = new Map<Scope | undefined, Set<string>>();
  /** The functions of libraries, and those outside of contracts, by name. */
  readonly #called = new Map<string, Array<Set<string>>>();
  #seen = 0;

  constructor(statements: readonly Statement[]) {
    for (const { tokens, scope } of statements) {
      const words = new Set(tokens.map(({ text }) => text));
      for (const [index, { text }] of tokens.entries())
        if (text === ".") words.add(`${tokens[index - 1]?.text}.${tokens[index + 1]?.text}`);
      const [first, second] = tokens;
      if (scope === undefined ? first?.text === "using" : scope.kind !== "library") {
        const its = this.#ofContracts.get(scope) ?? new Set();
        for (const word of words) its.add(word);
        this.#ofContracts.set(scope, its);
      } else if (first?.text === "function" && second) {
        this.#called.set(second.text, [...(this.#called.get(second.text) ?? []), words]);
      }
    }
  }

  /** Tells of the name and the scope of an event or error whether a contract with these bases has it in its code. */
  usedBy(scopes: readonly Scope[]): (name: string, scope: Scope) => boolean {
    const found = new Set<string>();
    const add = (words: ReadonlySet<string> = new Set()) => {
      this.#seen += words.size;
      if (this.#seen > MOST_WORDS) throw tooLarge("abi", "The contracts of the ABI have too much code.");
      for (const word of words) found.add(word);
    };
    for (const scope of [undefined, ...scopes]) add(this.#ofContracts.get(scope));
    // What is added in between is visited too.
    for (const word of found) for (const words of this.#called.get(word) ?? []) add(words);
    return (name, scope) =>
      found.has(`${scope.name}.${name}`) || (scope.kind === "library" && found.has(name));
  }
}
