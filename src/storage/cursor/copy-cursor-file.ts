import { name } from "../../options/index.ts";
import { DurableFiles } from "../durable-files.ts";
import { cursorFileText, parseCursorFile } from "./file-store.ts";

/**
 * Copies a cursor file to another disk, for a move. The copy counts as the original, not as one that was restored from a
 * backup. What is not a whole cursor is copied as it is. The copy is complete, or does not exist.
 * @throws errors of the disk
 * @example
 * await copyCursorFile("old/alerts.json", "new/alerts.json");
 */
export async function copyCursorFile(from: string, to: string): Promise<void> {
  name(from, "from");
  name(to, "to");
  const files = new DurableFiles();
  const text = await files.read(from);
  if (text === undefined) return;
  const stored = parseCursorFile(text);
  const isOriginal = stored?.mark !== undefined && (await files.isWithMark(from, stored.mark));
  await files.replace(to, (mark) => (isOriginal ? cursorFileText(stored.state, { ...stored, mark }) : text));
}
