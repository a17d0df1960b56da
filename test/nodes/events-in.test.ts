import should from "should";
import { type Arrival, ackingNode, EventHarness, isPoll } from "../support/event-harness.ts";
import { refuse } from "../support/flow-harness.ts";
import { channelNode, eventsInNode } from "../support/nodes.ts";

const EVENTS = 40;
const CONNECTED = "connected";

type WireEvent = {
  headers: { offset: number; type: string; proofs: unknown[] };
  payload: Record<string, unknown>;
  created_at: number;
};

/** What a flow sees of events in beside acknowledgements: commands, proofs that fail, and what is too old. */
describe("events in", function () {
  this.timeout(120_000);

  let harness: EventHarness;
  let count = EVENTS;

  before(async () => {
    harness = await EventHarness.start(EVENTS);
    await harness.call("POST", "/channels", { name: "elsewhere" });
  });

  afterEach(() => {
    harness.proxy.harm = () => undefined;
  });

  after(() => harness?.close());

  const offsetsOf = (arrivals: readonly Arrival[]) => arrivals.map(({ crec }) => crec.offset);
  const upTo = (last: number, first = 1) => [...Array(last - first + 1).keys()].map((index) => first + index);
  /** Changes each event on its way. */
  const alter = (change: (event: WireEvent) => void) => {
    const changePage = (body: string) => {
      const page = JSON.parse(body) as { events: WireEvent[] };
      for (const event of page.events) change(event);
      return JSON.stringify(page);
    };
    harness.proxy.harm = (passing) => (isPoll(passing) ? { kind: "change", change: changePage } : undefined);
  };
  const grow = async (name: string) => {
    await harness.addEvents(name);
    count += 2;
    return count;
  };

  describe("told by message", () => {
    /** A node of this id that has read all there is, and one that looks as often at another channel. */
    const reading = async (id: string): Promise<Arrival[]> => {
      await harness.deploy(
        [
          [eventsInNode({ id, verify: false, inputs: 1 }), 2],
          [eventsInNode({ id: "beside", channel: "other-channel" }), 2],
        ],
        [channelNode({ id: "other-channel", channel: "elsewhere" })],
      );
      const all = await harness.arrived(id, count);
      await harness.nodeRed.status(id, CONNECTED);
      should(offsetsOf(all)).deepEqual(upTo(count));
      return all;
    };
    /** Looks at the channel that an event came from. */
    const isLookFor = ({ crec }: Arrival) => {
      return ({ path }: { path: string }) => path.includes(crec.channelId);
    };
    const since = (id: string, before: number) => offsetsOf(harness.arrivals(id).slice(before));

    it("to pause: sends nothing and asks nothing until it is told to resume", async () => {
      const all = await reading("pauses");
      const isOwn = isLookFor(all[0] as Arrival);
      const seen = all.length;
      await harness.press("pauses", { topic: "pause" });
      should(await harness.nodeRed.status("pauses", "paused")).have.property("fill", "grey");
      const last = await grow("while-paused");
      const looks = harness.proxy.passed.length;
      await harness.looked((passing) => !isOwn(passing));
      should(harness.proxy.passed.slice(looks).filter((one) => isPoll(one) && isOwn(one))).be.empty();
      should(since("pauses", seen)).be.empty();
      await harness.press("pauses", { payload: "resume" });
      await harness.arrived("pauses", last);
      should(since("pauses", seen)).deepEqual([last - 1, last]);
      await harness.nodeRed.status("pauses", CONNECTED);
    });

    it("to go to an offset, as a number or as text", async () => {
      for (const [id, payload] of [
        ["by-number", count - 1],
        ["by-text", ` ${count - 1} `],
      ] as const) {
        const all = await reading(id);
        const seen = all.length;
        await harness.press(id, { topic: "seek", payload });
        await harness.arrived(id, seen + 2);
        await harness.looked(isLookFor(all[0] as Arrival));
        should(since(id, seen)).deepEqual([count - 1, count]);
      }
    });

    it("to go to the beginning, or to a time: what was sent comes again", async () => {
      const all = await reading("again");
      const seen = all.length;
      await harness.press("again", { topic: "seek", payload: "beginning" });
      await harness.arrived("again", 2 * seen);
      await harness.press("again", { topic: "seek", payload: "2000-01-31T12:00:00Z" });
      await harness.arrived("again", 3 * seen);
      should(offsetsOf(harness.arrivals("again"))).deepEqual([
        ...upTo(count),
        ...upTo(count),
        ...upTo(count),
      ]);
      // All are older than this, and so is what comes now.
      await harness.press("again", { topic: "seek", payload: "2100-01-01" });
      await grow("before-2100");
      await harness.report("again", ({ cursor }) => cursor === count);
      await harness.looked(isLookFor(all[0] as Arrival));
      should(harness.arrivals("again")).have.length(3 * seen);
    });

    it("to go to now: only what comes from then on", async () => {
      await harness.deploy([[ackingNode({ id: "skips", inputs: 1 }), 2]]);
      await harness.arrived("skips", 1);
      await harness.press("skips", { topic: "seek", payload: "now" });
      await harness.nodeRed.status("skips", CONNECTED);
      const last = await grow("after-now");
      await harness.arrived("skips", 2);
      should(since("skips", 1)).deepEqual([last - 1]);
    });

    it("to go elsewhere while it is paused: it stays paused, and goes there when it resumes", async () => {
      const all = await reading("both");
      const seen = all.length;
      await harness.press("both", { topic: "pause" });
      await harness.nodeRed.status("both", "paused");
      await harness.press("both", { topic: "seek", payload: count });
      await harness.looked((passing) => !isLookFor(all[0] as Arrival)(passing));
      should(since("both", seen)).be.empty();
      await harness.press("both", { topic: "resume" });
      await harness.arrived("both", seen + 1);
      should(since("both", seen)).deepEqual([count]);
    });

    it("to go behind the end is an error that a good command fixes", async () => {
      const seen = (await reading("far")).length;
      await harness.press("far", { topic: "seek", payload: 1_000_000 });
      await harness.nodeRed.shows(
        ({ name, value }) => name === "error" && (value as Arrival).error?.code === "CURSOR_BEYOND_END",
      );
      await harness.nodeRed.status("far", ({ fill }) => fill === "red");
      await harness.press("far", { topic: "seek", payload: count });
      await harness.arrived("far", seen + 1);
      await harness.nodeRed.status("far", CONNECTED);
    });

    it("where it cannot go: INVALID_FIELD, and it stays where it is", async () => {
      const all = await reading("stays");
      const seen = all.length;
      for (const payload of [null, "", "-5", "yesterday", "offset 12", "2026-13-45", -1, 1.5, {}, []]) {
        const { error } = await refuse(harness.nodeRed, "stays", { topic: "seek", payload });
        should(error?.code).equal("INVALID_FIELD", String(payload));
        should(error?.message).match(/"now", "beginning", an offset such as 120, or a time/);
      }
      await harness.looked(isLookFor(all[0] as Arrival));
      should(since("stays", seen)).be.empty();
    });

    it("what it does not know: UNKNOWN_COMMAND", async () => {
      await reading("puzzled");
      for (const message of [{}, { topic: "rewind" }, { payload: 12 }, { topic: "PAUSE" }]) {
        const { error } = await refuse(harness.nodeRed, "puzzled", message);
        should(error?.code).equal("UNKNOWN_COMMAND");
      }
      await harness.nodeRed.status("puzzled", ({ fill }) => fill === "red");
      await harness.press("puzzled", { topic: "resume" });
      await harness.nodeRed.status("puzzled", CONNECTED);
    });

    it("before there is a channel: NOT_CONNECTED", async () => {
      const nowhere = channelNode({ id: "nowhere", channel: "no such channel" });
      await harness.deploy([[eventsInNode({ id: "early", channel: "nowhere", inputs: 1 }), 2]], [nowhere]);
      await harness.nodeRed.status("early", "waiting-for-channel");
      for (const message of [{ topic: "pause" }, { topic: "seek", payload: "now" }]) {
        const { error } = await refuse(harness.nodeRed, "early", message);
        should(error?.code).equal("NOT_CONNECTED");
      }
    });
  });

  describe("an event whose proof fails", () => {
    const FORGED = [2, 4];
    const signed = Buffer.from(JSON.stringify({ name: "Forged", timestamp: "2026-01-31T12:00:00Z" }));
    const forge = () =>
      alter(({ headers, payload }) => {
        if (!FORGED.includes(headers.offset)) return;
        headers.type = "watcher.event";
        headers.proofs = [{ alg: "ecdsa", ocr_report: "0x00", ocr_context: "0x", signatures: ["0x00"] }];
        payload.verifiable_event = signed.toString("base64");
      });
    const isTrue = (offset: number) => !FORGED.includes(offset);
    const verificationOf = ({ crec }: Arrival) => crec.verification as { verified: boolean; reason?: string };

    it("leaves by the second output, drawn so or not; in ack mode nobody has to acknowledge it", async () => {
      forge();
      await harness.deploy([
        [eventsInNode({ id: "port", unverified: "port" }), 3],
        [eventsInNode({ id: "undecided" }), 3],
        [ackingNode({ id: "port-ack", verify: true, unverified: "port" }), 3],
      ]);
      for (const id of ["port", "undecided", "port-ack"]) {
        // Nothing else here carries a proof.
        await harness.arrived(id, count - FORGED.length, 2);
        should(offsetsOf(harness.arrivals(id, 2))).deepEqual(upTo(count).filter(isTrue));
        should(harness.arrivals(id)).be.empty();
        const rejected = await harness.arrived(id, FORGED.length, 1);
        should(offsetsOf(rejected)).deepEqual(FORGED);
        for (const one of rejected) {
          should(verificationOf(one)).have.property("verified", false);
          should(verificationOf(one).reason).not.equal("not_verifiable");
          should(one.crec).not.have.property("dedupeKey");
        }
      }
    });

    it("is dropped, and counted for all to see", async () => {
      forge();
      await harness.deploy([[eventsInNode({ id: "drops", unverified: "drop" }), 3]]);
      await harness.arrived("drops", count - FORGED.length, 2);
      await harness.nodeRed.status("drops", `connected, ${FORGED.length} dropped`);
      should(offsetsOf(harness.arrivals("drops", 2))).deepEqual(upTo(count).filter(isTrue));
      should(harness.arrivals("drops", 1)).be.empty();
      should((await harness.panel("drops")).body).have.properties({ dropped: FORGED.length, deployed: true });
    });
  });

  describe("catching up", () => {
    const OLD = 30;

    it("passes over what is too old, and says how much that was", async () => {
      alter((event) => {
        if (event.headers.offset <= OLD) event.created_at -= 3_600;
      });
      await harness.deploy([
        [eventsInNode({ id: "young", verify: false, skipOlder: "600" }), 2],
        [
          eventsInNode({ id: "young-filtered", verify: false, skipOlder: "600", types: ["watcher.status"] }),
          2,
        ],
        [eventsInNode({ id: "all", verify: false, skipOlder: "" }), 2],
      ]);
      for (const id of ["young", "young-filtered"]) {
        await harness.arrived(id, count - OLD);
        const report = await harness.report(id, ({ skipped }) => skipped === OLD);
        should(report).have.property("delivered", count - OLD);
        should(offsetsOf(harness.arrivals(id))).deepEqual(upTo(count, OLD + 1));
      }
      await harness.arrived("all", count);
      should(await harness.report("all", () => true)).have.property("skipped", 0);
    });
  });
});
