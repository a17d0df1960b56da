import should from "should";
import { KeyOrder } from "../../nodes/alert/outputs/key-order.ts";
import { type ChannelProgress, mayDeliver, noteReader } from "../../nodes/common/status/channel-progress.ts";
import type { AckReceiver } from "../../src/index.ts";
import { eventually } from "../support/eventually.ts";

describe("the order of what an alert node sends for one key", () => {
  const inFlight = new Set<string>();
  /** What a reader has not settled and not sent yet. */
  const coming = new Set<string>();
  const reader = { identity: { consumer: "reader" } } as AckReceiver;
  const open = () => {
    const sent: string[] = [];
    const dropped: string[] = [];
    const unsent: string[] = [];
    const clock = { now: 0 };
    let looks = 0;
    const looked = () => {
      const before = looks;
      return eventually("another look", () => looks > before);
    };
    const order = new KeyOrder({
      findInFlight: (id) => {
        looks += 1;
        return inFlight.has(id) ? [reader] : [];
      },
      mayCome: ({ eventId }) => coming.has(eventId),
      now: () => clock.now,
    });
    const event = (eventId: string, consumer = "reader") => {
      return { eventId, offset: 1, channelId: undefined, consumer };
    };
    const add = (key: string, id: string, run?: () => Promise<void>, eventId?: string) =>
      order.add(key, {
        ...{ id, alertId: "a", isEnd: true, event: eventId === undefined ? undefined : event(eventId) },
        run: () => {
          sent.push(id);
          return run?.();
        },
        dropped: () => dropped.push(id),
        unsent: () => unsent.push(id),
      });
    return { order, unsent, sent, dropped, add, event, clock, looked };
  };
  beforeEach(() => {
    inFlight.clear();
    coming.clear();
  });

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

  it("waits after a restart for the event of the alert, at most an hour in which it is not in flight", async () => {
    const { sent, add, clock, looked } = open();
    coming.add("1").add("2");
    add("j", "end", undefined, "1");
    add("k", "end of k", undefined, "2");
    add("other", "of another key", undefined, "settled");
    should(sent).eql(["of another key"]);
    coming.delete("1");
    await eventually("the end of what was settled", () => sent.length === 2);
    inFlight.add("2");
    clock.now = 3_600_000;
    await looked();
    inFlight.delete("2");
    await looked();
    clock.now = 7_199_999;
    await looked();
    should(sent).eql(["of another key", "end"]);
    clock.now = 7_200_000;
    await eventually("the end of what does not come", () => sent.length === 3);
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

  it("gives back what waits when it is closed, and what comes then", () => {
    const { order, sent, unsent, add } = open();
    coming.add("1");
    add("k", "end", undefined, "1");
    add("k", "next");
    should(unsent).be.empty();
    order.close();
    add("k", "last");
    add("other", "of another key");
    should(sent).be.empty();
    should(unsent).eql(["end", "next", "last", "of another key"]);
  });

  it("looks at many keys with one timer", async () => {
    const { order, sent, add } = open();
    const timers = () => process.getActiveResourcesInfo().filter((one) => one === "Timeout").length;
    const before = timers();
    const keys = Array.from({ length: 1_000 }, (_, no) => `${no}`);
    for (const key of keys) coming.add(key);
    for (const key of keys) add(key, `end of ${key}`, undefined, key);
    should(timers()).equal(before + 1);
    for (const key of keys.slice(1)) coming.delete(key);
    await eventually("the ends of all but one", () => sent.length === keys.length - 1);
    should(sent).not.containEql("end of 0");
    order.close();
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

  it("asks the reader of the name: one that reads this channel, or does not read yet", () => {
    const ids = ["c2c1c0de-0000-4000-8000-000000000001", "c2c1c0de-0000-4000-8000-000000000002"];
    const [channelId, other] = ids as [string, string];
    const ends: Array<() => void> = [];
    let isAway = false;
    const reader = (settled: boolean | undefined, ofChannel = channelId) =>
      ({
        identity: { channelId: ofChannel },
        consumer: { isSettled: () => settled },
      }) as unknown as ChannelProgress;
    const note = (reading: ChannelProgress | undefined, consumer = "reader") =>
      ends.push(
        noteReader({ channelNode: "channel", consumer, isAway: () => isAway, reading: () => reading }),
      );
    const event = { eventId: "1", offset: 1, channelId, consumer: "reader" };
    const answers = (...readers: Array<Parameters<typeof note>>) => {
      for (const one of readers) note(...one);
      const answer = mayDeliver(event);
      for (const end of ends.splice(0)) end();
      return answer;
    };
    should(answers()).be.false();
    should(answers([undefined, "other"])).be.false();
    should(answers([undefined])).be.true();
    should(answers([reader(undefined)])).be.true();
    should(answers([reader(false)])).be.true();
    should(answers([reader(true)])).be.false();
    should(answers([reader(false, other)])).be.false();
    // It waits until another of its name ends.
    should(answers([undefined], [reader(true)])).be.false();
    isAway = true;
    should(answers([undefined], [reader(false)])).be.false();
    isAway = false;
    note(undefined);
    should(mayDeliver({ ...event, consumer: undefined })).be.false();
    should(mayDeliver({ ...event, offset: undefined })).be.false();
    for (const end of ends) end();
  });
});
