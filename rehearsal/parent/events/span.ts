import { CrecError } from "../../../src/index.ts";

/** What a person chooses to rehearse. `from` and `to` are Unix milliseconds, and both are part of the span. */
type SpanChoice =
  | { last: number }
  | { from: number; to: number }
  | { offsets: readonly [first: number, last: number] }
  /** The path of a file of events. */
  | { file: string };

/** Of the events of a service. Times are Unix milliseconds; both ends are part of the span. */
export type Span =
  | { kind: "times"; from: number; to: number }
  | { kind: "offsets"; first: number; last: number };

const HOUR_MS = 3_600_000;

/**
 * The span of a choice. `now`: Unix milliseconds.
 * @throws {CrecError} `SPAN_INVALID`.
 */
export function spanOf(choice: Exclude<SpanChoice, { file: string }>, now: number): Span {
  if ("offsets" in choice) return offsetsOf(choice.offsets);
  if ("last" in choice) {
    if (!Number.isFinite(choice.last) || choice.last <= 0)
      throw invalid("The number of hours must be above 0. Enter how many hours back to start.");
    return { kind: "times", from: Math.round(now - choice.last * HOUR_MS), to: now };
  }
  const { from, to } = choice;
  if (!Number.isFinite(from) || !Number.isFinite(to))
    throw invalid("The start or the end of the span is not a time. Enter both.");
  if (from > to)
    throw invalid("The span starts after its end. Exchange the two times, or correct one of them.");
  return { kind: "times", from, to };
}

function offsetsOf([first, last]: readonly [number, number]): Span {
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last) || first < 0)
    throw invalid("Offsets must be whole numbers from 0. Enter the first and the last offset.");
  if (first > last)
    throw invalid("The first offset is above the last one. Exchange the two, or correct one of them.");
  return { kind: "offsets", first, last };
}

export function invalid(message: string): CrecError {
  return new CrecError("SPAN_INVALID", message);
}

/** @param where says what has been searched, and what to choose instead */
export function noEvents(where: string): CrecError {
  return new CrecError("NO_EVENTS_IN_SPAN", where);
}

export function beyondEnd(first: number, end: number): CrecError {
  return new CrecError(
    "OFFSETS_BEYOND_END",
    `The channel ends at offset ${end}, before the first offset of the span, ${first}. Choose offsets up to ${end}.`,
  );
}
