/** A delivery of a consumer that delivers an event again until it is acknowledged. */
export type DedupeDelivery = {
  /** The same each time the event is delivered, and different for another consumer or event. */
  id: string;
  /** Whether it may have been delivered before. */
  redelivered: boolean;
};

/** The keys that were processed, in memory. Beyond `maxKeys`, the least recently used key is forgotten. */
export class DedupeKeys {
  readonly #maxKeys: number;
  /** Delivery ids by key. The least recently used key comes first. */
  readonly #keys = new Map<string, string>();

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys;
  }

  get size(): number {
    return this.#keys.size;
  }

  /** Keys with their delivery ids. */
  get entries(): Array<[key: string, deliveryId: string]> {
    return [...this.#keys];
  }

  /** As `FileDedupeStore.accept`. */
  accept(key: string, { id, redelivered }: DedupeDelivery): boolean {
    const known = this.#keys.get(key);
    this.remember(key, known ?? id);
    return known === undefined || (redelivered && known !== "" && known === id);
  }

  /** The id of the delivery that a key first came with. */
  deliveryOf(key: string): string | undefined {
    return this.#keys.get(key);
  }

  remember(key: string, deliveryId: string): void {
    this.#keys.delete(key);
    this.#keys.set(key, deliveryId);
    for (const oldest of this.#keys.keys()) {
      if (this.#keys.size <= this.#maxKeys) break;
      this.#keys.delete(oldest);
    }
  }
}
