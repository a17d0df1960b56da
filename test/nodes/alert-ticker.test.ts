import should from "should";
import type { Given } from "../../nodes/alert/time/feeders.ts";
import { Ticker, type TickerOptions } from "../../nodes/alert/time/ticker.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe("the time of an alert node", () => {
  let ticker: Ticker | undefined;
  afterEach(() => ticker?.stop());

  type Case = { given: Given; isAbsence?: boolean; dueAt?: number; slackMs?: number };
  /** What it tells the rule, and what it says that it waits for. */
  const first = ({ given, isAbsence = false, dueAt, slackMs = 0 }: Case) =>
    new Promise<{ told: number | undefined; waitsFor: object | undefined }>((resolve) => {
      let told: number | undefined;
      const options: TickerOptions = {
        ...{ isAbsence, slackMs, given: async () => given },
        onWait: (waitsFor) => resolve({ told, waitsFor }),
        tick: async (at) => {
          told = at;
          return dueAt;
        },
        wait: async () => dueAt,
      };
      ticker = new Ticker(options);
      ticker.start();
    });

  it("is that up to which all events were given, less what may be late", async () => {
    const at = Date.now() - HOUR_MS;
    should(await first({ given: { at, reader: "02" } })).deepEqual({ told: at, waitsFor: undefined });
    should(await first({ given: { at }, slackMs: 5 })).have.property("told", at - 5);
    should(await first({ given: { at: undefined } })).deepEqual({ told: undefined, waitsFor: undefined });
  });

  it("names the reader for which something waits that is due", async () => {
    const now = Date.now();
    const dueAt = now - MINUTE_MS;
    for (const at of [undefined, now - HOUR_MS]) {
      const given = { at, reader: "02" };
      should(await first({ given, dueAt })).have.property("waitsFor", { reader: "02" });
      should(await first({ given, dueAt: now + MINUTE_MS })).have.property("waitsFor", undefined);
      // Its events may still be late, or it was due just now.
      should(await first({ given, dueAt, slackMs: 2 * MINUTE_MS })).have.property("waitsFor", undefined);
      should(await first({ given, dueAt: now - 1_000 })).have.property("waitsFor", undefined);
      // An absence is noticed by time alone.
      should(await first({ given, isAbsence: true })).have.property("waitsFor", { reader: "02" });
    }
    const given = { at: now, reader: "02" };
    should(await first({ given, dueAt })).have.property("waitsFor", undefined);
    should(await first({ given, isAbsence: true })).have.property("waitsFor", undefined);
  });
});
