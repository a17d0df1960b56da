import type { CheckedLines } from "./checked-lines.ts";

/** The size of a file, and of what would be appended. If `lines` is infinite, it has to be replaced. */
type FileSize = { lines: number; characters: number; added: number };

type LineWriterOptions<Entry> = {
  file: CheckedLines<Entry>;
  /** The file is written at most this often. Milliseconds. */
  minIntervalMs: number;
  /** All current entries, oldest first. */
  whole: () => Entry[];
  /** Whether it is time to replace the file as a whole. */
  isLong: (size: FileSize) => boolean;
  /** Called once, until it can be written again. */
  onFailure: (cause: unknown) => void;
};

/** Appends lines to a file at most once per interval, and replaces the file as a whole when it has become long. */
export class LineWriter<Entry> {
  readonly #options: LineWriterOptions<Entry>;
  /** By key: of a key that was changed twice, only the newest is written. */
  #unwritten = new Map<string, Entry>();
  #lines = Number.POSITIVE_INFINITY;
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #writtenAt = Number.NEGATIVE_INFINITY;
  #isFailing = false;
  #isClosed = false;

  constructor(options: LineWriterOptions<Entry>) {
    this.#options = options;
  }

  /** The file is whole, and has this much. Until this is called, it has to be replaced. */
  continues(lines: number, characters: number): void {
    this.#lines = lines;
    this.#characters = characters;
  }

  add(key: string, entry: Entry): void {
    this.#unwritten.delete(key);
    this.#unwritten.set(key, entry);
    this.writeSoon();
  }

  writeSoon(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    const waitMs = this.#writtenAt + this.#options.minIntervalMs - performance.now();
    this.#timer = setTimeout(() => this.#write(), Math.max(0, waitMs));
    this.#timer.unref();
  }

  /**
   * Writes what is not written yet, without waiting for the interval. Never rejects: where writing failed, it is tried
   * again after the interval.
   */
  async flush(): Promise<void> {
    if (this.#isFailing) return;
    clearTimeout(this.#timer);
    await this.#write();
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#write();
  }

  /** One write after another. Never rejects: what could not be written is written with the next. */
  #write(): Promise<void> {
    this.#timer = undefined;
    this.#writing = this.#writing.then(async () => {
      const { file, whole, isLong, onFailure } = this.#options;
      const entries = [...this.#unwritten.values()];
      const size = { lines: this.#lines, characters: this.#characters, added: entries.length };
      const all = this.#lines === Number.POSITIVE_INFINITY || isLong(size) ? whole() : undefined;
      if (entries.length === 0 && (all === undefined || all.length === 0)) return;
      this.#unwritten = new Map();
      this.#writtenAt = performance.now();
      try {
        if (all !== undefined) {
          // A whole file is never empty: where all was removed, the removals are written.
          const lines = all.length > 0 ? all : entries;
          this.continues(lines.length, await file.replace(lines));
        } else this.continues(this.#lines + entries.length, this.#characters + (await file.append(entries)));
        this.#isFailing = false;
      } catch (cause) {
        // How much of it was written is unknown.
        this.#lines = Number.POSITIVE_INFINITY;
        if (!this.#isFailing) onFailure(cause);
        this.#isFailing = true;
        this.writeSoon();
      }
    });
    return this.#writing;
  }
}
