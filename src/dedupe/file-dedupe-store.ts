import { ArgumentError } from "../errors.ts";
import { codeOf } from "../files/durable-files.ts";
import { LineWriter } from "../files/line-writer.ts";
import { DedupeFile, type Entry } from "./dedupe-file.ts";

export type FileDedupeStoreOptions = {
  /** The file; its folder is created when missing. One file per store. */
  path: string;
  /**
   * How many keys are remembered. Beyond that, the least recently used key is forgotten.
   * @default 10_000
   */
  maxKeys?: number | undefined;
  /**
   * The file is written at most this often, to spare SD cards. Milliseconds.
   * @default 1_000
   */
  minIntervalMs?: number | undefined;
  /**
   * Called with a sentence when the file is damaged or cannot be written. Some keys may then be accepted a second time.
   * @default ignores it
   */
  onWarning?: ((message: string) => void) | undefined;
};

/** A delivery of a consumer that delivers an event again until it is acknowledged. */
export type DedupeDelivery = {
  /** The same each time the event is delivered, and different for another consumer or event. */
  id: string;
  /** Whether it may have been delivered before. */
  redelivered: boolean;
};

/**
 * Remembers which keys were processed, over restarts, so that each is processed once: see `dedupeKey`. A key is
 * remembered in memory when it is accepted, and in the file within the interval. So a crash in between may let a key
 * be accepted twice, and a key that was never accepted is never refused.
 *
 * The file is appended to. When it has twice as many lines as keys are remembered, it is replaced as a whole.
 * @example
 * const store = new FileDedupeStore({ path: "processed-keys.log" });
 * await store.load();
 * store.accept(dedupeKey(event)); // → true
 * store.accept(dedupeKey(event)); // → false
 * await store.close();
 */
export class FileDedupeStore {
  readonly #file: DedupeFile;
  readonly #maxKeys: number;
  readonly #onWarning: (message: string) => void;
  readonly #writer: LineWriter<Entry>;
  /** Delivery ids by key. The least recently used key comes first. */
  #keys = new Map<string, string>();
  #loading: Promise<void> | undefined;

  /** @throws {ArgumentError} for a `maxKeys` that is not a whole number above 0: no key would be remembered. */
  constructor({
    path,
    maxKeys = 10_000,
    minIntervalMs = 1_000,
    onWarning = () => {},
  }: FileDedupeStoreOptions) {
    if (!Number.isSafeInteger(maxKeys) || maxKeys < 1) {
      throw new ArgumentError("maxKeys", "maxKeys must be a whole number above 0.");
    }
    this.#file = new DedupeFile(path);
    this.#maxKeys = maxKeys;
    this.#onWarning = onWarning;
    this.#writer = new LineWriter({
      file: this.#file,
      minIntervalMs,
      whole: () => [...this.#keys],
      isLong: ({ lines, added }) => lines + added > 2 * maxKeys,
      onFailure: (cause) => onWarning(notWritten(path, cause)),
    });
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#keys.size;
  }

  /**
   * Reads the file, once. Call it before `accept`. After an error, the next call tries again.
   * @throws {CrecError} `SEEN_NOT_READ`
   */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /**
   * Whether to process what has this key. True for a new key, which is remembered from now on, and when the delivery
   * that the key first came with is delivered again: then it was not acknowledged.
   */
  accept(key: string, delivery: DedupeDelivery = { id: "", redelivered: false }): boolean {
    const { id, redelivered } = delivery;
    const known = this.#keys.get(key);
    const entry = [key, known ?? id] as const;
    this.#remember(entry);
    this.#writer.add(key, entry);
    return known === undefined || (redelivered && known !== "" && known === id);
  }

  /** Writes what is not written yet. Call it before the process ends. */
  async close(): Promise<void> {
    await this.#writer.close();
  }

  async #load(): Promise<void> {
    const { entries, size, state, copy } = await this.#file.read();
    for (const entry of entries) this.#remember(entry);
    if (state === "whole") this.#writer.continues(entries.length, size);
    if (state !== "damaged") return;
    this.#onWarning(
      `The file ${this.#file.path} with the keys that were processed before is torn or was changed. ${this.#keys.size} of at most ${this.#maxKeys} keys could be read; events with other keys may be processed once more. A copy is kept as ${copy}.`,
    );
    this.#writer.writeSoon();
  }

  #remember([key, deliveryId]: Entry): void {
    this.#keys.delete(key);
    this.#keys.set(key, deliveryId);
    for (const oldest of this.#keys.keys()) {
      if (this.#keys.size <= this.#maxKeys) break;
      this.#keys.delete(oldest);
    }
  }
}

function notWritten(path: string, cause: unknown): string {
  return `The keys that were processed cannot be written to ${path} (${codeOf(cause)}). Check free space and permissions: after a restart, events may be processed once more. The store tries again.`;
}
