import type { ArgumentError } from "../errors.ts";
import { ABI_BOUNDS, invalid, tooLarge } from "./bounds.ts";
import { Definitions, withBases } from "./definitions.ts";
import { fieldsAt, getterAt, itemAt, type Known, type RawItem } from "./signature.ts";
import {
  Cursor,
  isName,
  type Scope,
  type Statement,
  shorten,
  statementsOf,
  type Token,
  tokensOf,
  Unreadable,
} from "./solidity.ts";

/** Far more than contracts of one text have, and quickly read. */
const MOST_WORDS = 3_000_000;

/** An ABI before its items are checked. */
export type RawAbi = {
  name: string;
  items: readonly unknown[];
  /** Of items of text: the line of each. */
  lines?: readonly number[];
  /** Whether an item overrides a later one with its signature: those of bases come last. */
  overrides?: boolean;
  /** Items that cannot be read. */
  failures: Failure[];
  /** What an interface inherits from and is not in the text. */
  missing: Failure[];
};

/** An item that cannot be used, and why. `name` is empty where it has none. */
export type Failure = { name: string; error: ArgumentError };

type Read = { scope: Scope | undefined; line: number; item?: RawItem; failure?: Failure };

/** Statements of a source that are not items, and items that can neither be called nor watched. */
const LEFT_OUT = /^(?:pragma|import|using|struct|enum|type|constructor|receive|fallback|modifier)$/;
const ITEM = /^(?:function|event|error)$/;

/**
 * Reads human-readable ABI text: one item a line, or several with `;` between, with `//` and block comments and blank
 * lines anywhere; or Solidity source. Interfaces are one ABI together. Each contract that no other one inherits from is
 * one, with what it inherits.
 *
 * @throws ArgumentError `ABI_INVALID` where the text as a whole cannot be read, or is too large.
 */
export function readHumanReadable(text: string): RawAbi[] {
  const { textLength, items: most } = ABI_BOUNDS;
  if (text.length > textLength)
    throw tooLarge("abi", `The ABI has ${text.length} characters; the limit is ${textLength}.`);
  const { statements, scopes } = statementsOf(tokensOf(text));
  const byName = new Map(scopes.map((scope) => [scope.name, scope]));
  const definitions: Definitions = new Definitions(statements, byName, (cursor, scope) =>
    fieldsAt(cursor, { definitions, scope }),
  );
  const isSource = scopes.length > 0;
  const reads = statements.flatMap((statement): Read[] => {
    const read = readStatement(statement, { definitions, scope: statement.scope }, { text, isSource });
    return read ? [{ scope: statement.scope, line: statement.tokens[0]?.line ?? 1, ...read }] : [];
  });
  const inherited = new Set(scopes.flatMap(({ bases }) => bases));
  const leaves = scopes.filter(({ kind, name }) => kind === "contract" && !inherited.has(name));
  const whole = leaves.filter(({ isAbstract }) => !isAbstract);
  const shown = whole.length > 0 ? whole : leaves;
  const library = scopes.find(({ kind }) => kind === "library");
  const all = reads.filter(({ scope }) => scope?.kind !== "library");
  if (library && all.length === 0 && shown.length === 0)
    throw invalid(
      "abi",
      `Line ${library.line} of the ABI begins the source of a library, which is part of the contracts that use it. Paste the source or the ABI of such a contract.`,
    );
  if (shown.length === 0) return [abiOf("", all, scopes, byName)];
  const byScope = new Map<Scope | undefined, Read[]>([undefined, ...scopes].map((scope) => [scope, []]));
  for (const read of reads) byScope.get(read.scope)?.push(read);
  const elsewhere = new Elsewhere(statements);
  const emitted = reads.filter(({ item }) => item && item.type !== "function");
  let count = 0;
  return shown.map((contract) => {
    const inherits = withBases(contract, byName);
    const its = [...inherits];
    const isUsed = elsewhere.usedBy(its);
    const own = [
      ...[undefined, ...its].flatMap((scope) => byScope.get(scope) ?? []),
      ...emitted.filter(
        ({ item, scope }) => item && scope && !inherits.has(scope) && isUsed(item.name, scope),
      ),
    ];
    count += own.length;
    if (count > most)
      throw tooLarge("abi", `The contracts of the ABI have more than ${most} items, with what they inherit.`);
    return { ...abiOf(contract.name, own, its, byName), overrides: true };
  });
}

function abiOf(
  name: string,
  reads: readonly Read[],
  scopes: readonly Scope[],
  byName: ReadonlyMap<string, Scope>,
): RawAbi {
  const missing = scopes.flatMap(({ name: its, kind, bases, line }) =>
    [...new Set(bases)]
      .filter((base) => !byName.has(base))
      .map((base) => ({
        name: base,
        error: invalid(
          "abi",
          `Line ${line} of the ABI: ${kind} ${its} inherits from ${base}, which is not in the text, so its items are missing. Paste its source too, or the ABI as JSON.`,
        ),
      })),
  );
  const items = reads.filter(({ item }) => item !== undefined);
  return {
    name,
    items: items.map(({ item }) => item),
    lines: items.map(({ line }) => line),
    failures: reads.flatMap(({ failure }) => failure ?? []),
    missing,
  };
}

/** Undefined for a statement that has no item. */
function readStatement(
  { tokens, scope }: Statement,
  known: Known,
  { text, isSource }: { text: string; isSource: boolean },
): Pick<Read, "item" | "failure"> | undefined {
  const words = tokens.map((token) => token.text);
  const [first = "", second = ""] = words;
  const outer = outerWords(words);
  const isHidden = first === "function" && (outer.has("internal") || outer.has("private"));
  const isItem = ITEM.test(first);
  const ofContract = scope?.kind === "contract" || scope?.kind === "library";
  const isVariable = !isItem && (ofContract || words.includes("constant"));
  const isGetter = isVariable && scope?.kind === "contract" && outer.has("public");
  // The functions of a library, and those outside of contracts, are part of the code that uses them.
  const isInCode = scope?.kind === "library" || (scope === undefined && isSource && words.includes("{"));
  const isOfCode = isInCode && first === "function";
  if (LEFT_OUT.test(first) || (isVariable && !isGetter) || isOfCode || isHidden) return undefined;
  const cursor = new Cursor(tokens);
  try {
    const item = isGetter ? getterAt(cursor, known) : itemAt(cursor, known);
    return item && { item };
  } catch (cause) {
    if (!(cause instanceof Unreadable)) throw cause;
    const shown = shorten(textOf(text, tokens));
    const message = `Line ${cause.line} of the ABI cannot be read: "${shown}". ${cause.message}`;
    const name = isGetter
      ? ([...outer].filter(isName).at(-1) ?? "")
      : isItem && isName(second)
        ? second
        : first;
    return { failure: { name, error: invalid("abi", message, cause) } };
  }
}

/** The words outside of brackets, before a body and a value. */
function outerWords(words: readonly string[]): Set<string> {
  const found = new Set<string>();
  let depth = 0;
  for (const word of words) {
    if (depth === 0 && /^[={]$/.test(word)) break;
    depth += word === "(" ? 1 : word === ")" ? -1 : 0;
    if (depth === 0) found.add(word);
  }
  return found;
}

/** As a person sees it, without what is too much for a sentence. */
function textOf(text: string, tokens: readonly Token[]): string {
  const from = tokens[0]?.at ?? 0;
  const last = tokens.at(-1);
  return text
    .slice(from, Math.min(from + 300, (last?.at ?? 0) + (last?.text.length ?? 0)))
    .replace(/\s+/g, " ");
}

/**
 * Which events and errors from elsewhere the code of a contract leads to, as the compiler lists them: of a library, where a
 * function that is called has them, and `IProxy.Upgraded` of an interface.
 */
class Elsewhere {
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
