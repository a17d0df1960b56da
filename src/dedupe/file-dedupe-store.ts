import { ArgumentError } from "../errors.ts";
import { codeOf } from "../files/durable-files.ts";
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
  readonly #minIntervalMs: number;
  readonly #onWarning: (message: string) => void;
  /** Delivery ids by key. The least recently used key comes first. */
  #keys = new Map<string, string>();
  #unwritten: Entry[] = [];
  /** Lines in the file. Infinite where the file has to be replaced. */
  #lines = Number.POSITIVE_INFINITY;
  #loading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #writtenAt = Number.NEGATIVE_INFINITY;
  #isFailing = false;
  #isClosed = false;

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
    this.#minIntervalMs = minIntervalMs;
    this.#onWarning = onWarning;
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
    this.#unwritten.push(entry);
    this.#writeSoon();
    return known === undefined || (redelivered && known !== "" && known === id);
  }

  /** Writes what is not written yet. Call it before the process ends. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#write();
  }

  async #load(): Promise<void> {
    const { entries, state, copy } = await this.#file.read();
    for (const entry of entries) this.#remember(entry);
    if (state === "whole") this.#lines = entries.length;
    if (state !== "damaged") return;
    this.#onWarning(
      `The file ${this.#file.path} with the keys that were processed before is torn or was changed. ${this.#keys.size} of at most ${this.#maxKeys} keys could be read; events with other keys may be processed once more. A copy is kept as ${copy}.`,
    );
    this.#writeSoon();
  }

  #remember([key, deliveryId]: Entry): void {
    this.#keys.delete(key);
    this.#keys.set(key, deliveryId);
    for (const oldest of this.#keys.keys()) {
      if (this.#keys.size <= this.#maxKeys) break;
      this.#keys.delete(oldest);
    }
  }

  #writeSoon(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    const waitMs = this.#writtenAt + this.#minIntervalMs - performance.now();
    this.#timer = setTimeout(() => this.#write(), Math.max(0, waitMs));
    this.#timer.unref();
  }

  /** One write after another. Never rejects: what could not be written is written with the next. */
  #write(): Promise<void> {
    this.#timer = undefined;
    this.#writing = this.#writing.then(async () => {
      const entries = this.#unwritten;
      const replaces = this.#lines + entries.length > 2 * this.#maxKeys;
      if (entries.length === 0 && !(replaces && this.#keys.size > 0)) return;
      this.#unwritten = [];
      this.#writtenAt = performance.now();
      try {
        await (replaces ? this.#file.replace([...this.#keys]) : this.#file.append(entries));
        this.#lines = replaces ? this.#keys.size : this.#lines + entries.length;
        this.#isFailing = false;
      } catch (cause) {
        // How much of it was written is unknown.
        this.#lines = Number.POSITIVE_INFINITY;
        if (!this.#isFailing) this.#onWarning(notWritten(this.#file.path, cause));
        this.#isFailing = true;
        this.#writeSoon();
      }
    });
    return this.#writing;
  }
}

function notWritten(path: string, cause: unknown): string {
  return `The keys that were processed cannot be written to ${path} (${codeOf(cause)}). Check free space and permissions: after a restart, events may be processed once more. The store tries again.`;
}
