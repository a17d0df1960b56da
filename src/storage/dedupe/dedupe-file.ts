import { CrecError, crecError, fileError } from "../../errors.ts";
import { CheckedLines, type StoredLines } from "../checked-lines.ts";
import { codeOf, type Files } from "../durable-files.ts";
import { fileAdvice } from "../file-advice.ts";
import type { SeenEntry } from "./seen-keys.ts";

/** A file with one entry a line, oldest first. */
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
