import fc from "fast-check";
import should from "should";
import { axisOf, barOf } from "../../rehearsal/shared/axis.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NINE = Date.UTC(2026, 0, 5, 9);

describe("the bars of a rehearsal", () => {
  it("are minutes where all events of a day came within an hour, and half hours where they fill it", () => {
    should(axisOf([NINE + 12_345, NINE + 20 * MINUTE], 60)).deepEqual({
      from: NINE,
      step: MINUTE,
      count: 21,
    });
    should(axisOf([NINE, NINE + 24 * HOUR - 1], 60)).deepEqual({ from: NINE, step: 30 * MINUTE, count: 48 });
  });

  it("have each time in one of them, the first and the last one too, and are never more than asked for", () => {
    const times = fc.array(fc.integer({ min: 0, max: 4e12 }), { minLength: 1 });
    fc.assert(
      fc.property(times, fc.integer({ min: 12, max: 200 }), (all, most) => {
        const axis = axisOf(all, most);
        should(axis.count).be.within(1, most);
        const bars = all.map((at) => barOf(at, axis));
        should([Math.min(...bars), Math.max(...bars)]).deepEqual([0, axis.count - 1]);
      }),
    );
  });

  it("are none where nothing happened", () => {
    should(axisOf([], 60).count).equal(0);
  });
});
