import { CrecError, crecError, fileError } from "../../errors.ts";
import { anything, callable, duration, name, optional, options, positiveWhole } from "../../options/index.ts";
import { CheckedLines, type StoredLines } from "../checked-lines.ts";
import { codeOf, type Files } from "../durable-files.ts";
import { fileAdvice } from "../file-advice.ts";
import { LineWriter } from "../line-writer.ts";
import { type DedupeDetails, type DedupeResult, type SeenEntry, SeenKeys } from "./seen-keys.ts";

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
  /** @internal */
  files?: Files | undefined;
};

const storeOptions = options<FileDedupeStoreOptions>({
  path: name,
  maxKeys: optional(positiveWhole),
  minIntervalMs: optional(duration),
  onWarning: optional(callable()),
  files: anything(),
});

/**
 * Remembers which keys were processed, over restarts, so that each is processed once: see `dedupeKey`. A key is
 * remembered in memory when it is accepted, and in the file within the interval. So a crash in between may let a key
 * be accepted twice, and a key that was never accepted is never refused.
 *
 * The file is appended to. When it has twice as many lines as keys are remembered, it is replaced as a whole.
 * @example
 * const store = new FileDedupeStore({ path: "processed-keys.log" });
 * await store.load();
 * const digest = paramsDigest(event);
 * store.accept(dedupeKey(event), { digest }); // → "new"
 * store.accept(dedupeKey(event), { digest }); // → "seen"
 * await store.close();
 */
export class FileDedupeStore {
  readonly #file: DedupeFile;
  readonly #maxKeys: number;
  readonly #keys: SeenKeys;
  readonly #onWarning: (message: string) => void;
  readonly #writer: LineWriter<SeenEntry>;
  #loading: Promise<void> | undefined;

  /** @throws {ArgumentError} for a `maxKeys` that is not a whole number above 0: no key would be remembered. */
  constructor(options: FileDedupeStoreOptions) {
    const {
      path,
      maxKeys = 10_000,
      minIntervalMs = 1_000,
      onWarning = () => {},
      files,
    } = storeOptions(options);
    this.#file = new DedupeFile(path, files);
    this.#maxKeys = maxKeys;
    this.#keys = new SeenKeys(maxKeys);
    this.#onWarning = onWarning;
    this.#writer = new LineWriter({
      file: this.#file,
      minIntervalMs,
      whole: () => this.#keys.entries(),
      isLong: ({ lines, added }) => lines + added > 2 * maxKeys,
      onFailure: (cause) => onWarning(fileError(cause)?.message ?? notWritten(path, cause)),
    });
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#keys.size;
  }

  /**
   * Reads the file, once. Call it before `accept`. After an error, the next call tries again.
   * @throws {CrecError} `SEEN_NOT_READ`, `STATE_FILE_NEWER`
   */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /**
   * Whether to process what has this key: `new` for a new key, which is remembered from now on, and when the delivery
   * that it first came with is delivered again: then it was not acknowledged. `contradicts` where the key was accepted
   * with another digest: two watchers read one log with different ABIs. Each further digest of a key passes once.
   */
  accept(key: string, details?: DedupeDetails): DedupeResult {
    const { result, entry } = this.#keys.accept(key, details);
    this.#writer.add(entry[0], entry);
    return result;
  }

  /** Writes what is not written yet. Call it before the process ends. */
  async close(): Promise<void> {
    await this.#writer.close();
  }

  async #load(): Promise<void> {
    const { entries, size, state, copy } = await this.#file.read();
    for (const entry of entries) this.#keys.remember(entry);
    if (state === "whole") this.#writer.continues(entries.length, size);
    if (state !== "damaged") return;
    this.#onWarning(
      `The file ${this.#file.path} with the keys that were processed before is torn or was changed. ${this.#keys.size} of at most ${this.#maxKeys} keys could be read; events with other keys may be processed once more. A copy is kept as ${copy}.`,
    );
    this.#writer.writeSoon();
  }
}

function notWritten(path: string, cause: unknown): string {
  return `The keys that were processed cannot be written to ${path} (${codeOf(cause)}). ${fileAdvice(cause)}. After a restart, events may be processed once more. The store tries again.`;
}

/** @internal A file with one entry a line, oldest first. */
export class DedupeFile extends CheckedLines<SeenEntry> {
  constructor(path: string, files?: Files) {
    const lost = "events that were processed may be processed once more";
    super(path, isEntry, { lost, makeError: crecError }, files);
  }

  /**
   * Reads the file. Of a damaged one a copy is kept, and its whole lines still count.
   * @throws {CrecError} `SEEN_NOT_READ`, `STATE_FILE_NEWER`
   */
  override async read(): Promise<StoredLines<SeenEntry>> {
    try {
      return await super.read();
    } catch (cause) {
      const refused = fileError(cause);
      if (refused) throw refused;
      throw new CrecError(
        "SEEN_NOT_READ",
        `The keys that were processed before cannot be read from ${this.path} (${codeOf(cause)}), so it is unknown which keys are new. ${fileAdvice(cause)}, then try again.`,
        { cause },
      );
    }
  }
}

function isEntry(value: unknown): value is SeenEntry {
  if (!Array.isArray(value)) return false;
  const [key, deliveryId, digest, ...more] = value;
  const isDigest = value.length === 2 || (typeof digest === "string" && digest !== "");
  return typeof key === "string" && typeof deliveryId === "string" && isDigest && more.length === 0;
}
