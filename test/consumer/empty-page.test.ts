import should from "should";
import { CrecError } from "../../src/errors.ts";
import { makeEvent, range, SimulatedChannel, simulate } from "./simulation.ts";

describe("A page that is empty once, though there are events", () => {
  for (const direction of ["up", "down"] as const) {
    for (const inclusive of [true, false]) {
      it(`brings nothing out of order (pages lead ${direction}, ${inclusive ? "from" : "after"} the offset)`, async () => {
        // Whichever page it is.
        for (const nth of range(1, 12)) {
          const channel = new SimulatedChannel({ direction, inclusive, pageCap: 20 });
          channel.publish(...range(1, 100).map((offset) => makeEvent(offset)));
          const source = {
            get: (eventId: string) => channel.get(eventId),
            poll: async (params: { offset?: number; limit: number }) => {
              const page = await channel.poll(params);
              return channel.polls.length === nth ? { events: [], has_more: false } : page;
            },
          };
          const { clock, make, end, offsets } = simulate({ source });
          const consumer = make();
          consumer.start();
          await clock.until(() => offsets().length === 100);
          should(offsets()).eql(range(1, 100), `page ${nth} was empty`);
          await end(consumer);
        }
      });
    }
  }
});

describe("Pages of one event, since two are too large together", () => {
  for (const direction of ["up", "down"] as const) {
    for (const inclusive of [true, false]) {
      it(`end nothing (pages lead ${direction}, ${inclusive ? "from" : "after"} the offset)`, async () => {
        const channel = new SimulatedChannel({ direction, inclusive, pageCap: 20 });
        channel.publish(...range(1, 100).map((offset) => makeEvent(offset)));
        const isLarge = (offset: number) => offset > 40 && offset <= 50;
        const source = {
          get: (eventId: string) => channel.get(eventId),
          poll: async (params: { offset?: number; limit: number }) => {
            const page = await channel.poll(params);
            if (page.events.filter(({ headers }) => isLarge(headers.offset)).length > 1)
              throw new CrecError("RESPONSE_TOO_LARGE", "It is too large.", { retryable: true });
            return page;
          },
        };
        const { clock, make, end, offsets } = simulate({ source });
        const consumer = make();
        consumer.start();
        await clock.until(() => offsets().length === 100);
        should(offsets()).eql(range(1, 100));
        await end(consumer);
      });
    }
  }
});
