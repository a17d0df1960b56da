import { CrecError } from "../errors.ts";
import { checksumOf } from "../files/checksum.ts";
import { codeOf, DurableFiles } from "../files/durable-files.ts";

/** A key, and the id of the delivery it first came with; empty where that delivery cannot come again. */
export type Entry = readonly [key: string, deliveryId: string];

/** What was read: the whole lines, and the path of the copy of a damaged file. */
export type StoredEntries = { entries: Entry[]; state: "missing" | "whole" | "damaged"; copy?: string };

/**
 * A file with one entry a line, oldest first. Each line carries a checksum, which shows whether the file
 * is whole, or torn or changed.
 */
export class DedupeFile {
  readonly path: string;
  readonly #files = new DurableFiles();

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Reads the file. Of a damaged one a copy is kept, and its whole lines still count.
   * @throws {CrecError} `SEEN_NOT_READ`
   */
  async read(): Promise<StoredEntries> {
    try {
      const text = await this.#files.read(this.path);
      if (text === undefined) return { entries: [], state: "missing" };
      await this.#files.removeLeftovers(this.path);
      const lines = text.split("\n");
      const entries = lines.flatMap(parse);
      // A whole file ends with a line break, and is never empty.
      if (text !== "" && lines.at(-1) === "" && entries.length === lines.length - 1) {
        return { entries, state: "whole" };
      }
      // Named after its content, so that ten restarts make one copy.
      const copy = `${this.path}.damaged-${checksumOf(text).slice(0, 8)}`;
      await this.#files.replace(copy, () => text);
      return { entries, state: "damaged", copy };
    } catch (cause) {
      throw new CrecError(
        "SEEN_NOT_READ",
        `The keys that were processed before cannot be read from ${this.path} (${codeOf(cause)}), so it is unknown which keys are new. Check permissions and free space, and try again.`,
        { cause },
      );
    }
  }

  /** Adds to the file, which must exist. A crash may leave a part of what was added. */
  append(entries: readonly Entry[]): Promise<void> {
    return this.#files.append(this.path, textOf(entries));
  }

  /** Replaces the file as a whole. After a crash at any moment it holds either the old entries or the new ones. */
  replace(entries: readonly Entry[]): Promise<void> {
    return this.#files.replace(this.path, () => textOf(entries));
  }
}

function textOf(entries: readonly Entry[]): string {
  return entries
    .map((entry) => JSON.stringify(entry))
    .map((text) => `${checksumOf(text)} ${text}\n`)
    .join("");
}

function parse(line: string): Entry[] {
  const [checksum = "", text = ""] = line.split(/ (.*)/s);
  if (checksum !== checksumOf(text)) return [];
  const [key, deliveryId, ...more] = listIn(text);
  const isEntry = typeof key === "string" && typeof deliveryId === "string" && more.length === 0;
  return isEntry ? [[key, deliveryId]] : [];
}

/** A correct checksum says that the text is unchanged, not that this class wrote it. */
function listIn(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
