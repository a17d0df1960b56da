import should from "should";
import { type BehaviourTests, channelOf, eventsAt, listSource, read } from "./behaviour-tests.ts";
import { makeEvent, range } from "./simulation.ts";

const MINUTE_MS = 60_000;

export const assumptions: BehaviourTests = {
  "a page without an offset is the newest one": async () => {
    const channel = channelOf(range(1, 450));
    const source = {
      get: (eventId: string) => channel.get(eventId),
      poll: (params: { offset?: number; limit: number }) => channel.poll({ offset: 0, ...params }),
    };
    const now = read(source, { start: "now" });
    should(await now.offsetsAfter()).eql(range(201, 450));
    const all = read(source);
    should(await all.offsetsAfter()).eql(range(1, 450));
    all.restart();
    should(await all.offsetsAfter()).eql(range(1, 450));
    should(all.codes()).eql(["CURSOR_BEYOND_END"]);
  },

  "a page by offset has no holes": async () => {
    const channel = channelOf(range(1, 20));
    const left = new Set([5, 6]);
    const { clock, offsetsAfter, deliveries, codes } = read({
      get: (eventId) => channel.get(eventId),
      poll: async (params) => {
        const page = await channel.poll(params);
        return { ...page, events: page.events.filter(({ headers }) => !left.has(headers.offset)) };
      },
    });
    await clock.pass(MINUTE_MS);
    left.delete(6);
    should(await offsetsAfter(3 * MINUTE_MS)).eql([...range(1, 4), ...range(7, 20), 6]);
    should(deliveries.at(-1)?.late).be.true();
    should(codes()).eql([]);
  },

  "an event keeps its id": async () => {
    const channel = channelOf(range(1, 20));
    const { clock, offsetsAfter, codes, consumer } = read(channel);
    await clock.pass(30_000);
    channel.visible = range(1, 20).map((offset) => makeEvent(offset, { id: `another-${offset}` }));
    await clock.until(() => consumer().state.kind === "stopped");
    should(codes()).eql(["CHANNEL_REPLACED"]);
    should(await offsetsAfter()).eql(range(1, 20));
  },

  "an offset is below 2^53": async () => {
    const events = eventsAt([1, 2 ** 53]);
    const { offsetsAfter, errors } = read(listSource(() => events));
    should(await offsetsAfter()).eql([]);
    should(errors[0]).have.property("code", "BAD_RESPONSE");
    should(errors[0]?.message).match(/at offset 9007199254740992/);
  },

  "an event becomes visible at most two minutes after others above it, or among the newest 200": async () => {
    const channel = channelOf([1, 6]);
    const { clock, offsets, offsetsAfter, deliveries } = read(channel);
    const foundWithin = async (offset: number, ms: number) => {
      channel.publish(makeEvent(offset));
      await clock.pass(ms);
      should(offsets().includes(offset)).be.true(`${offset} is not there after ${ms} ms`);
    };
    await clock.pass(10 * MINUTE_MS);
    // Among the newest 200, long after others.
    await foundWithin(5, 61 * MINUTE_MS);
    channel.publish(...eventsAt(range(10, 1_010)));
    await clock.pass(115_000);
    await foundWithin(9, 80_000);
    await clock.pass(30 * MINUTE_MS);
    await foundWithin(8, 61 * MINUTE_MS);
    await clock.pass(180 * MINUTE_MS);
    channel.publish(makeEvent(7));
    should(await offsetsAfter(180 * MINUTE_MS)).not.containEql(7);
    should(deliveries.filter(({ late }) => late).map(({ offset }) => offset)).eql([5, 9, 8]);
  },

  "the channel does not end below the cursor for good": async () => {
    const channel = channelOf(range(1, 20));
    const { clock, offsetsAfter, restart, codes, consumer } = read(channel);
    await offsetsAfter();
    const all = channel.visible;
    channel.visible = all.slice(0, 10);
    restart();
    await clock.pass(MINUTE_MS);
    should(consumer().state.kind).equal("beyond_end");
    channel.visible = [...all, makeEvent(21)];
    should(await offsetsAfter(2 * MINUTE_MS)).eql(range(1, 21));
    should(codes()).eql(["CURSOR_BEYOND_END"]);
  },
};
