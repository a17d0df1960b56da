import type { NodeAPI } from "node-red";
import should from "should";
import { Ticker, type TickerOptions } from "../../nodes/alert/ticker.ts";
import { noteReader, type Reading } from "../../nodes/lib/runtime/channel-readers.ts";
import { eventually } from "../support/eventually.ts";

const HOUR_MS = 3_600_000;

/** How far the time has come for an alert node that has no channel chosen. */
describe("the time of an alert node without a channel", () => {
  const forget: Array<() => void> = [];
  afterEach(() => {
    for (const end of forget.splice(0)) end();
  });

  const reading = (readUpTo: number | undefined) => {
    const identity = { channelId: "c2c1c0de-0000-4000-8000-000000000001", service: "service" };
    const reader = { identity, readUpTo, levels: {} } as Reading;
    forget.push(
      noteReader({ channelNode: "channel", consumer: "reader", isAway: () => false, reading: () => reader }),
    );
  };
  let waited = 0;
  /** The first time that it tells, or whether it is behind. */
  const first = (usesClock: boolean) =>
    new Promise<number | "behind">((resolve) => {
      const options: TickerOptions = {
        ...{ channel: "", usesClock, slackMs: 0 },
        onLag: (isBehind) => isBehind && resolve("behind"),
        tick: async (at) => {
          resolve(at);
          return undefined;
        },
        wait: async () => {
          waited += 1;
        },
      };
      const ticker = new Ticker({} as NodeAPI, options);
      forget.push(() => ticker.stop());
      ticker.start();
    });

  it("is the present where nothing here reads a channel", async () => {
    should(await first(false)).be.approximately(Date.now(), 60_000);
  });

  it("waits after a start for what an events in has not read yet", async () => {
    reading(undefined);
    should(await first(false)).equal("behind");
  });

  it("is behind while an events in is", async () => {
    reading(Date.now() - HOUR_MS);
    should(await first(false)).equal("behind");
  });

  it("is waited for, so that other copies know that this one is there", async () => {
    reading(undefined);
    const before = waited;
    await first(false);
    await eventually("a wait", () => waited > before);
  });

  it("is the present for an absence, which can be one of messages that are no events", async () => {
    reading(undefined);
    should(await first(true)).be.approximately(Date.now(), 60_000);
  });
});
