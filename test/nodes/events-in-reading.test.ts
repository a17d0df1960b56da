import should from "should";
import type { ReaderState } from "../../nodes/events-in/status/reader-state.ts";
import { showState } from "../../nodes/events-in/status/status.ts";

/** What is counted at the end of a channel, beside being connected. */
type Counts = { lower?: number; dropped?: number; givenUp?: number };

/** The status of events in at the end of its channel; with an epoch it shares the channel with other copies. */
function statusAtEnd({ lower = 0, dropped = 0, givenUp = 0 }: Counts, epoch?: number): unknown {
  const shown: unknown[] = [];
  const catalog = (key: string) => key;
  const reader = {
    consumer: { state: { kind: "connected", delivered: 1 } },
    outputs: { dropped, givenUp, inFlow: { holdsUp: false, count: 0 }, silentNodes: [] },
    watcherCheck: { unwatched: undefined },
    copies: { isNoted: false },
    started: undefined,
    ...{ lower, epoch },
  };
  const node = {
    id: "reader",
    status: ({ fill, code }: { fill: string; code: string }) => shown.push([fill, code]),
  };
  const context = { node, t: catalog } as unknown as Parameters<typeof showState>[0];
  showState(context, { kind: "reader", reader } as unknown as ReaderState);
  return shown[0];
}

describe("the status of events in at the end of the channel", () => {
  it("says reading, in blue, where copies share the channel, also while it counts something", () => {
    should(statusAtEnd({}, 7)).deepEqual(["blue", "reading"]);
    should(statusAtEnd({ lower: 3 }, 7)).deepEqual(["blue", "reading-lower"]);
    should(statusAtEnd({ dropped: 3 }, 7)).deepEqual(["blue", "reading-dropped"]);
    should(statusAtEnd({ givenUp: 3 }, 7)).deepEqual(["blue", "reading-given-up"]);
  });

  it("says connected, in green, where it reads alone", () => {
    should(statusAtEnd({})).deepEqual(["green", "connected"]);
    should(statusAtEnd({ lower: 3 })).deepEqual(["green", "lower"]);
    should(statusAtEnd({ dropped: 3 })).deepEqual(["green", "dropped"]);
    should(statusAtEnd({ givenUp: 3 })).deepEqual(["green", "given-up"]);
  });
});
