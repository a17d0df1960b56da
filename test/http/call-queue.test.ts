import { getEventListeners } from "node:events";
import fc from "fast-check";
import should from "should";
import { CallBudget } from "../../src/http/call-budget.ts";
import { CallQueue, Lane, type Rank } from "../../src/http/call-queue.ts";
import { SimulatedClock } from "../support/simulated-clock.ts";

const never = new AbortController().signal;

function queueOf({ limit = 16, perMinute }: { limit?: number; perMinute?: number } = {}) {
  const clock = new SimulatedClock();
  const budget = new CallBudget(perMinute, () => clock.elapsed());
  const queue = new CallQueue(limit, budget, clock);
  const sent: Array<{ rank: Rank; at: number }> = [];
  clock.activity = () => sent.length;
  const begun = clock.elapsed();
  const send = (rank: Rank, signal = never) =>
    queue.run(rank, signal, async () => {
      sent.push({ rank, at: clock.elapsed() - begun });
    });
  return { clock, budget, queue, sent, send };
}

describe("the queue of calls", () => {
  it("runs only so many at the same time, and the others in order", async () => {
    const { queue } = queueOf({ limit: 2 });
    const begun: number[] = [];
    const ends = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
    const runs = ends.map(({ promise }, index) =>
      queue.run("read", never, () => {
        begun.push(index);
        return promise;
      }),
    );
    await Promise.resolve();
    should(begun).deepEqual([0, 1]);
    ends[1]?.resolve();
    await runs[1];
    should(begun).deepEqual([0, 1, 2]);
    for (const { resolve } of ends) resolve();
    await Promise.all(runs);
    should(begun).deepEqual([0, 1, 2, 3]);
  });

  it("frees the slot when the work fails", async () => {
    const { queue } = queueOf({ limit: 1 });
    const failing = queue.run("act", never, () => Promise.reject(new Error("no")));
    await should(failing).be.rejectedWith("no");
    should(await queue.run("read", never, async () => "next")).equal("next");
  });

  it("may be left while waiting, for the signal's reason, and leaves nothing on a signal", async () => {
    const { queue } = queueOf({ limit: 1 });
    const first = Promise.withResolvers<void>();
    const running = queue.run("read", never, () => first.promise);
    const [leaving, staying] = [new AbortController(), new AbortController()];
    const left = queue.run(new Lane(), leaving.signal, async () => "too late");
    const stayed = queue.run("act", staying.signal, async () => "well");
    leaving.abort(new Error("enough"));
    await should(left).be.rejectedWith("enough");
    first.resolve();
    await running;
    should(await stayed).equal("well");
    for (const { signal } of [leaving, staying]) should(getEventListeners(signal, "abort")).be.empty();
    await should(queue.run("read", leaving.signal, async () => "never")).be.rejectedWith("enough");
  });

  it("starts calls that act first, then reads, then polls", async () => {
    const { clock, sent, send } = queueOf({ perMinute: 12 });
    const lane = new Lane();
    void send("read");
    for (const rank of [lane, "read", "act", "act"] as const) void send(rank);
    await clock.pass(60_000);
    should(sent.map(({ rank }) => rank)).deepEqual(["read", "act", "act", "read", lane]);
  });

  it("gives reads and polls one of eight turns each while calls that act take all they can", async () => {
    const { clock, sent, send } = queueOf({ perMinute: 60 });
    const lane = new Lane();
    for (let call = 0; call < 200; call += 1)
      for (const rank of ["act", "read", lane] as const) void send(rank);
    await clock.pass(160_000);
    const first = sent.slice(0, 160);
    should(first).have.length(160);
    const countOf = (rank: Rank) => first.filter((one) => one.rank === rank).length;
    for (const rank of ["read", lane] as const) should(countOf(rank)).be.within(20, 21);
  });

  it("takes a call that is aborted out of the queue immediately, and leaves no timer behind", async () => {
    const { clock, queue, send } = queueOf({ perMinute: 1 });
    await send("act");
    const leaving = new AbortController();
    const left = send("act", leaving.signal);
    should(queue.lacksBudget).be.true();
    leaving.abort(new Error("enough"));
    await should(left).be.rejectedWith("enough");
    should(queue.lacksBudget).be.false();
    should(clock.sleeping).equal(0);
  });
});

describe("the budget of requests", () => {
  it("never lets more pass in any time than come in, and one burst", async () => {
    const call = fc.record({
      afterMs: fc.nat(20_000),
      rank: fc.constantFrom("act" as const, "read" as const),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3_000 }),
        fc.array(call, { maxLength: 60 }),
        async (perMinute, calls) => {
          const { clock, budget, sent, send } = queueOf({ perMinute });
          for (const { afterMs, rank } of calls) {
            if (afterMs > 10_000) await clock.pass(afterMs - 10_000);
            void send(rank);
          }
          await clock.until(() => sent.length === calls.length, 3_600_000 * 2);
          for (const [from, { at: begin }] of sent.entries())
            for (const [to, { at: end }] of sent.entries())
              if (to >= from)
                should(to - from + 1).be.belowOrEqual(
                  ((end - begin) * perMinute) / 60_000 + budget.burst + 1e-6,
                );
        },
      ),
      { numRuns: 40 },
    );
  });

  it("asks 1,000 channels in turn with 600 requests a minute, and a busy one up to four times as often", async () => {
    const { clock, sent, send } = queueOf({ perMinute: 600 });
    const lanes = Array.from({ length: 1_000 }, () => new Lane());
    const [busy] = lanes as [Lane, ...Lane[]];
    const stopped = new AbortController();
    let end = 0;
    const polling = lanes.map(async (lane) => {
      // biome-ignore lint/plugin: polls of a simulated clock
      while (!stopped.signal.aborted) {
        await send(lane, stopped.signal);
        end += 1;
        lane.noteEnd(lane === busy ? end : 0);
        await clock.sleep(1_000, stopped.signal);
      }
    });
    await clock.pass(400_000);
    stopped.abort();
    await Promise.allSettled(polling);
    const times = (lane: Lane) => sent.filter(({ rank }) => rank === lane).map(({ at }) => at);
    should(sent.length).be.within(3_990, 4_020);
    for (const lane of lanes.slice(1)) {
      const gaps = times(lane).map((at, index, all) => at - (all[index - 1] ?? 0));
      should(Math.max(...gaps)).be.belowOrEqual(103_000);
    }
    should(times(busy).length).be.within(12, 17);
  });

  it("lets no channel starve, however busy the others are", async () => {
    const channels = fc.array(fc.boolean(), { minLength: 2, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(channels, async (areBusy) => {
        const { clock, sent, send } = queueOf({ perMinute: 60 });
        const lanes = areBusy.map(() => new Lane());
        const stopped = new AbortController();
        let end = 0;
        const polling = lanes.map(async (lane, index) => {
          // biome-ignore lint/plugin: polls of a simulated clock
          while (!stopped.signal.aborted) {
            await send(lane, stopped.signal);
            end += 1;
            lane.noteEnd(areBusy[index] ? end : 0);
          }
        });
        await clock.pass(300_000);
        stopped.abort();
        await Promise.allSettled(polling);
        for (const lane of lanes) {
          const turns = sent.flatMap(({ rank }, index) => (rank === lane ? [index] : []));
          const gaps = turns.map((turn, index) => turn - (turns[index - 1] ?? 0));
          // Each other channel may go four times, and once more where it was just before its turn.
          should(Math.max(...gaps)).be.belowOrEqual(5 * lanes.length);
        }
      }),
      { numRuns: 15 },
    );
  });

  it("serves the polls of one channel in the order in which they came", async () => {
    const { clock, queue } = queueOf({ perMinute: 12 });
    const lane = new Lane();
    const order: number[] = [];
    for (const number of [1, 2, 3]) void queue.run(lane, never, async () => void order.push(number));
    await clock.pass(20_000);
    should(order).deepEqual([1, 2, 3]);
  });

  it("is held as long as the service says, but a minute at most", async () => {
    const { clock, budget, sent, send } = queueOf();
    budget.hold(5_000);
    void send("act");
    await clock.pass(10_000);
    budget.hold(Number.MAX_SAFE_INTEGER);
    void send("act");
    await clock.pass(100_000);
    should(sent.map(({ at }) => at)).deepEqual([5_000, 70_000]);
  });
});
