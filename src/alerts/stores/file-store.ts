import { CrecError, crecError, fileError } from "../../errors.ts";
import { anything, callable, duration, name, optional, options, text } from "../../options/index.ts";
import { CheckedLines } from "../../storage/checked-lines.ts";
import { codeOf, type Files } from "../../storage/durable-files.ts";
import { fileAdvice } from "../../storage/file-advice.ts";
import { LineWriter } from "../../storage/line-writer.ts";
import type { AlertRecord, AlertStore } from "../types.ts";
import { checkWrite, replaced } from "./memory-store.ts";

export type FileAlertStoreOptions = {
  /** The file; its folder is created when missing. One file per rule. */
  path: string;
  /**
   * The file is written at most this often, to spare SD cards. Milliseconds.
   * @default 1_000
   */
  minIntervalMs?: number | undefined;
  /**
   * Called with a sentence when the file is damaged or cannot be written. Alerts may then be missed or repeated.
   * @default ignores it
   */
  onWarning?: ((message: string) => void) | undefined;
  /** @internal */
  files?: Files | undefined;
};

const storeOptions = options<FileAlertStoreOptions>({
  path: name,
  minIntervalMs: optional(duration),
  onWarning: optional(callable()),
  files: anything(),
});

/** The revision 0 has no value: the key was removed. */
type Entry = readonly [key: string, revision: number, value?: unknown];

const LOST = "what was counted is forgotten: alerts may be missed or repeated, and open ones have no end";
/** A file is not replaced before it is this long. In characters. */
const SHORT = 1_000_000;

/**
 * Keeps what a rule remembers in a file, over restarts. A value is kept in memory when it is written, and in the file
 * within the interval, or by `flush`: a crash loses what was counted since. Events that were not acknowledged are
 * delivered, and counted, again.
 *
 * The file is appended to. When it is more than twice as long as its current records, it is replaced as a whole.
 * @example
 * const store = new FileAlertStore({ path: "alerts.log" });
 * await store.write("a", 0, { count: 1 }); // → true
 * await store.close();
 */
export class FileAlertStore implements AlertStore {
  readonly #file: CheckedLines<Entry>;
  readonly #writer: LineWriter<Entry>;
  readonly #onWarning: (message: string) => void;
  readonly #records = new Map<string, AlertRecord>();
  /** Characters of the file when it was replaced last. */
  #wholeSize = 0;
  #loading: Promise<void> | undefined;

  constructor(options: FileAlertStoreOptions) {
    const { path, minIntervalMs = 1_000, onWarning = () => {}, files } = storeOptions(options);
    this.#file = new CheckedLines(path, isEntry, { lost: LOST, makeError: crecError }, files);
    this.#onWarning = onWarning;
    this.#writer = new LineWriter({
      file: this.#file,
      minIntervalMs,
      whole: () => this.#entries(),
      isLong: ({ lines, characters }) => this.#isLong(lines, characters),
      onFailure: (cause) => onWarning(fileError(cause)?.message ?? notWritten(path, cause)),
    });
  }

  /** @throws {CrecError} `ALERTS_NOT_READ`, `STATE_FILE_NEWER`. The next call tries again. */
  async read(key: string): Promise<AlertRecord | undefined> {
    text(key, "key");
    await this.#load();
    return this.#records.get(key);
  }

  /** @throws {CrecError} `ALERTS_NOT_READ`, `STATE_FILE_NEWER`. The next call tries again. */
  async write(key: string, revision: number, value: unknown): Promise<boolean> {
    checkWrite(key, revision);
    await this.#load();
    if (!replaced(this.#records, key, revision, value)) return false;
    this.#writer.add(key, value === undefined ? [key, 0] : [key, revision + 1, value]);
    return true;
  }

  /** @throws {CrecError} `ALERTS_NOT_READ`, `STATE_FILE_NEWER`. The next call tries again. */
  async keys(): Promise<string[]> {
    await this.#load();
    return [...this.#records.keys()];
  }

  /** Writes what is not written yet, without waiting for the interval. A failure is a warning. */
  async flush(): Promise<void> {
    await this.#writer.flush();
  }

  /** Writes what is not written yet. Call it before the process ends. */
  async close(): Promise<void> {
    await this.#loading?.catch(() => {});
    await this.#writer.close();
  }

  #load(): Promise<void> {
    this.#loading ??= this.#loadOnce().catch((error) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #loadOnce(): Promise<void> {
    const { entries, size, state, copy } = await this.#file.read().catch((cause) => {
      throw fileError(cause) ?? notRead(this.#file.path, cause);
    });
    for (const [key, revision, value] of entries) {
      if (revision === 0) this.#records.delete(key);
      else this.#records.set(key, { revision, value });
    }
    if (state === "whole") {
      this.#wholeSize = (size * this.#records.size) / entries.length;
      this.#writer.continues(entries.length, size);
    }
    if (state !== "damaged") return;
    this.#onWarning(
      `The file ${this.#file.path} with what an alert rule remembers is torn or was changed. ${this.#records.size} keys could be read; of others, alerts may be missed or repeated. A copy is kept as ${copy}.`,
    );
    this.#writer.writeSoon();
  }

  #entries(): Entry[] {
    return [...this.#records].map(([key, { revision, value }]) => [key, revision, value]);
  }

  #isLong(lines: number, characters: number): boolean {
    // Just replaced, so this is the size of the current records.
    if (lines === this.#records.size) this.#wholeSize = characters;
    return characters > SHORT + 2 * this.#wholeSize;
  }
}

function isEntry(value: unknown): value is Entry {
  if (!Array.isArray(value)) return false;
  const [key, revision, ...rest] = value;
  if (typeof key !== "string" || !Number.isSafeInteger(revision) || revision < 0) return false;
  return rest.length === (revision === 0 ? 0 : 1);
}

function notRead(path: string, cause: unknown): CrecError {
  return new CrecError(
    "ALERTS_NOT_READ",
    `What an alert rule remembers cannot be read from ${path} (${codeOf(cause)}), so it is unknown what was counted. ${fileAdvice(cause)}, then try again.`,
    { cause, retryable: true },
  );
}

function notWritten(path: string, cause: unknown): string {
  return `What an alert rule remembers cannot be written to ${path} (${codeOf(cause)}). ${fileAdvice(cause)}. After a restart, alerts may be missed or repeated. The store tries again.`;
}
