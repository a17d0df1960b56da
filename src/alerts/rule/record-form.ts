import type { Journal } from "../journal/journal.ts";
import { removeSegments } from "../journal/stored-journal.ts";
import type { AlertStore } from "../types.ts";

/** How a value is stored: in its record what changed last, and the rest of its journals in records of their own. */
export type RecordForm<Value> = {
  /** What the record of a key has; undefined for what cannot be read. `known`: what it had before. */
  read: (key: string, value: unknown, known: Value | undefined) => Promise<Value | undefined>;
  /** The same value, with few changes that are in no segment: see `sealed` of journals. */
  sealed: (value: Value) => Promise<Value>;
  /** What is written to the record. */
  stored: (value: Value) => unknown;
  /** The same value, with what has to be kept for long to be written again. */
  renewed: (value: Value) => Value;
  journals: (value: Value) => Array<Journal<unknown> | undefined>;
};

/** Removes what one value refers to, and another one does not. */
export async function removeUnused<Value>(
  form: RecordForm<Value>,
  store: AlertStore,
  { before, now }: { before: Value | undefined; now: Value | undefined },
): Promise<void> {
  const journals = now && form.journals(now);
  const isSame = (journal: Journal<unknown> | undefined, index: number) =>
    journal?.segments === journals?.[index]?.segments;
  if (before !== undefined && form.journals(before).every(isSame)) return;
  const old = namesOf(form, before);
  const used = namesOf(form, now);
  await removeSegments(
    [...old].filter((name) => !used.has(name)),
    store,
  );
}

/** The segments that a value refers to. */
export function namesOf<Value>(form: RecordForm<Value>, value: Value | undefined): Set<string> {
  const journals = value === undefined ? [] : form.journals(value);
  return new Set(journals.flatMap((journal) => journal?.segments.map(([name]) => name) ?? []));
}
