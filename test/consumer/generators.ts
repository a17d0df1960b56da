import fc from "fast-check";
import { CrecError } from "../../src/errors.ts";
import type { EventEnvelope } from "../../src/protocol/index.ts";
import { type Habits, makeEvent } from "./simulation.ts";

/** How many events a page has. */
export const PAGE = 80;

/** Every kind of service that the documents leave room for. */
export const habits: fc.Arbitrary<Habits> = fc.record({
  inclusive: fc.boolean(),
  direction: fc.constantFrom("up" as const, "down" as const),
  order: fc.constantFrom("ascending" as const, "descending" as const, "mixed" as const),
  hasMore: fc.constantFrom("honest" as const, "always" as const, "never" as const),
  pageCap: fc.constantFrom(PAGE, PAGE, 60, 20),
  repeats: fc.boolean(),
  honoursType: fc.boolean(),
});

/** How many offsets above the first one an event may be found again. */
const TWIN = 10;

/**
 * Events in the order in which they become visible: late by up to 150 others. Some have the id of one shortly below:
 * they are the same event.
 */
export const published: fc.Arbitrary<EventEnvelope[]> = fc
  .record({
    firstOffset: fc.constantFrom(1, 1, 7, 1000),
    steps: fc.array(
      fc.record({
        gap: fc.constantFrom(1, 1, 1, 2, 30, 200),
        late: fc.oneof({ arbitrary: fc.nat({ max: 10 }), weight: 20 }, fc.nat({ max: 150 })),
        other: fc.boolean(),
        twin: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 1, 2, 5),
      }),
      {
        minLength: 1,
        maxLength: 400,
        size: "max",
      },
    ),
    lateness: fc.constantFrom(0, 1),
  })
  .map(({ firstOffset, steps, lateness }) => {
    let offset = firstOffset - 1;
    const events: EventEnvelope[] = [];
    for (const [index, { gap, other, twin }] of steps.entries()) {
      offset += index === 0 ? 1 : gap;
      const first = twin === 0 ? undefined : events[index - twin];
      const isNear = first !== undefined && first.headers.offset >= offset - TWIN;
      const fresh = makeEvent(offset, { type: other ? "wallet.status" : "watcher.status" });
      events.push(isNear ? { ...first, headers: { ...first.headers, offset } } : fresh);
    }
    const order = [...events];
    events.forEach((event, index) => {
      const late = lateness * (steps[index]?.late ?? 0);
      let at = order.indexOf(event);
      for (let moved = 0; moved < late && at + 1 < order.length; moved += 1, at += 1) {
        const next = order[at + 1];
        if (next === undefined) break;
        order[at + 1] = event;
        order[at] = next;
      }
    });
    return order;
  });

/** What happens in one part of a run. */
export type Step = {
  publish: number;
  waitMs: number;
  crash: boolean;
  keepSoon: boolean;
  fail: boolean;
  /** Each write of the place fails with this probability. */
  diskFails: number;
};
export const script: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    publish: fc.constantFrom(0, 1, 3, 40, 300),
    waitMs: fc.constantFrom(0, 10, 500, 1_000, 5_000, 70_000),
    crash: fc.boolean(),
    keepSoon: fc.boolean(),
    fail: fc.constantFrom(false, false, true),
    diskFails: fc.constantFrom(0, 0, 0.5, 1),
  }),
  { maxLength: 12, size: "max" },
);

/** How many events there are: one at two offsets is one. */
export function countOf(events: readonly EventEnvelope[]): number {
  return new Set(events.map(({ event_id }) => event_id)).size;
}

/** Whether an event became visible after one above it. */
export function isAnyLate(events: readonly EventEnvelope[]): boolean {
  return events.some((event, index) => event.headers.offset < (events[index - 1]?.headers.offset ?? 0));
}

/** Throws, with this probability, what a full disk makes a store throw. */
export function failingDisk(probability: number, random: () => number): (() => void) | undefined {
  if (probability === 0) return undefined;
  return () => {
    if (random() < probability) throw new CrecError("CURSOR_NOT_SAVED", "The disk is full.");
  };
}
