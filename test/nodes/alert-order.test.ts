import should from "should";
import { KeyOrder } from "../../nodes/alert/key-order.ts";
import type { AckReceiver } from "../../src/index.ts";
import { eventually } from "../support/eventually.ts";

describe("the order of what an alert node sends for one key", () => {
  const inFlight = new Set<string>();
  const reader = { identity: { consumer: "reader" } } as AckReceiver;
  const open = () => {
    const sent: string[] = [];
    const dropped: string[] = [];
    const order = new KeyOrder({ findInFlight: (id) => (inFlight.has(id) ? [reader] : []) });
    const add = (key: string, id: string, run?: () => Promise<void>) =>
      order.add(key, {
        ...{ id, alertId: "a", isEnd: true },
        run: () => {
          sent.push(id);
          return run?.();
        },
        dropped: () => dropped.push(id),
      });
    const event = (eventId: string, consumer = "reader") => ({ eventId, channelId: undefined, consumer });
    return { order, sent, dropped, add, event };
  };
  beforeEach(() => inFlight.clear());

  it("waits for the event of the alert, and no other key does", async () => {
    const { order, sent, add, event } = open();
    inFlight.add("1");
    order.left("k", event("1"));
    add("k", "end");
    add("k", "next");
    add("other", "of another key");
    should(sent).eql(["of another key"]);
    inFlight.delete("1");
    await eventually("the end", () => sent.length === 3);
    should(sent).eql(["of another key", "end", "next"]);
  });

  it("does not wait for a reader that is gone, or an event that nobody acknowledges", () => {
    const { order, sent, add, event } = open();
    order.left("k", event("settled"));
    inFlight.add("1");
    order.left("k", event("1", "a reader that is gone"));
    add("k", "end");
    should(sent).eql(["end"]);
  });

  it("waits for the message before, once each, and sends nothing after its end", async () => {
    const { order, sent, add } = open();
    const first = Promise.withResolvers<void>();
    add("k", "absence", () => first.promise);
    for (let count = 0; count < 3; count += 1) add("k", "end");
    should(sent).eql(["absence"]);
    first.resolve();
    await eventually("the end", () => sent.length > 1);
    should(sent).eql(["absence", "end"]);
    const never = Promise.withResolvers<void>();
    add("k", "one", () => never.promise);
    add("k", "two");
    order.close();
    never.resolve();
    await never.promise;
    should(sent).eql(["absence", "end", "one"]);
  });

  it("drops an end that the alert itself has told", () => {
    const { order, sent, dropped, add, event } = open();
    inFlight.add("1");
    order.left("k", event("1"));
    add("k", "end");
    order.dropEnds("k", "b");
    should(dropped).be.empty();
    order.dropEnds("k", "a");
    should(dropped).eql(["end"]);
    order.close();
    should(sent).be.empty();
  });
});
