import { checksumOf } from "./checksum.ts";
import { appendDurably, type Files, readIfThere, removeLeftovers, writeDurably } from "./durable-files.ts";
import { type MakeError, refuseNewer } from "./newer.ts";

/** What was read: the whole lines, and the path of the copy of a damaged file. `size` in characters. */
export type StoredLines<Entry> = {
  entries: Entry[];
  size: number;
  state: "missing" | "whole" | "damaged";
  copy?: string;
};

/** For a file that a later version wrote. `lost`: what happens without it. */
type OnNewer = { lost: string; makeError: MakeError };

/**
 * A file with one entry a line, as JSON, oldest first. Each line carries a checksum, which shows whether the file is
 * whole, or torn or changed. Throws what the file system throws, and `STATE_FILE_NEWER`.
 */
export class CheckedLines<Entry> {
  readonly path: string;
  readonly #isEntry: (value: unknown) => value is Entry;
  readonly #onNewer: OnNewer;
  readonly #files: Files | undefined;

  constructor(path: string, isEntry: (value: unknown) => value is Entry, onNewer: OnNewer, files?: Files) {
    this.#files = files;
    this.path = path;
    this.#onNewer = onNewer;
    this.#isEntry = isEntry;
  }

  /** Reads the file. Of a damaged one a copy is kept, and its whole lines still count. */
  async read(): Promise<StoredLines<Entry>> {
    const text = await readIfThere(this.path, this.#files);
    if (text === undefined) return { entries: [], size: 0, state: "missing" };
    await removeLeftovers(this.path, this.#files);
    const lines = text.split("\n");
    const entries = lines.flatMap((line) => this.#parsed(line));
    const size = text.length;
    // A whole file ends with a line break, and is never empty.
    if (text !== "" && lines.at(-1) === "" && entries.length === lines.length - 1) {
      return { entries, size, state: "whole" };
    }
    // Named after its content, so that ten restarts make one copy.
    const copy = `${this.path}.damaged-${checksumOf(text).slice(0, 8)}`;
    await writeDurably(copy, text, { files: this.#files });
    return { entries, size, state: "damaged", copy };
  }

  /** Adds to the file, which must exist. A crash may leave a part of what was added. Returns the characters written. */
  async append(entries: readonly Entry[]): Promise<number> {
    const text = textOf(entries);
    await appendDurably(this.path, text, this.#files);
    return text.length;
  }

  /**
   * Replaces the file as a whole. After a crash at any moment it holds either the old entries or the new ones. Returns
   * the characters written.
   */
  async replace(entries: readonly Entry[]): Promise<number> {
    const text = textOf(entries);
    await writeDurably(this.path, text, { files: this.#files });
    return text.length;
  }

  #parsed(line: string): Entry[] {
    const [checksum = "", text = ""] = line.split(/ (.*)/s);
    if (checksum !== checksumOf(text)) return [];
    const value = parsedJson(text);
    const { lost, makeError } = this.#onNewer;
    refuseNewer(value, { what: `The file ${this.path}`, lost }, makeError);
    return this.#isEntry(value) ? [value] : [];
  }
}

function textOf(entries: readonly unknown[]): string {
  return entries
    .map((entry) => JSON.stringify(entry))
    .map((text) => `${checksumOf(text)} ${text}\n`)
    .join("");
}

/** A correct checksum says that the text is unchanged, not that this class wrote it. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
