import type { PastEvent } from "../../shared/job.ts";

const BATCH = 500;

type Source = AsyncIterable<readonly PastEvent[]>;
type Head = { batches: AsyncIterator<readonly PastEvent[]>; batch: readonly PastEvent[]; index: number };

/**
 * The events of several channels in the order of their times. At the same time, the order is that of the channels; in a
 * channel it never changes.
 */
export async function* mergeByTime(sources: readonly Source[]): AsyncGenerator<readonly PastEvent[]> {
  const [only] = sources;
  if (only !== undefined && sources.length === 1) return yield* only;
  const opened = sources.map((source) => ({ batches: source[Symbol.asyncIterator](), batch: [], index: 0 }));
  try {
    let heads: Head[] = [];
    for (const head of opened) if (await fill(head)) heads.push(head);
    let merged: PastEvent[] = [];
    while (heads.length > 0) {
      const head = heads.reduce((first, other) => (timeAt(other) < timeAt(first) ? other : first));
      const event = head.batch[head.index];
      if (event) merged.push(event);
      head.index += 1;
      if (head.index >= head.batch.length && !(await fill(head)))
        heads = heads.filter((other) => other !== head);
      if (merged.length < BATCH) continue;
      yield merged;
      merged = [];
    }
    if (merged.length > 0) yield merged;
  } finally {
    for (const { batches } of opened) await batches.return?.();
  }
}

function timeAt({ batch, index }: Head): number {
  return batch[index]?.at ?? Number.POSITIVE_INFINITY;
}

/** The next batch with events. Returns whether there is one. */
async function fill(head: Head): Promise<boolean> {
  for (;;) {
    const { done, value } = await head.batches.next();
    if (done) return false;
    if (value.length === 0) continue;
    [head.batch, head.index] = [value, 0];
    return true;
  }
}

/** Reads one batch ahead: the next one is read while the process works. */
export class Batches {
  readonly #iterator: AsyncIterator<readonly PastEvent[]>;
  #next: Promise<IteratorResult<readonly PastEvent[]>>;

  constructor(events: AsyncIterable<readonly PastEvent[]>) {
    this.#iterator = events[Symbol.asyncIterator]();
    this.#next = this.#read();
  }

  /** A batch that has events. Undefined after the last one. */
  async next(): Promise<readonly PastEvent[] | undefined> {
    for (;;) {
      const { done, value } = await this.#next;
      if (done) return undefined;
      this.#next = this.#read();
      if (value.length > 0) return value;
    }
  }

  async close(): Promise<void> {
    // A source that waits is ended by its own signal.
    void this.#iterator.return?.().catch(() => {});
  }

  #read(): Promise<IteratorResult<readonly PastEvent[]>> {
    const next = this.#iterator.next();
    // It is reported when the process asks for it.
    next.catch(() => {});
    return next;
  }
}
