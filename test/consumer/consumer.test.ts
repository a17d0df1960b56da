import should from "should";
import { EventConsumer, type EventConsumerOptions } from "../../src/consumer/index.ts";
import { CrecError } from "../../src/errors.ts";
import type { VerifyResult } from "../../src/proofs/index.ts";
import type { EventEnvelope } from "../../src/protocol/index.ts";
import { MemoryCursorStore } from "../../src/storage/index.ts";
import { type Habits, IDENTITY, makeEvent, range, SimulatedChannel, simulate } from "./simulation.ts";

const NO_PROOF: VerifyResult = { verified: false, reason: "no_proof", message: "none yet" };

describe("EventConsumer", () => {
  it("delivers a whole channel in order, then new events, and reports how far behind it is", async () => {
    const channel = new SimulatedChannel();
    channel.publish(...range(1, 1000).map((offset) => makeEvent(offset)));
    const { clock, make, end, offsets, states } = simulate({ source: channel });
    const consumer = make();
    consumer.start();
    await clock.until(() => offsets().length === 1000);
    channel.publish(makeEvent(1001));
    await clock.until(() => offsets().length === 1001);
    should(offsets()).eql(range(1, 1001));
    should(consumer.state).eql({
      kind: "connected",
      behind: 0,
      delivered: 1001,
      late: 0,
      waitingForAcks: 0,
      skipped: 0,
      filtered: 0,
    });
    await end(consumer);
    should(states).eql(["connecting", "connected", "stopped"]);
  });

  it("reads each page once while it drains a long channel", async () => {
    const channel = new SimulatedChannel();
    channel.publish(...range(1, 10_000).map((offset) => makeEvent(offset)));
    const { clock, make, end, offsets } = simulate({ source: channel });
    const consumer = make();
    consumer.start();
    await clock.until(() => offsets().length === 10_000);
    should(channel.polls.length).be.below(10_000 / 200 + 10);
    await end(consumer);
  });

  it("writes the cursor rarely while it drains a long channel, and not at all while idle", async () => {
    const channel = new SimulatedChannel();
    channel.publish(...range(1, 10_000).map((offset) => makeEvent(offset)));
    const { clock, disk, make, end, offsets } = simulate({ source: channel });
    const consumer = make();
    consumer.start();
    await clock.until(() => offsets().length === 10_000);
    await clock.pass(5_000);
    should(disk.saves.length).be.below(15);
    const written = disk.saves.length;
    await clock.pass(600_000);
    should(disk.saves.length).equal(written);
    await end(consumer);
  });

  for (const count of [1, 2, 3, 4])
    it(`skips nothing when ${count} empty pages of a replica that lags look as if pages led downwards`, async () => {
      const channel = new SimulatedChannel();
      channel.publish(...range(1, 500).map((offset) => makeEvent(offset)));
      let lags = count;
      const source = {
        get: (eventId: string) => channel.get(eventId),
        poll: async (params: { offset?: number; limit: number }) =>
          params.offset !== undefined && lags-- > 0 ? { events: [], has_more: false } : channel.poll(params),
      };
      const { clock, make, end, offsets, errors } = simulate({ source });
      const consumer = make();
      consumer.start();
      await clock.pass(60_000);
      should(offsets()).eql(range(1, 500));
      should(errors).eql([]);
      await end(consumer);
    });

  it("counts what its filter does not want, and not what lies before the start", async () => {
    const channel = new SimulatedChannel();
    channel.publish(...range(1, 300).map((offset) => makeEvent(offset, { at: 1_700_000_000 + offset })));
    const filter = ({ headers }: EventEnvelope) => headers.offset > 290;
    const { clock, make, end, offsets } = simulate({
      source: channel,
      start: { time: 1_700_000_201 },
      filter,
    });
    const consumer = make();
    consumer.start();
    await clock.until(() => offsets().length === 10);
    should(consumer.state).containEql({ filtered: 90, delivered: 10 });
    await end(consumer);
  });

  it("passes nothing over while its filter is not prepared; its start is settled before", async () => {
    const channel = new SimulatedChannel();
    channel.publish(...range(1, 5).map((offset) => makeEvent(offset)));
    let isReady = false;
    const prepared: number[] = [];
    const { clock, disk, make, end, offsets, errors } = simulate({
      source: channel,
      start: "now",
      filter: () => isReady,
      prepare: async (events) => {
        if (!isReady) throw new CrecError("WATCHER_NOT_FOUND", "Not yet.");
        if (events.length > 0) prepared.push(...events.map(({ headers }) => headers.offset));
      },
    });
    const consumer = make();
    consumer.start();
    await clock.pass(20_000);
    should(consumer.state.kind).equal("retrying");
    channel.publish(makeEvent(6));
    await clock.pass(60_000);
    should(disk.stored?.cursor).equal(5);
    isReady = true;
    await clock.until(() => offsets().length === 1, 20_000);
    should(offsets()).eql([6]);
    should(prepared).eql([6]);
    should(errors.map(({ code }) => code)).eql(["WATCHER_NOT_FOUND"]);
    await end(consumer);
  });

  it("delivers nothing while the cursor cannot be stored, however often it tries", async () => {
    const channel = new SimulatedChannel();
    const { clock, disk, make, end, offsets, errors } = simulate({ source: channel });
    const consumer = make();
    consumer.start();
    await clock.pass(5_000);
    disk.fault = () => {
      throw new CrecError("CURSOR_NOT_SAVED", "The disk is full.");
    };
    channel.publish(makeEvent(1));
    await clock.pass(120_000);
    should(offsets()).eql([]);
    should(consumer.state.kind).equal("retrying");
    should(errors.map(({ code }) => code)).eql(["CURSOR_NOT_SAVED"]);
    disk.fault = undefined;
    await clock.pass(60_000);
    should(offsets()).eql([1]);
    await end(consumer);
  });

  describe("start", () => {
    const startAt = async (start: EventConsumerOptions["start"]) => {
      const channel = new SimulatedChannel();
      channel.publish(...range(1, 300).map((offset) => makeEvent(offset, { at: 1_700_000_000 + offset })));
      const world = simulate({ source: channel, start });
      const consumer = world.make();
      consumer.start();
      await world.clock.pass(3_000);
      channel.publish(makeEvent(301, { at: 1_700_000_301 }));
      await world.clock.pass(30_000);
      await world.end(consumer);
      return world.offsets();
    };

    it("'now' delivers only later events", async () => should(await startAt("now")).eql([301]));
    it("an offset gives that event first", async () =>
      should(await startAt({ offset: 299 })).eql([299, 300, 301]));
    it("a time gives what was made then or later", async () =>
      should(await startAt({ time: 1_700_000_298 })).eql([298, 299, 300, 301]));
    it("'beginning' gives all", async () => should(await startAt("beginning")).eql(range(1, 301)));

    it("'now' is stored immediately, so that a restart before the first event skips nothing", async () => {
      const channel = new SimulatedChannel();
      channel.publish(makeEvent(1));
      const { clock, disk, make, end, offsets } = simulate({ source: channel, start: "now" });
      const store = disk.open();
      const first = make({ store });
      first.start();
      await clock.until(() => disk.stored !== undefined);
      store.crash(false);
      await end(first);
      channel.publish(makeEvent(2));
      const second = make();
      second.start();
      await clock.pass(30_000);
      should(offsets()).eql([2]);
      await end(second);
    });

    it("'now' still gives an event that was not visible yet, although a later one was", async () => {
      const channel = new SimulatedChannel();
      channel.publish(makeEvent(8), makeEvent(10));
      const { clock, make, end, offsets } = simulate({ source: channel, start: "now" });
      const consumer = make();
      consumer.start();
      await clock.pass(5_000);
      channel.publish(makeEvent(9), makeEvent(11));
      await clock.pass(30_000);
      should(offsets()).eql([9, 11]);
      await end(consumer);
    });

    it("finds event 0 of a service that takes offset 0 for 'after 0'", async () => {
      const channel = new SimulatedChannel({ inclusive: false });
      channel.publish(makeEvent(0), makeEvent(1));
      const { clock, make, end, offsets } = simulate({ source: channel });
      const consumer = make();
      consumer.start();
      await clock.pass(30_000);
      should(offsets()).eql([0, 1]);
      await end(consumer);
    });
  });

  describe("restart", () => {
    it("continues at the cursor, and marks nothing after an orderly end", async () => {
      const channel = new SimulatedChannel();
      channel.publish(...range(1, 500).map((offset) => makeEvent(offset)));
      const { clock, make, end, deliveries, offsets } = simulate({ source: channel });
      const first = make();
      first.start();
      await clock.until(() => offsets().length >= 250);
      await end(first);
      const second = make();
      second.start();
      await clock.until(() => offsets().includes(500));
      should(offsets()).eql(range(1, 500));
      should(deliveries.some(({ redelivered }) => redelivered)).equal(false);
      await end(second);
    });

    it("marks what a crash makes it repeat, and not what was made after it", async () => {
      const channel = new SimulatedChannel();
      channel.publish(...range(1, 10).map((offset) => makeEvent(offset)));
      const { clock, disk, make, end, deliveries } = simulate({ source: channel });
      const store = disk.open();
      const first = make({ store });
      first.start();
      await clock.until(() => deliveries.length === 10);
      store.crash(false);
      await end(first);
      deliveries.length = 0;
      channel.publish(makeEvent(11));
      const second = make();
      second.start();
      await clock.until(() => deliveries.length > 0 && deliveries.at(-1)?.offset === 11);
      for (const { offset, redelivered } of deliveries) should(redelivered).equal(offset <= 10);
      await end(second);
    });

    const drained = async (count: number, habits: Partial<Habits> = {}) => {
      const channel = new SimulatedChannel(habits);
      channel.publish(...range(1, count).map((offset) => makeEvent(offset)));
      const world = simulate({ source: channel });
      const consumer = world.make();
      consumer.start();
      await world.clock.until(() => world.offsets().length === count);
      return { channel, consumer, ...world };
    };

    it("waits for a channel that ends below the cursor, and resumes when it reaches the cursor", async () => {
      const { channel, consumer: first, clock, disk, make, end, offsets, errors, states } = await drained(20);
      await end(first);
      const all = channel.visible;
      channel.visible = [];
      const second = make();
      second.start();
      await clock.pass(10_000);
      should(second.state).containEql({ kind: "beyond_end" });
      should(errors.map(({ code }) => code)).eql(["CURSOR_BEYOND_END"]);
      channel.visible = all.slice(0, 19);
      const polls = channel.polls.length;
      await clock.pass(1_200_000);
      should(channel.polls.length - polls).be.within(18, 50);
      channel.visible = [...all, makeEvent(21)];
      await clock.pass(60_000);
      should(offsets()).eql(range(1, 21));
      should(states).eql(["connecting", "connected", "stopped", "connecting", "beyond_end", "connected"]);
      await end(second);
      should(disk.stored?.cursor).equal(21);
    });

    it("sees while it runs that pages are empty, and loses nothing by that", async () => {
      const { channel, consumer, clock, end, offsets, errors, deliveries } = await drained(200);
      const all = channel.visible;
      channel.visible = [];
      await clock.until(() => consumer.state.kind === "beyond_end", 90_000);
      channel.visible = [...all, ...range(201, 203).map((offset) => makeEvent(offset))];
      await clock.pass(60_000);
      should(offsets()).eql(range(1, 203));
      should(deliveries.some(({ redelivered }) => redelivered)).equal(false);
      should(errors.map(({ code }) => code)).eql(["CURSOR_BEYOND_END"]);
      await end(consumer);
    });

    it("asks a person where the channel has another event at a remembered offset, past the cursor or not", async () => {
      for (const count of [15, 30]) {
        const { channel, consumer: first, clock, make, end, offsets, errors } = await drained(20);
        await end(first);
        channel.visible = range(1, count).map((offset) => makeEvent(offset, { id: `another-${offset}` }));
        const second = make();
        second.start();
        await clock.until(() => second.state.kind === "stopped", 20_000);
        should(errors.map(({ code }) => code)).eql(["CHANNEL_REPLACED"]);
        should(offsets().length).equal(20);
        second.seek("beginning");
        await clock.until(() => offsets().length === 20 + count);
        await end(second);
      }
    });

    it("takes missing events for ones that the service did not keep", async () => {
      const { channel, consumer: first, clock, make, end, offsets, errors } = await drained(20);
      await end(first);
      channel.visible = [makeEvent(20), makeEvent(21)];
      const second = make();
      second.start();
      await clock.pass(20_000);
      should(offsets()).eql(range(1, 21));
      should(errors).eql([]);
      await end(second);
    });

    for (const direction of ["up", "down"] as const) {
      it(`reports which events it may have missed, and continues, when they are not kept (${direction})`, async () => {
        const {
          channel,
          consumer: first,
          clock,
          make,
          end,
          offsets,
          errors,
        } = await drained(20, { direction });
        await end(first);
        channel.visible = range(300, 700).map((offset) => makeEvent(offset));
        const second = make();
        second.start();
        await clock.pass(20_000);
        channel.publish(makeEvent(701));
        await clock.pass(20_000);
        should(offsets()).eql([...range(1, 20), ...range(300, 701)]);
        should(errors.map(({ code }) => code)).eql(["EVENTS_NOT_KEPT"]);
        should(errors[0]?.message).match(/offset 21 to 299/);
        await end(second);
      });
    }

    it("refuses a cursor of another channel, and leaves it as it is", async () => {
      const channel = new SimulatedChannel();
      channel.publish(makeEvent(1));
      const { clock, disk, make, end, errors } = simulate({ source: channel });
      const first = make();
      first.start();
      await clock.pass(5_000);
      await end(first);
      const stored = disk.stored;
      const second = make({ identity: { ...IDENTITY, channelId: "channel-2" } });
      second.start();
      await clock.until(() => second.state.kind === "stopped");
      should(errors.map(({ code }) => code)).eql(["CURSOR_OF_ANOTHER_CHANNEL"]);
      should(disk.stored).equal(stored);
    });
  });

  describe("fault", () => {
    const failing = (code: string, extra: object = {}) =>
      Object.assign(new CrecError(code, "A sentence."), extra);

    for (const code of ["CHANNEL_NOT_FOUND", "NOT_FOUND"])
      it(`reports that it waits for a channel that does not exist yet (${code}), and finds it within 5 s`, async () => {
        const channel = new SimulatedChannel();
        channel.fault = () => {
          throw failing(code);
        };
        const { clock, make, end, states, errors, offsets } = simulate({ source: channel });
        const consumer = make();
        consumer.start();
        await clock.pass(120_000);
        should(states).eql(["connecting", "waiting_for_channel"]);
        should(errors.length).equal(1);
        should(channel.polls.length).be.within(22, 32);
        channel.fault = undefined;
        channel.publish(makeEvent(1));
        await clock.pass(5_001);
        should(offsets()).eql([1]);
        await end(consumer);
      });

    it("asks slowly with a refused key", async () => {
      const channel = new SimulatedChannel();
      channel.fault = () => {
        throw failing("KEY_REFUSED");
      };
      const { clock, make, end, states } = simulate({ source: channel });
      const consumer = make();
      consumer.start();
      await clock.pass(600_000);
      should(states).eql(["connecting", "refused"]);
      should(channel.polls.length).be.within(10, 20);
      await end(consumer);
    });

    it("waits as long as the service asks, and recovers", async () => {
      const channel = new SimulatedChannel();
      channel.publish(makeEvent(1));
      let failures = 2;
      channel.fault = () => {
        if (failures-- > 0) throw failing("RATE_LIMITED", { retryAfterMs: 7_000 });
      };
      const waits: number[] = [];
      const { clock, make, end, offsets, errors } = simulate({
        source: channel,
        onState: (state) => {
          if (state.kind === "retrying") waits.push(state.inMs);
        },
      });
      const consumer = make();
      consumer.start();
      await clock.pass(20_000);
      should(waits).eql([7_000, 7_000]);
      should(errors.length).equal(1);
      should(offsets()).eql([1]);
      await end(consumer);
    });

    it("explains what is thrown by other code, tries again, and recovers", async () => {
      for (const [thrown, said] of [
        [new Error("no disk"), "no disk"],
        ["no more", "no more"],
      ] as Array<[unknown, string]>) {
        const channel = new SimulatedChannel();
        channel.publish(makeEvent(1));
        const { clock, make, end, offsets, errors } = simulate({ source: channel });
        const store = new MemoryCursorStore();
        let failures = 1;
        const load = async () => {
          if (failures-- > 0) throw thrown;
          return store.load();
        };
        const consumer = make({ store: { load, save: (state) => store.save(state) } });
        consumer.start();
        await clock.pass(10_000);
        should(errors).have.length(1);
        should(errors[0]).match({ code: "CONSUMER_FAILED", retryable: true, cause: thrown });
        should(errors[0]?.message).containEql(`Reading events failed: ${said}. It is tried again.`);
        should(offsets()).eql([1]);
        await end(consumer);
      }
    });

    it("delivers an event again, marked, when handing it over failed", async () => {
      const channel = new SimulatedChannel();
      channel.publish(...range(1, 5).map((offset) => makeEvent(offset)));
      const got: string[] = [];
      let failures = 1;
      const { clock, make, end, errors } = simulate({
        source: channel,
        deliver: async ({ offset, redelivered }) => {
          got.push(`${offset}${redelivered ? " again" : ""}`);
          if (offset === 3 && failures-- > 0) throw new Error("no");
        },
      });
      const consumer = make();
      consumer.start();
      await clock.pass(10_000);
      should(got).eql(["1", "2", "3", "3 again", "4", "5"]);
      should(errors.map(({ code }) => code)).eql(["DELIVERY_FAILED"]);
      await end(consumer);
    });

    it("reports pages that do not advance after a few reads, and retries slowly", async () => {
      const channel = new SimulatedChannel();
      channel.publish(...range(1, 500).map((offset) => makeEvent(offset)));
      const source = {
        get: (eventId: string) => channel.get(eventId),
        poll: (params: { offset?: number; limit: number }) =>
          channel.poll(params.offset === undefined ? params : { ...params, offset: 1 }),
      };
      const { clock, make, end, errors, offsets } = simulate({ source });
      const consumer = make();
      consumer.start();
      await clock.pass(600_000);
      should(errors.map(({ code }) => code)).containEql("PAGES_DO_NOT_ADVANCE");
      should(offsets()).eql(range(1, 200));
      should(channel.polls.length).be.below(300);
      await end(consumer);
    });

    it("stops rather than skip when a service takes no notice of the offset", async () => {
      const channel = new SimulatedChannel();
      channel.publish(...range(1, 100).map((offset) => makeEvent(offset)));
      const source = {
        get: (eventId: string) => channel.get(eventId),
        poll: ({ limit }: { limit: number }) => channel.poll({ limit }),
      };
      const { clock, make, end, errors, offsets } = simulate({ source });
      const consumer = make();
      consumer.start();
      await clock.until(() => offsets().length === 100);
      channel.publish(...range(101, 900).map((offset) => makeEvent(offset)));
      await clock.pass(120_000);
      should(errors.map(({ code }) => code)).containEql("PAGES_DO_NOT_ADVANCE");
      should(offsets()).eql(range(1, 100));
      await end(consumer);
    });

    it("survives listeners that throw", async () => {
      const channel = new SimulatedChannel();
      channel.publish(makeEvent(1));
      const { clock, make, end, offsets } = simulate({
        source: channel,
        filter: () => {
          throw new Error("filter");
        },
        onState: () => {
          throw new Error("listener");
        },
      });
      const consumer = make();
      consumer.start();
      await clock.pass(5_000);
      should(offsets()).eql([1]);
      await end(consumer);
    });
  });

  describe("proofs", () => {
    const contractEvent = (offset: number, proofs: unknown[] = []): EventEnvelope => ({
      event_id: `event-${offset}`,
      headers: { type: "watcher.event", offset, proofs },
      payload: { timestamp: 1_700_000_000 + offset },
    });
    const verify = async ({ headers }: EventEnvelope): Promise<VerifyResult> =>
      headers.proofs.length > 0 ? { verified: true, signers: [], workflowId: "" } : NO_PROOF;

    it("holds an event until its proof is there, and the others behind it", async () => {
      const channel = new SimulatedChannel();
      channel.publish(contractEvent(1), contractEvent(2, ["proof"]));
      const { clock, make, end, deliveries } = simulate({ source: channel, verify });
      const consumer = make();
      consumer.start();
      await clock.pass(4_000);
      should(deliveries).eql([]);
      channel.visible = [contractEvent(1, ["proof"]), contractEvent(2, ["proof"])];
      await clock.pass(6_000);
      should(deliveries.map(({ offset, verification }) => [offset, verification?.verified])).eql([
        [1, true],
        [2, true],
      ]);
      should(channel.gets.length).be.within(3, 8);
      await end(consumer);
    });

    it("selects again what an event says once it has its proof", async () => {
      const channel = new SimulatedChannel();
      const saying = (status: string, proofs: unknown[]) => {
        const event = contractEvent(1, proofs);
        return { ...event, payload: { ...event.payload, status } };
      };
      channel.publish(saying("wanted", []), contractEvent(2, ["proof"]));
      const filter = ({ payload }: EventEnvelope) => payload.status !== "unwanted";
      const { clock, make, end, offsets } = simulate({ source: channel, verify, filter });
      const consumer = make();
      consumer.start();
      await clock.pass(1_000);
      channel.visible = [saying("unwanted", ["proof"]), contractEvent(2, ["proof"])];
      await clock.pass(10_000);
      should(offsets()).eql([2]);
      should(consumer.state).match({ filtered: 1 });
      await end(consumer);
    });

    it("gives it out as rejected when the time is over", async () => {
      const channel = new SimulatedChannel();
      channel.publish(contractEvent(1));
      const { clock, make, end, deliveries } = simulate({ source: channel, verify, proofWaitMs: 30_000 });
      const consumer = make();
      consumer.start();
      await clock.pass(29_000);
      should(deliveries).eql([]);
      await clock.pass(3_000);
      should(deliveries.map(({ verification }) => verification)).eql([NO_PROOF]);
      await end(consumer);
    });

    it("keeps waiting while the event cannot be found by its id, or its id is refused", async () => {
      for (const code of ["EVENT_NOT_FOUND", "NOT_FOUND", "VALIDATION_ERROR"]) {
        const channel = new SimulatedChannel();
        channel.publish(contractEvent(1));
        let failures = 3;
        const get = (eventId: string) =>
          failures-- > 0 ? Promise.reject(new CrecError(code, "Not yet.")) : channel.get(eventId);
        const source = { poll: channel.poll.bind(channel), get };
        const { clock, make, end, deliveries, errors } = simulate({ source, verify });
        const consumer = make();
        consumer.start();
        await clock.pass(1_000);
        channel.visible = [contractEvent(1, ["proof"])];
        await clock.pass(20_000);
        should(deliveries.map(({ verification }) => verification?.verified)).eql([true]);
        should(errors).eql([]);
        await end(consumer);
      }
    });

    it("does not give an event out because the service fails while its proof is waited for", async () => {
      const channel = new SimulatedChannel();
      channel.publish(contractEvent(1));
      let failures = 3;
      const get = (eventId: string) =>
        failures-- > 0 ? Promise.reject(new CrecError("SERVICE_ERROR", "No.")) : channel.get(eventId);
      const source = { poll: channel.poll.bind(channel), get };
      const { clock, make, end, deliveries, errors } = simulate({ source, verify });
      const consumer = make();
      consumer.start();
      await clock.pass(1_000);
      should(consumer.state.kind).equal("retrying");
      channel.visible = [contractEvent(1, ["proof"])];
      await clock.pass(60_000);
      should(deliveries.map(({ verification }) => verification?.verified)).eql([true]);
      should(errors.map(({ code }) => code)).eql(["SERVICE_ERROR"]);
      await end(consumer);
    });

    it("takes an event without a list of proofs for one that has none yet", async () => {
      const channel = new SimulatedChannel();
      const { proofs: _, ...headers } = contractEvent(1).headers;
      channel.publish({ ...contractEvent(1), headers: headers as EventEnvelope["headers"] });
      const { clock, make, end, offsets, errors } = simulate({ source: channel, proofWaitMs: 5_000 });
      const consumer = make();
      consumer.start();
      await clock.pass(4_000);
      should(offsets()).eql([]);
      await clock.pass(4_000);
      should(offsets()).eql([1]);
      should(errors).eql([]);
      await end(consumer);
    });

    it("does not wait for proofs of events that are old already", async () => {
      const channel = new SimulatedChannel();
      channel.publish(
        ...range(1, 50).map((offset) => contractEvent(offset)),
        contractEvent(1_000, ["proof"]),
      );
      const { clock, make, end, deliveries } = simulate({ source: channel, verify });
      const consumer = make();
      consumer.start();
      await clock.pass(5_000);
      should(deliveries.length).equal(51);
      await end(consumer);
    });

    it("waits for a proof although another event is dated in the future, or in milliseconds", async () => {
      for (const created_at of [1_900_000_000, 1_800_000_000_000]) {
        const channel = new SimulatedChannel();
        const fresh = (proofs: unknown[]) => ({ ...contractEvent(1, proofs), created_at: 1_799_999_999 });
        channel.publish(fresh([]), { ...contractEvent(2, ["proof"]), created_at });
        const { clock, make, end, deliveries } = simulate({ source: channel, verify });
        const consumer = make();
        consumer.start();
        await clock.pass(4_000);
        channel.visible = [fresh(["proof"])];
        await clock.pass(6_000);
        should(deliveries[0]?.verification?.verified).equal(true);
        await end(consumer);
      }
    });

    it("waits without verifying too, so that a later step can verify", async () => {
      const channel = new SimulatedChannel();
      channel.publish(contractEvent(1));
      const { clock, make, end, deliveries } = simulate({ source: channel });
      const consumer = make();
      consumer.start();
      await clock.pass(2_000);
      channel.visible = [contractEvent(1, ["proof"])];
      await clock.pass(5_000);
      should(deliveries[0]?.event.headers.proofs).eql(["proof"]);
      should(deliveries[0]).not.have.property("verification");
      await end(consumer);
    });
  });

  describe("types", () => {
    it("requests a type when there is exactly one, and filters the answer as well", async () => {
      for (const honoursType of [true, false]) {
        const channel = new SimulatedChannel({ honoursType });
        channel.publish(
          ...range(1, 600).map((offset) =>
            makeEvent(offset, { type: offset % 3 ? "wallet.status" : "watcher.status" }),
          ),
        );
        const { clock, make, end, offsets } = simulate({ source: channel, types: ["watcher.status"] });
        const consumer = make();
        consumer.start();
        await clock.pass(30_000);
        should(offsets()).eql(range(1, 200).map((n) => 3 * n));
        should(channel.polls.some(({ type }) => type === "watcher.status")).equal(true);
        await end(consumer);
      }
    });

    it("moves the cursor past filtered events", async () => {
      const channel = new SimulatedChannel();
      channel.publish(...range(1, 600).map((offset) => makeEvent(offset)));
      const { clock, disk, make, end, deliveries } = simulate({ source: channel, filter: () => false });
      const consumer = make();
      consumer.start();
      await clock.pass(5_000);
      await end(consumer);
      should(deliveries).eql([]);
      should(disk.stored?.cursor).equal(600);
    });
  });

  describe("control", () => {
    it("stops within a moment while a request is stalled", async () => {
      const stalled = Promise.withResolvers<void>();
      const consumer = new EventConsumer({
        source: {
          poll: () => {
            stalled.resolve();
            return new Promise(() => {});
          },
          get: () => new Promise(() => {}),
        },
        store: new MemoryCursorStore(),
        identity: { ...IDENTITY, consumer: "stalled" },
        start: "now",
        deliver: () => {},
      });
      consumer.start();
      await stalled.promise;
      const before = performance.now();
      await consumer.stop();
      should(performance.now() - before).be.below(10_000);
      should(consumer.state).eql({ kind: "stopped" });
    });

    it("stops within a moment while a delivery hangs, and delivers it again next time", async () => {
      const channel = new SimulatedChannel();
      channel.publish(makeEvent(1));
      const { clock, make, end, deliveries } = simulate({ source: channel });
      let handed = 0;
      const first = make({
        deliver: () => {
          handed += 1;
          return new Promise(() => {});
        },
      });
      first.start();
      await clock.until(() => handed === 1);
      await end(first);
      const second = make();
      second.start();
      await clock.pass(5_000);
      should(deliveries.map(({ offset, redelivered }) => [offset, redelivered])).eql([[1, true]]);
      await end(second);
    });

    it("can be started again, also before it has stopped", async () => {
      const channel = new SimulatedChannel();
      channel.publish(makeEvent(1));
      const { clock, make, end, offsets, errors } = simulate({ source: channel });
      const consumer = make();
      consumer.start();
      await clock.until(() => offsets().length === 1);
      void consumer.stop();
      consumer.start();
      channel.publish(makeEvent(2));
      await clock.pass(5_000);
      should(offsets()).eql([1, 2]);
      should(errors).eql([]);
      await end(consumer);
    });

    it("refuses a second consumer with the same identity, and both report it", async () => {
      const channel = new SimulatedChannel();
      channel.publish(makeEvent(1));
      const { clock, make, end, offsets } = simulate({ source: channel });
      const told: string[] = [];
      const first = make({ onError: ({ code }) => told.push(`first ${code}`) });
      const second = make({ onError: ({ code }) => told.push(`second ${code}`) });
      first.start();
      second.start();
      should(told).eql(["first CONSUMER_NAME_TAKEN", "second CONSUMER_NAME_TAKEN"]);
      should(second.state.kind).equal("stopped");
      await clock.pass(5_000);
      should(offsets()).eql([1]);
      await end(first);
      second.start();
      await clock.pass(5_000);
      should(second.state.kind).equal("connected");
      await end(second);
    });

    it("hands nothing over while it is paused", async () => {
      const channel = new SimulatedChannel();
      const { clock, make, end, offsets } = simulate({ source: channel });
      const consumer = make();
      consumer.start();
      await clock.pass(2_000);
      consumer.pause();
      channel.publish(makeEvent(1));
      await clock.pass(60_000);
      should(offsets()).eql([]);
      should(consumer.state).eql({ kind: "paused" });
      const polls = channel.polls.length;
      await clock.pass(60_000);
      should(channel.polls.length).equal(polls);
      consumer.resume();
      should(consumer.state.kind).equal("connected");
      await clock.pass(20_000);
      should(offsets()).eql([1]);
      await end(consumer);
    });

    it("can be paused before it is started, and reports that only while it runs", async () => {
      const channel = new SimulatedChannel();
      channel.publish(makeEvent(1));
      const { clock, make, end, offsets } = simulate({ source: channel });
      const consumer = make();
      consumer.pause();
      should(consumer.state).eql({ kind: "stopped" });
      consumer.start();
      should(consumer.state).eql({ kind: "paused" });
      await clock.pass(10_000);
      should(channel.polls).be.empty();
      consumer.resume();
      should(consumer.state).eql({ kind: "connecting" });
      await clock.pass(10_000);
      should(offsets()).eql([1]);
      await end(consumer);
      consumer.pause();
      consumer.resume();
      should(consumer.state).eql({ kind: "stopped" });
    });

    it("seeks back and forth", async () => {
      const channel = new SimulatedChannel();
      channel.publish(...range(1, 10).map((offset) => makeEvent(offset)));
      const { clock, make, end, offsets } = simulate({ source: channel });
      const consumer = make();
      consumer.start();
      await clock.pass(5_000);
      consumer.seek(8);
      await clock.pass(5_000);
      should(offsets()).eql([...range(1, 10), 8, 9, 10]);
      await end(consumer);
    });

    it("waits at an offset beyond the end until the channel gets there, or it is sent elsewhere", async () => {
      const channel = new SimulatedChannel();
      channel.publish(...range(1, 10).map((offset) => makeEvent(offset)));
      const { clock, make, end, offsets } = simulate({ source: channel });
      const consumer = make();
      consumer.start();
      await clock.pass(5_000);
      consumer.seek(13);
      await clock.pass(10_000);
      should(consumer.state).containEql({ kind: "beyond_end" });
      channel.publish(...range(11, 13).map((offset) => makeEvent(offset)));
      await clock.pass(60_000);
      should(offsets()).eql([...range(1, 10), 13]);
      consumer.seek(99);
      await clock.pass(10_000);
      consumer.seek(12);
      await clock.pass(5_000);
      should(offsets()).eql([...range(1, 10), 13, 12, 13]);
      await end(consumer);
    });

    it("refuses limits that cannot work", () => {
      const { make } = simulate({ source: new SimulatedChannel() });
      should(() => make({ late: { withinMs: -1 } })).throw({
        code: "INVALID_ARGUMENT",
        path: "late.withinMs",
      });
      should(() => make({ late: { events: 0.5 } })).throw({ path: "late.events" });
      should(() => make({ pageLimit: 0 })).throw({ path: "pageLimit" });
      should(() => make({ pollMinMs: 5, pollMaxMs: 1 })).throw({ path: "pollMinMs" });
    });
  });

  it("polls an idle channel at most about 4 times a minute", async () => {
    const channel = new SimulatedChannel();
    channel.publish(...range(1, 300).map((offset) => makeEvent(offset)));
    const { clock, make, end } = simulate({ source: channel, start: "now" });
    const consumer = make();
    consumer.start();
    await clock.pass(120_000);
    const before = channel.polls.length;
    await clock.pass(600_000);
    should(channel.polls.length - before).be.belowOrEqual(10 * 5 + 8);
    await end(consumer);
  });
});
