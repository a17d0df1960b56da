import { randomUUID } from "node:crypto";
import type { AlertStore } from "../types.ts";
import { type Change, Journal, PersistentMap, type Segment, type StoredJournal } from "./journal.ts";

/** Changes that are written with each write. */
const MOST_OPEN = 64;
/** So many segments at the end, each with fewer changes than this, become one. */
const MERGED = 8;
const SMALL = [512, 4_096] as const;
const LARGE = 4_096;

/** A segment, or changes that are to be one. */
type Part = Segment | ReadonlyArray<Change<unknown>>;

/** Whether a record of a store is a segment of a journal. */
export function isSegment(key: string): boolean {
  return key.startsWith("+");
}

/**
 * The journal with few open changes: others are moved into segments, which are written first. A segment that nothing
 * refers to is not read, so that a crash in between loses nothing.
 */
export async function sealed<Item>(journal: Journal<Item>, store: AlertStore): Promise<Journal<Item>> {
  if (journal.openCount <= MOST_OPEN) return journal;
  // A journal of few items needs no other record.
  if (journal.segments.length === 0 && journal.size <= MOST_OPEN / 2) return journal.renewed();
  if (journal.stored > 2 * journal.size + MERGED * MOST_OPEN) {
    return journal.sealed(await written([[...journal.items.entries()]], store));
  }
  let parts: Part[] = [...journal.segments, newest(journal.open())];
  for (const most of SMALL) parts = await merged(parts, most, store);
  return journal.sealed(await written(parts, store));
}

/** What was read, and the ids of what differs from what was known; undefined where that is not known. */
type ReadJournal<Item> = { journal: Journal<Item>; changed: Set<string> | undefined };

/** What is stored of a journal; `known` is an earlier version of it. */
export async function readJournal<Item>(
  stored: unknown,
  store: AlertStore,
  isItem: (item: unknown) => item is Item,
  known?: Journal<Item>,
): Promise<ReadJournal<Item> | undefined> {
  if (!isStored(stored)) return undefined;
  const { open, segments = [] } = stored;
  // No other journal has a segment of this name.
  const isKnown =
    known !== undefined &&
    known.segments.length > 0 &&
    known.segments.every(([name], index) => segments[index]?.[0] === name);
  let items = isKnown ? known.items : PersistentMap.of<Item>();
  const changed = new Set<string>();
  const apply = ([id, item]: Change<unknown>) => {
    changed.add(id);
    if (item === undefined) items = items.without(id);
    else if (isItem(item)) items = items.with(id, item);
  };
  const unread = segments.slice(isKnown ? known.segments.length : 0);
  for (const changes of await Promise.all(unread.map(([name]) => readSegment(name, store)))) {
    for (const change of changes) apply(change);
  }
  for (const change of open) apply(change);
  const ofItems = open.filter((change): change is Change<Item> => change.length === 1 || isItem(change[1]));
  return { journal: Journal.read(items, ofItems, segments), changed: isKnown ? changed : undefined };
}

/** Removes segments that are no longer referred to. What cannot be removed is never read. */
export async function removeSegments(names: Iterable<string>, store: AlertStore): Promise<void> {
  for (const name of names) {
    try {
      const record = await store.read(name);
      if (record !== undefined) await store.write(name, record.revision, undefined);
    } catch {
      return;
    }
  }
}

async function readSegment(name: string, store: AlertStore): Promise<Array<Change<unknown>>> {
  const value = (await store.read(name))?.value;
  return Array.isArray(value) ? value.filter(isChange) : [];
}

async function written(parts: readonly Part[], store: AlertStore): Promise<Segment[]> {
  const segments: Segment[] = [];
  for (const part of parts) {
    if (isNamed(part)) segments.push(part);
    else
      for (let from = 0; from < part.length; from += LARGE) {
        const changes = part.slice(from, from + LARGE);
        // Unlike a number, no other copy has this name.
        const name = `+${randomUUID()}`;
        await store.write(name, 0, changes);
        segments.push([name, changes.length]);
      }
  }
  return segments;
}

async function merged(parts: Part[], most: number, store: AlertStore): Promise<Part[]> {
  const countOf = (part: Part) => (isNamed(part) ? part[1] : part.length);
  const first = parts.findLastIndex((part) => countOf(part) >= most) + 1;
  if (parts.length - first < MERGED) return parts;
  const all: Array<Change<unknown>> = [];
  for (const part of parts.slice(first)) {
    all.push(...(isNamed(part) ? await readSegment(part[0], store) : part));
  }
  return [...parts.slice(0, first), newest(all)];
}

function isNamed(part: Part): part is Segment {
  return typeof part[0] === "string";
}

/** The last change of each item, in the order of the first one. */
function newest<Item>(changes: ReadonlyArray<Change<Item>>): Array<Change<Item>> {
  return [...new Map(changes.map((change) => [change[0], change])).values()];
}

function isStored(value: unknown): value is StoredJournal<unknown> {
  const { open, segments = [] } = (value ?? {}) as Partial<Record<"open" | "segments", unknown>>;
  return (
    Array.isArray(open) &&
    open.every(isChange) &&
    Array.isArray(segments) &&
    segments.every((one) => typeof one?.[0] === "string" && Number.isFinite(one[1]))
  );
}

function isChange(value: unknown): value is Change<unknown> {
  return Array.isArray(value) && typeof value[0] === "string" && value.length <= 2;
}
