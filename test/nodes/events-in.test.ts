import should from "should";
import { refuse } from "../support/bench.ts";
import { type Arrival, ackingNode, EventBench, isPoll } from "../support/event-bench.ts";
import { channelNode, eventsInNode } from "../support/nodes.ts";

const EVENTS = 40;
const CONNECTED = "node-red:common.status.connected";

type WireEvent = {
  headers: { offset: number; type: string; proofs: unknown[] };
  payload: Record<string, unknown>;
  created_at: number;
};

/** What a flow sees of events in beside acknowledgements: commands, proofs that fail, and what is too old. */
describe("events in", function () {
  this.timeout(120_000);

  let bench: EventBench;
  let count = EVENTS;

  before(async () => {
    bench = await EventBench.start(EVENTS);
    await bench.call("POST", "/channels", { name: "elsewhere" });
  });

  afterEach(() => {
    bench.proxy.harm = () => undefined;
  });

  after(() => bench?.close());

  const offsetsOf = (arrivals: readonly Arrival[]) => arrivals.map(({ crec }) => crec.offset);
  const upTo = (last: number, first = 1) => [...Array(last - first + 1).keys()].map((index) => first + index);
  /** Changes each event on its way. */
  const alter = (change: (event: WireEvent) => void) => {
    const changePage = (body: string) => {
      const page = JSON.parse(body) as { events: WireEvent[] };
      for (const event of page.events) change(event);
      return JSON.stringify(page);
    };
    bench.proxy.harm = (passing) => (isPoll(passing) ? { kind: "change", change: changePage } : undefined);
  };
  const grow = async (name: string) => {
    await bench.addEvents(name);
    count += 2;
    return count;
  };

  describe("told by message", () => {
    /** A node of this id that has read all there is, and one that looks as often at another channel. */
    const reading = async (id: string): Promise<Arrival[]> => {
      await bench.deploy(
        [
          [eventsInNode({ id, verify: false, inputs: 1 }), 2],
          [eventsInNode({ id: "beside", channel: "other-channel" }), 2],
        ],
        [channelNode({ id: "other-channel", channel: "elsewhere" })],
      );
      const all = await bench.arrived(id, count);
      await bench.nodeRed.status(id, CONNECTED);
      should(offsetsOf(all)).deepEqual(upTo(count));
      return all;
    };
    /** Looks at the channel that an event came from. */
    const isLookFor = ({ crec }: Arrival) => {
      return ({ path }: { path: string }) => path.includes(crec.channelId);
    };
    const since = (id: string, before: number) => offsetsOf(bench.arrivals(id).slice(before));

    it("to pause: sends nothing and asks nothing until it is told to resume", async () => {
      const all = await reading("pauses");
      const isOwn = isLookFor(all[0] as Arrival);
      const seen = all.length;
      await bench.press("pauses", { topic: "pause" });
      should(await bench.nodeRed.status("pauses", "events-in.status.paused")).have.property("fill", "grey");
      const last = await grow("while-paused");
      const looks = bench.proxy.passed.length;
      await bench.looked((passing) => !isOwn(passing));
      should(bench.proxy.passed.slice(looks).filter((one) => isPoll(one) && isOwn(one))).be.empty();
      should(since("pauses", seen)).be.empty();
      await bench.press("pauses", { payload: "resume" });
      await bench.arrived("pauses", last);
      should(since("pauses", seen)).deepEqual([last - 1, last]);
      await bench.nodeRed.status("pauses", CONNECTED);
    });

    it("to go to an offset, as a number or as text", async () => {
      for (const [id, payload] of [
        ["by-number", count - 1],
        ["by-text", ` ${count - 1} `],
      ] as const) {
        const all = await reading(id);
        const seen = all.length;
        await bench.press(id, { topic: "seek", payload });
        await bench.arrived(id, seen + 2);
        await bench.looked(isLookFor(all[0] as Arrival));
        should(since(id, seen)).deepEqual([count - 1, count]);
      }
    });

    it("to go to the beginning, or to a time: what was sent comes again", async () => {
      const all = await reading("again");
      const seen = all.length;
      await bench.press("again", { topic: "seek", payload: "beginning" });
      await bench.arrived("again", 2 * seen);
      await bench.press("again", { topic: "seek", payload: "2000-01-31T12:00:00Z" });
      await bench.arrived("again", 3 * seen);
      should(offsetsOf(bench.arrivals("again"))).deepEqual([...upTo(count), ...upTo(count), ...upTo(count)]);
      // All are older than this, and so is what comes now.
      await bench.press("again", { topic: "seek", payload: "2100-01-01" });
      await grow("before-2100");
      await bench.report("again", ({ cursor }) => cursor === count);
      await bench.looked(isLookFor(all[0] as Arrival));
      should(bench.arrivals("again")).have.length(3 * seen);
    });

    it("to go to now: only what comes from then on", async () => {
      await bench.deploy([[ackingNode({ id: "skips", inputs: 1 }), 2]]);
      await bench.arrived("skips", 1);
      await bench.press("skips", { topic: "seek", payload: "now" });
      await bench.nodeRed.status("skips", CONNECTED);
      const last = await grow("after-now");
      await bench.arrived("skips", 2);
      should(since("skips", 1)).deepEqual([last - 1]);
    });

    it("to go elsewhere while it is paused: it stays paused, and goes there when it resumes", async () => {
      const all = await reading("both");
      const seen = all.length;
      await bench.press("both", { topic: "pause" });
      await bench.nodeRed.status("both", "events-in.status.paused");
      await bench.press("both", { topic: "seek", payload: count });
      await bench.looked((passing) => !isLookFor(all[0] as Arrival)(passing));
      should(since("both", seen)).be.empty();
      await bench.press("both", { topic: "resume" });
      await bench.arrived("both", seen + 1);
      should(since("both", seen)).deepEqual([count]);
    });

    it("to go behind the end is an error that a good command fixes", async () => {
      const seen = (await reading("far")).length;
      await bench.press("far", { topic: "seek", payload: 1_000_000 });
      await bench.nodeRed.shows(
        ({ name, value }) => name === "error" && (value as Arrival).error?.code === "CURSOR_BEYOND_END",
      );
      await bench.nodeRed.status("far", ({ fill }) => fill === "red");
      await bench.press("far", { topic: "seek", payload: count });
      await bench.arrived("far", seen + 1);
      await bench.nodeRed.status("far", CONNECTED);
    });

    it("where it cannot go: INVALID_FIELD, and it stays where it is", async () => {
      const all = await reading("stays");
      const seen = all.length;
      for (const payload of [null, "", "-5", "yesterday", "offset 12", "2026-13-45", -1, 1.5, {}, []]) {
        const { error } = await refuse(bench.nodeRed, "stays", { topic: "seek", payload });
        should(error?.code).equal("INVALID_FIELD", String(payload));
        should(error?.message).match(/"now", "beginning", an offset such as 120, or a time/);
      }
      await bench.looked(isLookFor(all[0] as Arrival));
      should(since("stays", seen)).be.empty();
    });

    it("what it does not know: UNKNOWN_COMMAND", async () => {
      await reading("puzzled");
      for (const message of [{}, { topic: "rewind" }, { payload: 12 }, { topic: "PAUSE" }]) {
        const { error } = await refuse(bench.nodeRed, "puzzled", message);
        should(error?.code).equal("UNKNOWN_COMMAND");
      }
      await bench.nodeRed.status("puzzled", ({ fill }) => fill === "red");
      await bench.press("puzzled", { topic: "resume" });
      await bench.nodeRed.status("puzzled", CONNECTED);
    });

    it("before there is a channel: NOT_CONNECTED", async () => {
      const nowhere = channelNode({ id: "nowhere", channel: "no such channel" });
      await bench.deploy([[eventsInNode({ id: "early", channel: "nowhere", inputs: 1 }), 2]], [nowhere]);
      await bench.nodeRed.status("early", "events-in.status.waiting-for-channel");
      for (const message of [{ topic: "pause" }, { topic: "seek", payload: "now" }]) {
        const { error } = await refuse(bench.nodeRed, "early", message);
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
      await bench.deploy([
        [eventsInNode({ id: "port", unverified: "port" }), 3],
        [eventsInNode({ id: "undecided" }), 3],
        [ackingNode({ id: "port-ack", verify: true, unverified: "port" }), 3],
      ]);
      for (const id of ["port", "undecided", "port-ack"]) {
        // Nothing else here carries a proof.
        await bench.arrived(id, count - FORGED.length, 2);
        should(offsetsOf(bench.arrivals(id, 2))).deepEqual(upTo(count).filter(isTrue));
        should(bench.arrivals(id)).be.empty();
        const rejected = await bench.arrived(id, FORGED.length, 1);
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
      await bench.deploy([[eventsInNode({ id: "drops", unverified: "drop" }), 3]]);
      await bench.arrived("drops", count - FORGED.length, 2);
      await bench.nodeRed.status("drops", `connected, ${FORGED.length} dropped`);
      should(offsetsOf(bench.arrivals("drops", 2))).deepEqual(upTo(count).filter(isTrue));
      should(bench.arrivals("drops", 1)).be.empty();
      should((await bench.panel("drops")).body).have.properties({ dropped: FORGED.length, deployed: true });
    });
  });

  describe("catching up", () => {
    const OLD = 30;

    it("passes over what is too old, and says how much that was", async () => {
      alter((event) => {
        if (event.headers.offset <= OLD) event.created_at -= 3_600;
      });
      await bench.deploy([
        [eventsInNode({ id: "young", verify: false, skipOlder: "600" }), 2],
        [
          eventsInNode({ id: "young-filtered", verify: false, skipOlder: "600", types: ["watcher.status"] }),
          2,
        ],
        [eventsInNode({ id: "all", verify: false, skipOlder: "" }), 2],
      ]);
      for (const id of ["young", "young-filtered"]) {
        await bench.arrived(id, count - OLD);
        const report = await bench.report(id, ({ skipped }) => skipped === OLD);
        should(report).have.property("delivered", count - OLD);
        should(offsetsOf(bench.arrivals(id))).deepEqual(upTo(count, OLD + 1));
      }
      await bench.arrived("all", count);
      should(await bench.report("all", () => true)).have.property("skipped", 0);
    });
  });
});
