import fc from "fast-check";
import should from "should";
import { Feeders } from "../../nodes/alert/time/feeders.ts";
import { type ChannelProgress, noteReader } from "../../nodes/common/status/channel-progress.ts";

const HOUR_MS = 3_600_000;
const CHANNELS = ["c2c1c0de-0000-4000-8000-000000000001", "c2c1c0de-0000-4000-8000-000000000002"] as const;
const [OWN, OTHER] = CHANNELS;

/** A running events in: `at` is up to when all is settled, `deliveredAt` up to when all was handed over. */
type Running = {
  id: string;
  channelId?: string;
  at?: number | undefined;
  deliveredAt?: number | undefined;
  inFlight?: readonly string[];
  isReading?: boolean;
  isAway?: boolean;
};

describe("the events in nodes that feed an alert", () => {
  const forget: Array<() => void> = [];
  afterEach(() => {
    for (const end of forget.splice(0)) end();
  });

  const run = ({
    id,
    channelId = OWN,
    at,
    deliveredAt,
    inFlight = [],
    isReading = true,
    isAway = false,
  }: Running) => {
    const reading = {
      identity: { channelId, service: "service" },
      ...{ readUpTo: at, deliveredUpTo: deliveredAt, levels: {} },
      consumer: {
        isSettled: () => false,
        inFlight: inFlight.map((eventId) => ({ eventId, offset: 1, since: 0 })),
      },
    } as unknown as ChannelProgress;
    forget.push(
      noteReader({
        ...{ node: id, label: `node ${id}`, channelNode: `of ${channelId}`, consumer: id },
        ...{ isAway: () => isAway, reading: () => (isReading ? reading : undefined) },
      }),
    );
  };
  const feeders = (wired: readonly string[] = [], channel = "", isShared = false) =>
    new Feeders({ channel, isShared, wired: async () => new Set(wired), resolve: async () => undefined });
  const event = (reader: string, eventId = "e", channelId: string = OWN) => ({
    ...{ eventId, channelId, offset: 1, consumer: undefined, reader },
  });
  const ago = (ms: number) => Date.now() - ms;

  it("are those that are wired to it, whatever others of its channel do", async () => {
    const at = ago(1_000);
    run({ id: "stuck", at: ago(HOUR_MS), inFlight: ["x"] });
    run({ id: "away", isReading: false });
    run({ id: "own", at });
    for (const channel of ["", `of ${OWN}`]) {
      const alert = feeders(["own"], channel);
      alert.count(event("stuck"));
      should(await alert.given()).deepEqual({ at, reader: "node own" });
    }
    should(await feeders(["own", "stuck"]).given()).have.property("reader", "node stuck");
    should(await feeders(["own", "away"]).given()).deepEqual({ at: undefined, reader: "node away" });
    // It is in the flows, and not there yet.
    should(await feeders(["own", "to come"]).given()).deepEqual({ at: undefined, reader: undefined });
  });

  it("are else those whose messages have reached it, also late and before a restart", async () => {
    const at = ago(1_000);
    run({ id: "stuck", at: ago(HOUR_MS) });
    run({ id: "own", at });
    const alert = feeders([], `of ${OWN}`);
    should(await alert.given()).have.property("reader", "node stuck");
    alert.count(event("own"));
    should(await alert.given()).deepEqual({ at, reader: "node own" });
    alert.count(event("stuck"));
    should(await alert.given()).have.property("reader", "node stuck");
    const restarted = feeders([], `of ${OWN}`);
    restarted.know({ ...event("own"), reader: undefined, consumer: "own" });
    should(await restarted.given()).deepEqual({ at, reader: "node own" });
  });

  it("are else all of its channel, and never those of another", async () => {
    run({ id: "far", channelId: OTHER, at: ago(HOUR_MS), inFlight: ["x"] });
    should((await feeders().given()).at).be.approximately(Date.now(), 1_000);
    should(await feeders([], `of ${OWN}`).given()).have.property("at", undefined);
    const at = ago(1_000);
    run({ id: "one", at: ago(500) });
    run({ id: "two", at });
    should(await feeders([], `of ${OWN}`).given()).deepEqual({ at, reader: "node two" });
    // Without a channel, that of its messages, such as one that a flow took the reader from.
    const alert = feeders();
    alert.count({ ...event(""), reader: undefined });
    should(await alert.given()).deepEqual({ at, reader: "node two" });
    // A reader of the same name in another channel.
    run({ id: "one", channelId: OTHER, isReading: true, at: ago(HOUR_MS) });
    const named = feeders();
    named.count(event("one"));
    should(await named.given()).have.property("reader", "node one");
    should(Number((await named.given()).at)).be.above(ago(HOUR_MS / 2));
  });

  it("may feed it on another copy, while this one does not read", async () => {
    run({ id: "standby", isReading: false, isAway: true });
    should((await feeders([], "", true).given()).at).be.undefined();
    should((await feeders([], "", false).given()).at).be.approximately(Date.now(), 1_000);
  });

  it("do not hold it up with an event that it has counted, only with one that has not arrived", async () => {
    const [at, deliveredAt] = [ago(HOUR_MS), ago(1_000)];
    run({ id: "own", at, deliveredAt, inFlight: ["1", "2"] });
    run({ id: "new", deliveredAt, inFlight: ["1"] });
    const alert = feeders(["own"]);
    should((await alert.given()).at).equal(at);
    alert.count(event("own", "1"));
    should((await alert.given()).at).equal(at);
    // That of another reader is another delivery.
    alert.count(event("new", "2"));
    should((await alert.given()).at).equal(at);
    alert.count(event("own", "2"));
    should((await alert.given()).at).equal(deliveredAt);
    const other = feeders(["new"]);
    should((await other.given()).at).be.undefined();
    other.count(event("new", "1"));
    should((await other.given()).at).equal(deliveredAt);
  });

  it("are never passed, and hold up nobody else, however they stand", async () => {
    const oneReader = fc.record({
      settledAgo: fc.option(fc.integer({ min: 0, max: HOUR_MS }), { nil: undefined }),
      inFlight: fc.uniqueArray(fc.constantFrom("1", "2", "3")),
      counted: fc.uniqueArray(fc.constantFrom("1", "2", "3")),
      isWired: fc.boolean(),
      channelId: fc.constantFrom(...CHANNELS),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(oneReader, { maxLength: 5 }), fc.boolean(), async (readers, hasChannel) => {
        const now = Date.now();
        const all = readers.map(({ settledAgo, ...rest }, no) => {
          const at = settledAgo === undefined ? undefined : now - settledAgo;
          return { ...rest, id: `r${no}`, at, deliveredAt: now };
        });
        for (const one of all) run(one);
        const wired = all.filter(({ isWired }) => isWired);
        const alert = feeders(
          wired.map(({ id }) => id),
          hasChannel ? `of ${OWN}` : "",
        );
        for (const { id, channelId, counted } of all)
          for (const eventId of counted) alert.count(event(id, eventId, channelId));
        const reached = all.filter(({ counted }) => counted.length > 0);
        const ofChannel = hasChannel ? all.filter(({ channelId }) => channelId === OWN) : [];
        const feeding = wired.length > 0 ? wired : reached.length > 0 ? reached : ofChannel;
        const times = feeding.map(({ at, inFlight, counted }) =>
          inFlight.every((id) => counted.includes(id)) ? now : at,
        );
        const nobody = hasChannel ? undefined : now;
        const least = Math.min(...times.map((time) => time ?? Number.NaN));
        // What is in flight is still known when it is looked at again.
        for (let look = 0; look < 2; look += 1) {
          const { at } = await alert.given();
          if (times.length > 0) should(at ?? Number.NaN).eql(least);
          else if (nobody === undefined) should(at).be.undefined();
          else should(at).be.within(nobody, Date.now());
        }
        for (const end of forget.splice(0)) end();
      }),
    );
  });
});
