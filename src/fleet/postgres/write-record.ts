import type { StoredRecord } from "../engine.ts";
import { createRecord } from "./create-record.ts";
import { readRecord } from "./read-record.ts";
import { removeRecord } from "./remove-record.ts";
import { replaceRecord } from "./replace-record.ts";
import type { Run } from "./statement.ts";

/** The statement that a write needs. Each of them is atomic, and decides by the revision. */
export async function writeRecord(
  place: { run: Run; namespace: string },
  record: StoredRecord,
  removed: number,
): Promise<number | undefined> {
  const { scope, key, revision, text } = record;
  if (text !== undefined) {
    return revision === 0 ? createRecord(place, record, text, removed) : replaceRecord(place, record, text);
  }
  const isGone =
    revision === 0 ? (await readRecord(place, scope, key)) === undefined : await removeRecord(place, record);
  return isGone ? 0 : undefined;
}
