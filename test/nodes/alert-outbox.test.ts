import { mock } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import should from "should";
import type { Separate } from "../../nodes/alert/outputs/leaving.ts";
import { Outbox, type OutboxOptions } from "../../nodes/alert/outputs/outbox.ts";
import type { CrecMessage } from "../../nodes/common/messages/message.ts";
import { findInFlight, noteAckReceiver, redeliveryMs } from "../../src/index.ts";
import { eventually } from "../support/eventually.ts";

const WAITS = { firstMs: 20, maxMs: 40 };

describe("the outbox of alert", () => {
  const item = (id: string): Separate => ({
    id,
    outcome: { kind: "recovered", alert: { id, key: "", at: 0, count: 1, suppressed: 0 }, at: 1 },
    output: "resolved",
    message: { payload: { kind: "recovered" }, crec: { alert: { id } } } as unknown as CrecMessage,
  });

  /** An outbox whose sends can be awaited. */
  function open(options: Partial<OutboxOptions> = {}) {
    const sent: CrecMessage[] = [];
    const settled: Array<[string, string | undefined]> = [];
    let news = Promise.withResolvers<void>();
    const outbox = new Outbox({
      consumer: "alert node",
      waits: WAITS,
      retryMs: redeliveryMs,
      send: (message) => {
        sent.push(message);
        news.resolve();
        news = Promise.withResolvers();
      },
      settled: ({ id }, why) => settled.push([id, why]),
      ...options,
    });
    const until = async (count: number) => {
      // biome-ignore lint/plugin: the next message comes soon: this awaits each one
      while (sent.length < count) await news.promise;
    };
    return { outbox, sent, settled, until };
  }

  it("sends again, with the attempt, until it is acknowledged", async () => {
    const { outbox, sent, settled, until } = open();
    outbox.add(item("one"));
    should(sent).have.length(1);
    // Sent already.
    outbox.add(item("one"));
    await until(3);
    should(sent.map(({ crec }) => [crec?.eventId, crec?.attempt, crec?.redelivered])).deepEqual([
      ["one", 1, false],
      ["one", 2, true],
      ["one", 3, true],
    ]);
    should(outbox.ack("one")).be.true();
    should(outbox.ack("one")).be.false();
    should(settled).deepEqual([["one", undefined]]);
    const count = sent.length;
    await sleep(3 * WAITS.maxMs);
    should(sent).have.length(count);
  });

  it("sends each time what it was given, whatever the flow does with it", async () => {
    const { outbox, sent, until } = open();
    outbox.add(item("one"));
    (sent[0]?.payload as Record<string, unknown>).kind = "changed";
    await until(2);
    should(sent[1]?.payload).deepEqual({ kind: "recovered" });
    outbox.close();
  });

  it("waits as long as a refusal says, and gives up what is rejected, with the reason", async () => {
    const { outbox, sent, settled, until } = open({ waits: { firstMs: 1e9, maxMs: 1e9 } });
    outbox.add(item("one"));
    should(outbox.refuse("one", { afterMs: 5 })).be.true();
    await until(2);
    should(outbox.refuse("one", { reject: true, reason: "The address does not exist." })).be.true();
    should(settled).deepEqual([["one", "The address does not exist."]]);
    should(outbox.size).equal(0);
    should(outbox.refuse("two", {})).be.false();
    should(sent).have.length(2);
  });

  it("tries again after 1, 2, 4 … seconds once it is refused, at most a minute", async () => {
    const clock = mock.timers;
    clock.enable({ apis: ["setTimeout"] });
    try {
      const { outbox, sent } = open({ waits: { firstMs: 30_000, maxMs: 600_000 } });
      outbox.add(item("one"));
      for (const [index, seconds] of [1, 2, 4, 8, 16, 32, 60, 60, 60].entries()) {
        outbox.refuse("one", {});
        clock.tick(seconds * 1000 - 1);
        should(sent).have.length(index + 1);
        clock.tick(1);
        await Promise.resolve();
        await Promise.resolve();
        should(sent).have.length(index + 2);
      }
      outbox.close();
    } finally {
      clock.reset();
    }
  });

  it("does not send again what another copy was told meanwhile", async () => {
    const asked = Promise.withResolvers<void>();
    const { outbox, sent } = open({
      isDue: async () => {
        asked.resolve();
        return false;
      },
    });
    outbox.add(item("one"));
    await asked.promise;
    await eventually("an empty outbox", () => outbox.size === 0);
    should(sent).have.length(1);
  });

  it("is found by an ack event node, until it is forgotten", () => {
    const { outbox } = open();
    const forget = noteAckReceiver(outbox);
    outbox.add(item("one"));
    should(findInFlight("one")).deepEqual([outbox]);
    should(findInFlight("two")).be.empty();
    forget();
    should(findInFlight("one")).be.empty();
    outbox.close();
  });
});
