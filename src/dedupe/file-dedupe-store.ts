import { ArgumentError } from "../errors.ts";
import { codeOf } from "../files/durable-files.ts";
import { LineWriter } from "../files/line-writer.ts";
import { DedupeFile, type Entry } from "./dedupe-file.ts";
import { type DedupeDelivery, DedupeKeys } from "./keys.ts";

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
  readonly #keys: DedupeKeys;
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
    this.#keys = new DedupeKeys(maxKeys);
    this.#maxKeys = maxKeys;
    this.#onWarning = onWarning;
    this.#writer = new LineWriter({
      file: this.#file,
      minIntervalMs,
      whole: () => this.#keys.entries,
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
    const isAccepted = this.#keys.accept(key, delivery);
    this.#writer.add(key, [key, this.#keys.deliveryOf(key) ?? ""]);
    return isAccepted;
  }

  /** Writes what is not written yet. Call it before the process ends. */
  async close(): Promise<void> {
    await this.#writer.close();
  }

  async #load(): Promise<void> {
    const { entries, size, state, copy } = await this.#file.read();
    for (const [key, deliveryId] of entries) this.#keys.remember(key, deliveryId);
    if (state === "whole") this.#writer.continues(entries.length, size);
    if (state !== "damaged") return;
    this.#onWarning(
      `The file ${this.#file.path} with the keys that were processed before is torn or was changed. ${this.#keys.size} of at most ${this.#maxKeys} keys could be read; events with other keys may be processed once more. A copy is kept as ${copy}.`,
    );
    this.#writer.writeSoon();
  }
}

function notWritten(path: string, cause: unknown): string {
  return `The keys that were processed cannot be written to ${path} (${codeOf(cause)}). Check free space and permissions: after a restart, events may be processed once more. The store tries again.`;
}
