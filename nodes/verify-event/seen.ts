import { appendEntries, codeOf, type Entry, readEntries, replaceEntries } from "./seen-file.ts";

export type SeenOptions = {
  /** The file; one a memory. */
  path: string;
  /** How many keys are remembered: beyond that, the least recently seen is forgotten. */
  most: number;
  /** Told of what a person must know: a damaged file, a file that cannot be written. */
  onProblem: (message: string) => void;
  /** Written at most this often, to spare SD cards. Milliseconds; 1,000. */
  intervalMs?: number;
};

/** One that comes again until it is processed. */
export type SeenDelivery = {
  name: string;
  /** By what its message says. */
  isRepeated: boolean;
};

/**
 * What was sent on before, bounded and kept over restarts. A key is noted in memory before its message goes on, and
 * in the file within the interval: a crash in between may let a key through twice, and never keeps back one that
 * was not sent on.
 *
 * The file is appended to, and replaced as a whole when half of it is of no use any more.
 */
export class SeenMemory {
  readonly #options: Required<SeenOptions>;
  /** From the least recently seen on. */
  #seen = new Map<string, string>();
  #unwritten: Entry[] = [];
  /** Lines in the file; infinitely many where it has to be written anew. */
  #lines = Number.POSITIVE_INFINITY;
  #loading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #writtenAt = Number.NEGATIVE_INFINITY;
  #failing = false;
  #closed = false;

  constructor(options: SeenOptions) {
    this.#options = { intervalMs: 1_000, ...options };
  }

  get size(): number {
    return this.#seen.size;
  }

  /** Reads the file, once. Throws `SEEN_NOT_READ`, and tries again when it is called again. */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /**
   * Whether a key is new, and from now on it is not: after `load`, and before its message is sent on. So is the
   * delivery it first came with where that is repeated, since it was not processed.
   */
  isFirst(key: string, { name, isRepeated }: SeenDelivery = { name: "", isRepeated: false }): boolean {
    const before = this.#seen.get(key);
    this.#note([key, before ?? name]);
    this.#unwritten.push([key, before ?? name]);
    this.#writeSoon();
    return before === undefined || (isRepeated && before !== "" && before === name);
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#write();
  }

  async #load(): Promise<void> {
    const { path, most, onProblem } = this.#options;
    const { entries, state, copy } = await readEntries(path);
    for (const entry of entries) this.#note(entry);
    if (state === "whole") this.#lines = entries.length;
    if (state !== "damaged") return;
    onProblem(
      `The file ${path}, in which this node remembers what it has seen, is torn or was changed. ${this.#seen.size} of at most ${most} keys could be read; what the others stand for can come once more. A copy was kept as ${copy}.`,
    );
    this.#writeSoon();
  }

  #note([key, delivery]: Entry): void {
    this.#seen.delete(key);
    this.#seen.set(key, delivery);
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= this.#options.most) break;
      this.#seen.delete(oldest);
    }
  }

  #writeSoon(): void {
    if (this.#timer !== undefined || this.#closed) return;
    const waitMs = this.#writtenAt + this.#options.intervalMs - performance.now();
    this.#timer = setTimeout(() => this.#write(), Math.max(0, waitMs));
    this.#timer.unref();
  }

  /** One write after another. Never rejects: what could not be written is written with the next. */
  #write(): Promise<void> {
    this.#timer = undefined;
    this.#writing = this.#writing.then(async () => {
      const { path, most, onProblem } = this.#options;
      const entries = this.#unwritten;
      const isAnew = this.#lines + entries.length > 2 * most;
      if (entries.length === 0 && !(isAnew && this.#seen.size > 0)) return;
      this.#unwritten = [];
      this.#writtenAt = performance.now();
      try {
        await (isAnew ? replaceEntries(path, [...this.#seen]) : appendEntries(path, entries));
        this.#lines = isAnew ? this.#seen.size : this.#lines + entries.length;
        this.#failing = false;
      } catch (cause) {
        // How much of it was written is not known.
        this.#lines = Number.POSITIVE_INFINITY;
        if (!this.#failing) onProblem(notWritten(path, cause));
        this.#failing = true;
        this.#writeSoon();
      }
    });
    return this.#writing;
  }
}

function notWritten(path: string, cause: unknown): string {
  return `What this node has seen cannot be written to ${path} (${codeOf(cause)}). Check free space and permissions: after a restart, events can come once more. It is tried again.`;
}
