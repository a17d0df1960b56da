import should from "should";
import type { EventSource } from "../../src/consumer/source.ts";
import { CrecError } from "../../src/errors.ts";
import type { VerifyResult } from "../../src/proofs/index.ts";
import type { EventEnvelope } from "../../src/protocol/index.ts";
import { randomFrom } from "../support/random.ts";
import { type BehaviourTests, channelOf, eventsAt, listSource, MODES, read } from "./behaviour-tests.ts";
import { type Habits, makeEvent, range, SimulatedChannel } from "./simulation.ts";

const COUNT = 450;
const DIRECTIONS = ["up", "down"] as const;

/**
 * A long channel is read to its end, in order, and what is added comes. It begins where nothing suggests that there is an event
 * at 0.
 */
async function isRead(habits: Partial<Habits>, offsets = range(2, COUNT)): Promise<void> {
  for (const direction of DIRECTIONS) {
    for (const commit of MODES) {
      const channel = channelOf(offsets, { direction, ...habits });
      const { clock, offsetsAfter, codes } = read(channel, { commit });
      await clock.pass(60_000);
      channel.publish(makeEvent(10_000));
      should(await offsetsAfter()).eql([...offsets, 10_000]);
      should(codes()).eql([]);
    }
  }
}

const NO_PROOF: VerifyResult = { verified: false, reason: "no_proof", message: "none yet" };

export const tolerated: BehaviourTests = {
  "whether the page at an offset has the event of that offset": async () => {
    for (const inclusive of [true, false]) await isRead({ inclusive });
  },

  "whether pages by offset lead to newer or to older events": async () => {
    for (const direction of DIRECTIONS) {
      await isRead({ direction });
      // One event alone leads nowhere.
      for (const hasMore of ["always", "never"] as const)
        for (const offset of [0, 1, 9]) await isRead({ direction, hasMore, repeats: true }, [offset]);
    }
  },

  "the order of the events on a page": async () => {
    for (const order of ["ascending", "descending", "mixed"] as const) await isRead({ order });
  },

  "that offsets are dense, or begin anywhere": async () => {
    const sparse = range(1, COUNT).map((index) => 7 + 20 * index + (index % 7));
    for (const inclusive of [true, false]) await isRead({ inclusive }, sparse);
  },

  "that an event at offset 0 can be asked for": async () => {
    for (const inclusive of [true, false]) {
      // The first one is the only one of its type, or one of many.
      for (const type of ["wallet.status", "watcher.status"]) {
        const channel = channelOf(range(1, COUNT), { inclusive });
        channel.publish(makeEvent(0, { type }));
        const isFound = inclusive || type === "wallet.status";
        const { offsetsAfter, codes } = read(channel);
        should(await offsetsAfter()).eql(range(isFound ? 0 : 1, COUNT));
        should(codes()).eql(isFound ? [] : ["FIRST_EVENT_NOT_SHOWN"]);
      }
      // Nothing suggests that there was one.
      const plain = read(channelOf(range(5, COUNT), { inclusive }));
      should(await plain.offsetsAfter()).eql(range(5, COUNT));
      should(plain.codes()).eql([]);
      const dated = new SimulatedChannel({ inclusive });
      dated.publish(...range(1, COUNT).map((offset) => makeEvent(offset, { at: 1_700_000_000 + offset })));
      const since = read(dated, { start: { time: 1_700_000_000 + 400 } });
      should(await since.offsetsAfter()).eql(range(400, COUNT));
      should(since.codes()).eql([]);
    }
    const usual = read(channelOf(range(1, COUNT)));
    await usual.offsetsAfter();
    should(usual.codes()).eql([]);
  },

  "that `has_more` is there, or right": async () => {
    for (const hasMore of ["always", "never"] as const) await isRead({ hasMore });
    const channel = channelOf(range(1, COUNT));
    const { offsetsAfter } = read({
      get: (eventId) => channel.get(eventId),
      poll: async (params) => ({ events: (await channel.poll(params)).events }) as never,
    });
    should(await offsetsAfter()).eql(range(1, COUNT));
  },

  "that a page is as large as asked": async () => {
    for (const hasMore of ["honest", "never"] as const) await isRead({ pageCap: 20, hasMore });
  },

  "that a page has each event once": async () => {
    await isRead({ repeats: true });
    const channel = channelOf(range(1, 10));
    channel.publish(makeEvent(11, { id: "event-8" }), makeEvent(12));
    const { offsetsAfter } = read(channel);
    should(await offsetsAfter()).eql([...range(1, 10), 12]);
  },

  "that `type` is honoured": async () => {
    for (const honoursType of [true, false]) {
      const channel = new SimulatedChannel({ honoursType });
      const types = ["watcher.status", "wallet.status"];
      channel.publish(
        ...range(1, COUNT).map((offset) => makeEvent(offset, { type: types[offset % 2] ?? "" })),
      );
      const { clock, offsetsAfter, codes } = read(channel, { types: ["wallet.status"] });
      await clock.pass(10_000);
      channel.publish(makeEvent(1_000, { type: "wallet.status" }));
      const wanted = range(1, COUNT).filter((offset) => offset % 2 === 1);
      should(await offsetsAfter()).eql([...wanted, 1_000]);
      should(codes()).eql([]);
    }
  },

  "that all events are kept": async () => {
    for (const direction of DIRECTIONS) {
      for (const inclusive of [true, false]) {
        for (const types of [[], ["watcher.status"] as const]) {
          const channel = channelOf(range(2, 20), { direction, inclusive });
          const { clock, offsetsAfter, restart, codes, errors } = read(channel, { types });
          await offsetsAfter();
          channel.visible = eventsAt(range(300, 700));
          restart();
          await clock.pass(60_000);
          channel.publish(makeEvent(710));
          // While it runs: less is kept than comes between two looks, seconds after another look, and a minute.
          for (const [from, ms] of [
            [900, 20_000],
            [1_100, 20_000],
            [1_300, 70_000],
          ] as const) {
            await clock.pass(ms);
            channel.visible = eventsAt(range(from, from + 50));
          }
          const kept = [900, 1_100, 1_300].flatMap((from) => range(from, from + 50));
          should(await offsetsAfter()).eql([...range(2, 20), ...range(300, 700), 710, ...kept]);
          const said = errors.map(({ message }) => /from offset (\d+ to \d+) may/.exec(message)?.[1]);
          should(said).eql(["21 to 299", "711 to 899", "951 to 1099", "1151 to 1299"]);
          should(new Set(codes())).eql(new Set(["EVENTS_NOT_KEPT"]));
        }
      }
    }
  },

  "that an event has an id": async () => {
    for (const commit of MODES) {
      for (const id of [undefined, null, "", 7]) {
        const events: unknown[] = range(1, 9).map((offset) => {
          const event = makeEvent(offset, { type: "watcher.event" });
          return offset % 3 === 0
            ? { ...event, event_id: id }
            : { ...event, payload: {}, headers: { ...event.headers, proofs: [{}] } };
        });
        const verify = async ({ headers }: EventEnvelope): Promise<VerifyResult> =>
          headers.proofs.length > 0 ? { verified: true, signers: [], workflowId: "" } : NO_PROOF;
        const proven = (offset: number, event_id: unknown) => {
          const event = makeEvent(offset, { type: "watcher.event" });
          return { ...event, event_id, headers: { ...event.headers, proofs: [{}] } } as EventEnvelope;
        };
        // With an id by now, still without one, and never found.
        const shown = new Map([
          ["offset:3", proven(3, "event-3")],
          ["offset:6", proven(6, id)],
        ]);
        let isShown = false;
        const source: EventSource = {
          ...listSource(() => events),
          get: async (eventId) => {
            const event = isShown ? shown.get(eventId) : undefined;
            if (event === undefined) throw new CrecError("EVENT_NOT_FOUND", "There is no such event.");
            return event;
          },
        };
        const { clock, deliveries, offsetsAfter, restart, codes } = read(source, { commit, verify });
        await clock.pass(5_000);
        should(deliveries.map(({ offset }) => offset)).eql([1, 2]);
        isShown = true;
        await offsetsAfter();
        const unnamed = deliveries.filter(({ offset }) => offset % 3 === 0);
        should(unnamed.map(({ event, verification }) => [event.event_id, verification?.verified])).eql([
          ["offset:3", true],
          ["offset:6", true],
          ["offset:9", false],
        ]);
        restart();
        events.push(makeEvent(10));
        should(await offsetsAfter()).eql(range(1, 10));
        should(deliveries.some(({ redelivered }) => redelivered)).be.false();
        should(codes()).eql([]);
      }
    }
  },

  "that an event shows its id on every page": async () => {
    for (const commit of MODES) {
      const events: unknown[] = eventsAt(range(1, 20));
      const isUnnamed = (offset: number, time: number) => (offset + time) % 2 === 0;
      let polls = 0;
      const source = listSource(() => events);
      const { clock, offsetsAfter, restart, codes } = read(
        {
          ...source,
          poll: async (params, signal) => {
            polls += 1;
            const page = await source.poll(params, signal);
            const hidden = page.events.map((event) =>
              isUnnamed(event.headers.offset, polls) ? { ...event, event_id: "" } : event,
            );
            return { ...page, events: hidden };
          },
        },
        { commit },
      );
      await clock.pass(300_000);
      events.push(makeEvent(21));
      should(await offsetsAfter()).eql(range(1, 21));
      restart();
      events.push(makeEvent(22));
      should(await offsetsAfter(300_000)).eql(range(1, 22));
      should(codes()).eql([]);
    }
  },

  "where an event has its type, offset and id": async () => {
    const flat = ({ event_id: id, headers, payload }: EventEnvelope) => ({ id, ...headers, payload });
    for (const commit of MODES) {
      const events: unknown[] = eventsAt(range(1, 20)).map((event, index) =>
        index % 2 ? flat(event) : event,
      );
      const { offsetsAfter, restart, deliveries, codes } = read(
        listSource(() => events),
        { commit, types: ["watcher.status"] },
      );
      await offsetsAfter();
      restart();
      // The other form of what it knows, and something new.
      events.splice(
        0,
        20,
        ...eventsAt(range(1, 20)).map((event, index) => (index % 2 ? event : flat(event))),
      );
      events.push(flat(makeEvent(21)), flat(makeEvent(22, { type: "wallet.status" })));
      should(await offsetsAfter()).eql(range(1, 21));
      should(deliveries.map(({ event }) => event.event_id)).eql(
        range(1, 21).map((offset) => `event-${offset}`),
      );
      should(codes()).eql([]);
    }
  },

  "that ids are in lower case": async () => {
    const idOf = (offset: number) => `00000000-0000-4000-8000-${String(offset).padStart(12, "abcdef")}`;
    const upper = (offset: number) => makeEvent(offset, { id: idOf(offset).toUpperCase() });
    const lower = (offset: number) => makeEvent(offset, { id: idOf(offset) });
    for (const commit of MODES) {
      const events: unknown[] = [upper(1), lower(2), upper(3)];
      const ids: string[] = [];
      const { offsetsAfter, restart, codes, consumer } = read(
        listSource(() => events),
        {
          commit,
          deliver: ({ event: { event_id: id } }) => {
            ids.push(id);
            if (commit === "on-ack") should(consumer().ack(id.toUpperCase())).be.true();
          },
        },
      );
      await offsetsAfter();
      restart();
      events.splice(0, 3, lower(1), upper(2), lower(3), upper(4));
      await offsetsAfter();
      should(ids).eql(range(1, 4).map(idOf));
      should(codes()).eql([]);
    }
  },

  "that every item of a page has an offset": async () => {
    const at = (offset: unknown) => ({
      ...makeEvent(2),
      headers: { type: "watcher.status", offset, proofs: [] },
    });
    const odd: Array<[unknown, RegExp]> = [
      ...[null, 7, "text", [], {}, { headers: null }].map((one): [unknown, RegExp] => [one, /no offset/]),
      [at(-1), /at offset -1, which is not a whole number/],
      [at(1.5), /at offset 1.5/],
      [at("9007199254740993"), /at offset 9007199254740993, which is not a whole number from 0 to 2\^53 - 1/],
    ];
    for (const [one, said] of odd) {
      const channel = channelOf(range(1, 3));
      let isOdd = true;
      const { clock, offsets, offsetsAfter, errors, codes } = read({
        get: (eventId) => channel.get(eventId),
        poll: async (params) => {
          const page = await channel.poll(params);
          return isOdd ? { ...page, events: page.events.with(1, one as EventEnvelope) } : page;
        },
      });
      await clock.pass(60_000);
      should(offsets()).eql([]);
      should(codes()).eql(["BAD_RESPONSE"]);
      should(errors[0]?.message).match(said);
      isOdd = false;
      should(await offsetsAfter(120_000)).eql([1, 2, 3]);
    }
    for (const answer of [undefined, null, {}, { events: null }, { events: "none" }]) {
      const { offsetsAfter, errors } = read({ ...listSource(() => []), poll: async () => answer as never });
      await offsetsAfter();
      should(errors.map(({ message }) => message).join()).match(/without a list of events/);
    }
  },

  "how deep the JSON of an event is": async () => {
    for (const depth of [5_000, 100_000]) {
      for (const commit of MODES) {
        const deep = JSON.parse("[".repeat(depth) + "]".repeat(depth)) as unknown;
        const events = eventsAt(range(1, 5)).map((event) =>
          event.headers.offset === 3 ? { ...event, payload: { deep } } : event,
        );
        const attempts: string[] = [];
        const { offsetsAfter, codes, consumer } = read(
          listSource(() => events),
          {
            commit,
            inFlight: 2,
            deliver: ({ offset, attempt, event }) => {
              attempts.push(`${offset}${attempt > 1 ? " again" : ""}`);
              if (commit === "on-ack" && offset === 3 && attempt === 1)
                consumer().refuse(event.event_id, { afterMs: 10 });
              else consumer().ack(event.event_id);
            },
          },
        );
        await offsetsAfter();
        should(attempts.sort()).eql(
          commit === "on-ack" ? ["1", "2", "3", "3 again", "4", "5"] : ["1", "2", "3", "4", "5"],
        );
        should(codes()).eql([]);
      }
    }
  },

  "that pages advance": async () => {
    const channel = channelOf(range(1, COUNT));
    let heeds = false;
    const { clock, offsets, offsetsAfter, codes } = read({
      get: (eventId) => channel.get(eventId),
      // The newest page, whatever is asked for.
      poll: ({ limit, ...params }) => channel.poll(heeds ? { limit, ...params } : { limit }),
    });
    await clock.pass(600_000);
    should(offsets()).eql([]);
    should(codes()).eql(["PAGES_DO_NOT_ADVANCE"]);
    should(channel.polls.length).be.below(200);
    heeds = true;
    should(await offsetsAfter(120_000)).eql(range(1, COUNT));

    // One page for ever, which promises more.
    const frozen = eventsAt(range(1, 5));
    let polls = 0;
    const still = read({
      ...listSource(() => frozen),
      poll: async () => {
        polls += 1;
        return { events: frozen, has_more: true };
      },
    });
    should(await still.offsetsAfter(600_000)).eql(range(1, 5));
    should(polls).be.below(200);
  },

  "that an answer is small and quick enough": async () => {
    const channel = channelOf(range(1, 60));
    const { offsetsAfter } = read({
      get: (eventId) => channel.get(eventId),
      poll: async (params) => {
        if (params.limit > 3) throw new CrecError("RESPONSE_TOO_LARGE", "too much", { retryable: true });
        return channel.poll(params);
      },
    });
    should(await offsetsAfter()).eql(range(1, 60));
  },

  "that every copy of the service is up to date": async () => {
    for (const direction of DIRECTIONS) {
      for (const seed of range(1, 5)) {
        const channel = channelOf(range(1, COUNT), { direction });
        const behind = channelOf(range(1, COUNT - 20), { direction });
        const random = randomFrom(7_919 * seed);
        const { clock, offsetsAfter, deliveries } = read({
          get: (eventId) => channel.get(eventId),
          poll: async (params) => {
            const chance = random();
            if (chance < 0.2 && direction === "up") return { events: [], has_more: false };
            return (chance < 0.4 ? behind : channel).poll(params);
          },
        });
        await clock.pass(600_000);
        channel.publish(makeEvent(COUNT + 1));
        should(await offsetsAfter(600_000)).eql(range(1, COUNT + 1));
        should(deliveries.some(({ late }) => late)).be.false();
      }
    }
  },

  "that events become visible in the order of their offsets": async () => {
    const channel = channelOf([1, 2, 4]);
    const { clock, offsetsAfter, deliveries } = read(channel);
    await clock.pass(30_000);
    channel.publish(makeEvent(3));
    should(await offsetsAfter(120_000)).eql([1, 2, 4, 3]);
    should(deliveries.map(({ late }) => late)).eql([false, false, false, true]);
  },

  "that an event has its proof when it becomes visible": async () => {
    const channel = new SimulatedChannel();
    channel.publish(makeEvent(1, { type: "watcher.event" }), makeEvent(2));
    const { clock, offsets, offsetsAfter, deliveries } = read(channel, { verify: async () => NO_PROOF });
    await clock.pass(20_000);
    should(offsets()).eql([]);
    should(await offsetsAfter(90_000)).eql([1, 2]);
    should(deliveries[0]?.verification).eql(NO_PROOF);
  },

  "that the time of an event is right": async () => {
    const channel = new SimulatedChannel();
    const now = 1_800_000_000;
    const times = [now, now * 1_000, now + 86_400, now, now - 90_000, now];
    channel.publish(...times.map((at, index) => makeEvent(index + 1, { at })));
    const { offsetsAfter } = read(channel, { catchUp: { skipOlderThanMs: 3_600_000 } });
    should(await offsetsAfter()).eql(range(1, times.length));
  },
};
