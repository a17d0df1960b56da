import type { Timeline } from "../store/timeline.ts";

/** The form of an entry's id: the time line's own id, and a sequence number. */
export const POSITION_PATTERN = "^[0-9a-f]{8}-[0-9]{1,15}$";

export function idAt(timeline: Timeline, sequence: number): string {
  return `${timeline.id}-${sequence}`;
}

/**
 * The sequence number of an id after which all entries are still stored. Undefined when that is not possible: the id is
 * of another database, or entries after it have been removed.
 */
export function sequenceOf(timeline: Timeline, id: string): number | undefined {
  const [own, digits] = id.split("-");
  const sequence = Number(digits);
  const { oldest, newest } = timeline.range();
  return own === timeline.id && sequence >= oldest - 1 && sequence <= newest ? sequence : undefined;
}
