import fc from "fast-check";

/** How late an event may arrive, in milliseconds. */
export const SLACK = 60_000;

/** What happens in a world. */
export type Step =
  /** `emits`: a bit for each content. */
  | { does: "mine"; emits: number[]; late: number[] }
  /** `keeps`: which of the undone transactions are in the new blocks, which as many as before. */
  | { does: "reorganize"; depth: number; blocks: number; keeps: number[]; emits: number[]; late: number[] }
  | { does: "wait"; ms: number }
  | { does: "redeliver"; which: number }
  | { does: "restart" };

/** Most at once, or at a limit: then several things happen at the same time. */
const delay = fc.oneof(
  { weight: 1, arbitrary: fc.nat({ max: SLACK }) },
  { weight: 2, arbitrary: fc.constantFrom(0, 0, 0, 1, SLACK - 1, SLACK) },
);
const late = fc.array(delay, { minLength: 1, maxLength: 5 });
const time = fc.oneof(
  fc.nat({ max: 2 * SLACK }),
  fc.constantFrom(0, 1, SLACK - 1, SLACK, SLACK + 1, 2 * SLACK),
);
const emits = fc.integer({ min: 1, max: 15 });
export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant("mine" as const),
      emits: fc.array(emits, { maxLength: 2 }),
      late,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant("reorganize" as const),
      depth: fc.integer({ min: 1, max: 4 }),
      blocks: fc.nat({ max: 4 }),
      keeps: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 4 }),
      emits: fc.array(fc.option(emits, { nil: 0 }), { minLength: 1, maxLength: 3 }),
      late,
    }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant("wait" as const), ms: time }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant("redeliver" as const), which: fc.nat({ max: 100 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ does: "restart" as const }) },
);
