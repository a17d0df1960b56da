import { canonicalType } from "./abi-type.ts";
import { ABI_BOUNDS, tooLarge } from "./bounds.ts";
import type { Scope, Statement } from "./solidity.ts";
import { Cursor } from "./solidity.ts";

/** A parameter as a JSON ABI has it, before it is checked. */
export type RawParameter = { name: string; type: string; indexed?: boolean; components?: RawParameter[] };

/** What a name stands for: fields of a struct, another type, or the digits of a constant. */
type Definition = {
  text: string;
  type?: string;
  digits?: string;
  struct?: Statement;
  fields?: RawParameter[];
  /** Why the fields cannot be read. */
  failure?: unknown;
};

/** Reads the fields of a struct. */
type ReadFields = (cursor: Cursor, scope: Scope | undefined) => RawParameter[];

/**
 * The structs, enums, types and constants of a source, each found from where it is used: in the same interface, in its
 * bases, in the file, or anywhere where all of that name are alike.
 */
export class Definitions {
  readonly #byName = new Map<string, Map<string, Definition>>();
  readonly #scopes: ReadonlyMap<string, Scope>;
  readonly #readFields: ReadFields;

  constructor(statements: readonly Statement[], scopes: ReadonlyMap<string, Scope>, readFields: ReadFields) {
    this.#scopes = scopes;
    this.#readFields = readFields;
    for (const statement of statements) this.#add(statement);
    let structs = 0;
    for (const found of this.#byName.values())
      for (const { struct } of found.values()) structs += struct ? 1 : 0;
    if (structs > ABI_BOUNDS.structs)
      throw tooLarge("abi", `The ABI has ${structs} structs; the limit is ${ABI_BOUNDS.structs}.`);
  }

  /** The ABI type of a name, with the components of a struct. */
  typeOf(
    path: readonly string[],
    scope: Scope | undefined,
  ): Pick<RawParameter, "type" | "components"> | undefined {
    const found = this.#find(path, scope);
    if (found?.struct) return { type: "tuple", components: this.#fieldsOf(found, found.struct) };
    if (found?.type !== undefined) return { type: found.type };
    const named = this.#scopes.get(path.at(-1) ?? "");
    return named && named.kind !== "library" ? { type: "address" } : undefined;
  }

  /** The digits of a constant. */
  digitsOf(name: string, scope: Scope | undefined): string | undefined {
    return this.#find([name], scope)?.digits;
  }

  #fieldsOf(found: Definition, { tokens, scope }: Statement): RawParameter[] {
    if (found.failure !== undefined) throw found.failure;
    if (found.fields) return found.fields;
    // A struct may contain itself.
    const fields: RawParameter[] = [];
    found.fields = fields;
    try {
      for (const field of this.#readFields(new Cursor(tokens.slice(3, -1)), scope)) fields.push(field);
    } catch (failure) {
      found.failure = failure;
      throw failure;
    }
    return fields;
  }

  #add({ tokens, scope }: Statement): void {
    const words = tokens.map(({ text }) => text);
    const [keyword = "", name = "", third = "", type = ""] = words;
    const add = (its: string, definition: Omit<Definition, "text">): void => {
      const found = this.#byName.get(its) ?? new Map<string, Definition>();
      found.set(scope?.name ?? "", { text: words.join(" "), ...definition });
      this.#byName.set(its, found);
    };
    if (keyword === "struct" && third === "{") add(name, { struct: { tokens, scope } });
    else if (keyword === "enum" && third === "{") add(name, { type: "uint8" });
    else if (keyword === "type" && third === "is") add(name, { type: canonicalType(type) ?? type });
    else if (words.at(-2) === "=" && words.includes("constant") && /^\d+$/.test(words.at(-1) ?? ""))
      add(words.at(-3) ?? "", { digits: words.at(-1) ?? "" });
  }

  #find(path: readonly string[], scope: Scope | undefined): Definition | undefined {
    const found = this.#byName.get(path.at(-1) ?? "");
    if (found === undefined) return undefined;
    const qualifier = path.at(-2);
    const from = qualifier === undefined ? scope : this.#scopes.get(qualifier);
    for (const { name } of withBases(from, this.#scopes)) {
      const one = found.get(name);
      if (one) return one;
    }
    const ofFile = found.get("");
    if (ofFile && (qualifier === undefined || from === undefined)) return ofFile;
    const [first, ...others] = found.values();
    return others.every(({ text }) => text === first?.text) ? first : undefined;
  }
}

/**
 * An interface or contract, and those that it inherits from, each once, in the order in which an item is searched: a base
 * after all that inherit from it, and after the bases to its right.
 */
export function withBases(scope: Scope | undefined, scopes: ReadonlyMap<string, Scope>): Set<Scope> {
  const later = new Map<Scope, Scope[]>(scope ? [[scope, []]] : []);
  // What is added in between is visited too.
  for (const [one, its] of later) {
    const bases = one.bases.flatMap((base) => scopes.get(base) ?? []);
    its.push(...bases);
    for (const [index, base] of bases.entries()) {
      const known = later.get(base) ?? [];
      if (index > 0) known.push(...bases.slice(index - 1, index));
      later.set(base, known);
    }
  }
  const last = new Set<Scope>();
  const open = new Set<Scope>();
  const path = scope ? [scope] : [];
  for (let one = path.at(-1); one; one = path.at(-1)) {
    const next = open.has(one) ? [] : (later.get(one) ?? []).filter((its) => !open.has(its));
    open.add(one);
    path.push(...next.reverse());
    if (next.length === 0) last.add(path.pop() ?? one);
  }
  return new Set([...last].reverse());
}

/** A name with what stands before it: `Lib.Order`. */
export function pathAt(cursor: Cursor): string[] {
  const path = [cursor.name()];
  while (cursor.takeIf(".")) path.push(cursor.name());
  return path;
}
