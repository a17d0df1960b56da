import { randomUUID } from "node:crypto";
import type { DedupeDetails, OnceMark, OnceResult, SharedState } from "../../src/index.ts";

type SharedOnceOptions = {
  shared: Pick<SharedState, "once">;
  /** Marks of different nodes do not meet. */
  scope: string;
  ttlMs: number;
};

type Fence = OnceMark["fence"];

const MOST_UNCERTAIN = 10_000;

/** Remembers, together with all copies of the flow, which keys were processed. */
export class SharedOnce {
  readonly #options: SharedOnceOptions;
  /** Delivery ids by key, of calls that failed: whether the engine carried them out is not known. */
  readonly #uncertain = new Map<string, string>();

  constructor(options: SharedOnceOptions) {
    this.#options = options;
  }

  /**
   * Whether to process a key now; see `FileDedupeStore.accept`. A key whose message failed here before, because the engine
   * could not be reached, is still new when the message is sent again.
   * @throws the retryable error of the engine
   */
  async accept(key: string, details: DedupeDetails, fence: Fence): Promise<OnceResult> {
    const result = await this.#mark(key, details, fence);
    if (result !== "contradicts") return result;
    const reading = await this.#mark(`${key} ${details.digest}`, details, fence);
    return reading === "new" ? "contradicts" : reading;
  }

  async #mark(key: string, { delivery, digest }: DedupeDetails, fence: Fence): Promise<OnceResult> {
    const { shared, scope, ttlMs } = this.#options;
    const failed = this.#uncertain.get(key);
    const id = delivery?.id ?? failed ?? randomUUID();
    const redelivered = delivery?.redelivered === true || failed === id;
    try {
      const result = await shared.once({ scope, key, ttlMs, delivery: { id, redelivered }, digest, fence });
      this.#uncertain.delete(key);
      return result;
    } catch (error) {
      if (this.#uncertain.size < MOST_UNCERTAIN) this.#uncertain.set(key, id);
      throw error;
    }
  }
}
