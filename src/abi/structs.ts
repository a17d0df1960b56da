/** A struct of human-readable ABI text, with its extent and its text as a tuple. */
type Struct = {
  /** As in a list of parameters: `uint256 x`. */
  fields: string[];
  size?: number;
  depth?: number;
  written?: string;
};

/** How many parameters something has when its structs are written out, and how deep they are nested. */
export type Extent = { size: number; depth: number };

/** A type in a list of parameters, once spaces are reduced to one way. */
const TYPE = /(?<=^|[(,])[\w$]+(?=[ [,)])/g;

/**
 * The structs of human-readable ABI text, each measured and written out once: written out they may be exponentially
 * larger than their text, so they are measured first.
 */
export class Structs {
  readonly #byName = new Map<string, Struct>();

  /** `texts` are items such as `struct Point { uint x; uint y; }`. Others are ignored. */
  constructor(texts: readonly string[]) {
    for (const text of texts) {
      const [, name, body] = /^struct ([\w$]+) ?\{(.*)\}$/s.exec(text) ?? [];
      if (name === undefined || body === undefined) continue;
      const fields = body.split(";").map((field) => field.trim());
      this.#byName.set(name, { fields: fields.filter((field) => field !== "") });
    }
  }

  /** The extent of an item, such as a function. A struct that contains itself is infinitely large. */
  extentOf(item: string): Extent {
    let size = item.split(",").length;
    let depth = 0;
    for (const [word] of item.matchAll(TYPE)) {
      if (!this.#byName.has(word)) continue;
      const struct = this.#measured(word, new Set());
      size += struct.size;
      depth = Math.max(depth, struct.depth);
    }
    return { size, depth };
  }

  /** The item with its structs replaced by tuples. Only for an item whose extent is finite. */
  writtenOut(item: string): string {
    return item.replace(TYPE, (word) => {
      const struct = this.#byName.get(word);
      if (struct === undefined) return word;
      struct.written ??= `(${struct.fields.map((field) => this.writtenOut(field)).join(",")})`;
      return struct.written;
    });
  }

  #measured(name: string, above: Set<string>): { size: number; depth: number } {
    const struct = this.#byName.get(name);
    if (struct === undefined) return { size: 0, depth: 0 };
    if (above.has(name)) return { size: Number.POSITIVE_INFINITY, depth: Number.POSITIVE_INFINITY };
    if (struct.size === undefined || struct.depth === undefined) {
      const within = new Set(above).add(name);
      const inner = struct.fields.map((field) => this.#measured(/^[\w$]+/.exec(field)?.[0] ?? "", within));
      struct.size = inner.reduce((sum, { size }) => sum + 1 + size, 0);
      struct.depth = 1 + Math.max(0, ...inner.map(({ depth }) => depth));
    }
    return { size: struct.size, depth: struct.depth };
  }
}
