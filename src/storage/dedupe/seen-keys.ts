import { flag, kindOf, like, optional, options, positiveWhole, text } from "../../options/index.ts";

/** A delivery of a consumer that delivers an event again until it is acknowledged. */
export type DedupeDelivery = {
  /** The same each time the event is delivered, and different for another consumer or event. */
  id: string;
  /** Whether it may have been delivered before. */
  redelivered: boolean;
};

/** What an event is known by, besides its key. */
export type DedupeDetails = {
  delivery?: DedupeDelivery | undefined;
  /** Of its parameters: see `paramsDigest`. Without one, the key alone counts. */
  digest?: string | undefined;
};

const detailsOf = options<DedupeDetails>({
  delivery: optional(like<DedupeDelivery>({ id: text, redelivered: flag })),
  digest: optional(text),
});

/**
 * `new`: process it. `seen`: it was processed. `contradicts`: it was processed with another digest, and not yet with this
 * one; from now on it is seen, too.
 */
export type DedupeResult = "new" | "seen" | "contradicts";

/**
 * A key, the id of the delivery it first came with (empty where that delivery cannot come again), and the digest it came
 * with, if any.
 */
export type SeenEntry =
  | readonly [key: string, deliveryId: string]
  | readonly [key: string, deliveryId: string, digest: string];

const entryKind = kindOf<SeenEntry>(
  "a key with the id of its delivery, and its digest if it has one",
  (value) =>
    Array.isArray(value) &&
    /^[23]$/.test(String(value.length)) &&
    value.every((part) => typeof part === "string"),
);

/**
 * Keys that were processed, in memory, up to a number of them. Beyond that, the least recently used one is forgotten.
 * @example
 * const keys = new SeenKeys(10_000);
 * keys.accept(dedupeKey(event)).result; // → "new"
 * keys.accept(dedupeKey(event)).result; // → "seen"
 */
export class SeenKeys {
  readonly #most: number;
  /** The least recently used key comes first. */
  readonly #entries = new Map<string, SeenEntry>();

  constructor(most: number) {
    this.#most = positiveWhole(most, "most");
  }

  get size(): number {
    return this.#entries.size;
  }

  entries(): SeenEntry[] {
    return [...this.#entries.values()];
  }

  remember(entry: SeenEntry): void {
    const [key] = entryKind(entry, "entry");
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#most) break;
      this.#entries.delete(oldest);
    }
  }

  /** See `FileDedupeStore.accept`. `entry` is what is remembered now. */
  accept(key: string, details?: DedupeDetails): { result: DedupeResult; entry: SeenEntry } {
    text(key, "key");
    const given = detailsOf(details, "details");
    const { digest } = given;
    const [, , known] = this.#entries.get(key) ?? [];
    // A mark without a digest was made before there were any.
    const isOther = known !== undefined && digest !== undefined && known !== digest;
    if (!isOther) return this.#accept(key, given);
    // The first reading stays remembered for as long as others arrive.
    this.#accept(key, {});
    const { result, entry } = this.#accept(`${key} ${digest}`, given);
    return { result: result === "new" ? "contradicts" : result, entry };
  }

  #accept(key: string, { delivery, digest }: DedupeDetails): ReturnType<SeenKeys["accept"]> {
    const { id = "", redelivered = false } = delivery ?? {};
    const known = this.#entries.get(key);
    const entry: SeenEntry = known ?? (digest === undefined ? [key, id] : [key, id, digest]);
    this.remember(entry);
    const isAgain = known !== undefined && redelivered && known[1] !== "" && known[1] === id;
    return { result: known === undefined || isAgain ? "new" : "seen", entry };
  }
}
