/** A struct of human-readable ABI text, with what it comes to when it is written out. */
type Struct = { text: string; types: string[]; size?: number; depth?: number };

/** How many parameters something has when its structs are written out, how deep, and the texts of those structs. */
export type Extent = { size: number; depth: number; structs: string[] };

/**
 * The structs of human-readable ABI text, each measured once: written out they may be exponentially larger than their
 * text, so they are measured before anything is written out.
 */
export class Structs {
  readonly #byName = new Map<string, Struct>();

  /** `texts` are items such as `struct Point { uint x; uint y; }`. Others are passed over. */
  constructor(texts: readonly string[]) {
    for (const text of texts) {
      const [, name, body] = /^struct ([\w$]+) ?\{(.*)\}$/s.exec(text) ?? [];
      if (name === undefined || body === undefined) continue;
      const types = body.split(";").flatMap((field) => /^ ?([\w$]+)/.exec(field)?.[1] ?? []);
      this.#byName.set(name, { text, types });
    }
  }

  /** What an item, such as a function, comes to. A struct that holds itself is infinitely large. */
  extentOf(item: string): Extent {
    const used = new Set<string>();
    let size = item.split(",").length;
    let depth = 0;
    for (const [word] of item.matchAll(/[\w$]+/g)) {
      if (!this.#byName.has(word)) continue;
      const struct = this.#measured(word, new Set());
      size += struct.size ?? 0;
      depth = Math.max(depth, struct.depth ?? 0);
      this.#collect(word, used);
    }
    return { size, depth, structs: [...used].map((name) => this.#byName.get(name)?.text ?? "") };
  }

  #measured(name: string, above: Set<string>): Struct {
    const struct = this.#byName.get(name);
    if (struct === undefined) return { text: "", types: [], size: 0, depth: 0 };
    if (above.has(name))
      return { ...struct, size: Number.POSITIVE_INFINITY, depth: Number.POSITIVE_INFINITY };
    if (struct.size !== undefined) return struct;
    const within = new Set(above).add(name);
    const inner = struct.types.map((type) => this.#measured(type, within));
    struct.size = inner.reduce((sum, { size = 0 }) => sum + 1 + size, 0);
    struct.depth = 1 + Math.max(0, ...inner.map(({ depth = 0 }) => depth));
    return struct;
  }

  #collect(name: string, used: Set<string>): void {
    const struct = this.#byName.get(name);
    if (struct === undefined || used.has(name)) return;
    used.add(name);
    for (const type of struct.types) this.#collect(type, used);
  }
}
