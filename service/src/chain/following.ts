/** The chain may be busy replacing blocks, or its node may restart, for so long. */
const PATIENCE_MS = 15_000;

/** Whether the service follows the chain: for the start page and the health check. */
export class Following {
  readonly #now: () => number;
  #failing: { since: number; reason: string } | undefined;
  readonly #passedOver = new Set<number>();

  /** `now` returns milliseconds. */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Why the chain is not followed; undefined while it is, or will be in a moment. */
  get problem(): string | undefined {
    const failing = this.#failing;
    if (failing === undefined || this.#now() - failing.since < PATIENCE_MS) return undefined;
    return failing.reason;
  }

  /** Blocks that the node does not have, and whose events are not reported, since the start. */
  get passedOver(): number {
    return this.#passedOver.size;
  }

  succeeded(): void {
    this.#failing = undefined;
  }

  failed(reason: string): void {
    this.#failing = { since: this.#failing?.since ?? this.#now(), reason };
  }

  passOver(blocks: readonly number[]): void {
    for (const block of blocks) this.#passedOver.add(block);
  }
}
