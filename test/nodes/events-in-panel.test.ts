import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { ask } from "../support/bench.ts";
import { type Arrival, ackingNode, ackNode, EventBench } from "../support/event-bench.ts";
import { type FlowNode, NodeRed, UserDir } from "../support/node-red.ts";
import { channelNode, eventsInNode } from "../support/nodes.ts";

const EVENTS = 30;
const CONNECTED = "node-red:common.status.connected";

type Cursor = { cursor: number; identity: { consumer: string; channelId: string } };
type Refused = { code: string; problem: string };

/** What the panel in the form shows of a deployed node, and does to it. */
describe("the panel of events in", function () {
  this.timeout(120_000);

  let bench: EventBench;

  before(async () => {
    bench = await EventBench.start(EVENTS);
  });

  after(() => bench?.close());

  const reading = (id: string, properties: Partial<FlowNode> = {}) =>
    eventsInNode({ id, verify: false, ...properties });
  const offsets = (id: string) => bench.arrivals(id).map(({ crec }: Arrival) => crec.offset);
  const exported = async (id: string) => (await bench.panel(id, "/cursor")).body as Cursor;
  const done = async (id: string, path: string, body: unknown) =>
    should(await bench.panel(id, path, body)).deepEqual({ status: 200, body: {} });
  const refused = async (id: string, path: string, code: string, body?: unknown): Promise<string> => {
    const answer = await bench.panel(id, path, body);
    should(answer).have.properties({ status: 200 });
    should(answer.body).have.property("code", code);
    return (answer.body as Refused).problem;
  };

  describe("shows", () => {
    it("cursor, end, lag, what is in flight, and what was delivered", async () => {
      await bench.deploy([
        [ackingNode({ id: "some", inFlight: "3" }), 2],
        [ackNode({ id: "does-ack" }), 1],
        [reading("all"), 2],
      ]);
      const arrived = await bench.arrived("some", 3);
      for (const msg of arrived.slice(0, 2)) await ask(bench.nodeRed, "does-ack", msg);
      const { channelId } = arrived[0]?.crec ?? {};
      await bench.arrived("some", 5);
      should(await bench.report("some", ({ cursor }) => cursor === 2)).deepEqual({
        ...{ deployed: true, state: "connected", channelId },
        ...{ cursor: 2, end: EVENTS, behind: EVENTS - 2, delivered: 5, inFlight: 3 },
        ...{ skipped: 0, filtered: 0, late: 0, dropped: 0, givenUp: 0, notices: 0 },
        started: { position: "beginning", after: -1 },
      });
      should(await bench.report("all", ({ cursor }) => cursor === EVENTS)).containDeep({
        ...{ end: EVENTS, behind: 0, delivered: EVENTS, inFlight: 0 },
      });
    });

    it("the last error, and never the key", async () => {
      const secret = bench.service.ready.api_key;
      await bench.deploy([[reading("unlucky", { pollMin: "0.1", pollMax: "0.1" }), 2]]);
      await bench.nodeRed.status("unlucky", CONNECTED);
      bench.proxy.harm = () => ({ kind: "answer", status: 401, body: `{"message":"${secret} is bad"}` });
      const report = await bench.report("unlucky", ({ state }) => state === "refused");
      bench.proxy.harm = () => undefined;
      should(report.lastError).be.a.String();
      should(JSON.stringify(report)).not.containEql(secret);
    });

    it("nothing of what is not deployed, or has no channel yet; and changes nothing there", async () => {
      await bench.deploy(
        [[reading("early", { channel: "later" }), 2]],
        [channelNode({ id: "later", channel: "comes later" })],
      );
      await bench.nodeRed.status("early", "events-in.status.waiting-for-channel");
      for (const id of ["early", "undeployed", "channel", "__proto__"]) {
        should(await bench.panel(id)).deepEqual({ status: 200, body: { deployed: false } });
        await refused(id, "/cursor", "NOT_CONNECTED");
        await refused(id, "/cursor", "NOT_CONNECTED", {});
        await refused(id, "/seek", "NOT_CONNECTED", { to: "now" });
      }
    });
  });

  describe("starts over", () => {
    it("where a person says", async () => {
      await bench.deploy([[reading("moves"), 2]]);
      await bench.arrived("moves", EVENTS);
      await done("moves", "/seek", { to: String(EVENTS) });
      await bench.arrived("moves", EVENTS + 1);
      should(offsets("moves").at(-1)).equal(EVENTS);
      await done("moves", "/seek", { to: "beginning" });
      await bench.arrived("moves", 2 * EVENTS + 1);
      await done("moves", "/seek", { to: "2000-01-01T00:00:00Z" });
      await bench.arrived("moves", 3 * EVENTS + 1);
      await done("moves", "/seek", { to: "now" });
      await bench.report("moves", ({ cursor, behind }) => cursor === EVENTS && behind === 0);
    });

    it("nowhere else", async () => {
      await bench.deploy([[reading("firm"), 2]]);
      await bench.arrived("firm", EVENTS);
      for (const body of [{}, { to: "" }, { to: "-5" }, { to: null }, { to: {} }, []])
        should(await refused("firm", "/seek", "INVALID_FIELD", body)).match(/^Say where to go/);
      const bare = await bench.nodeRed.fetch("crec/events-in/firm/seek", { method: "POST" });
      should(await bare.json()).have.property("code", "INVALID_REQUEST");
      const form = await bench.nodeRed.fetch("crec/events-in/firm/seek", {
        method: "POST",
        body: new URLSearchParams({ to: "beginning" }),
      });
      should(form.status).equal(415);
      await bench.looked();
      should(offsets("firm")).have.length(EVENTS);
    });
  });

  describe("takes a place along", () => {
    it("to another node, or back: it goes on exactly there", async () => {
      await bench.deploy([
        [ackingNode({ id: "from", consumer: "traveller" }), 2],
        [ackNode({ id: "does-ack" }), 1],
        [reading("to", { consumer: "host" }), 2],
      ]);
      for (const number of [1, 2, 3]) {
        const msg = (await bench.arrived("from", number)).at(-1);
        if (msg) await ask(bench.nodeRed, "does-ack", msg);
      }
      await bench.report("from", ({ cursor }) => cursor === 3);
      const place = await exported("from");
      should(place.identity.consumer).equal("traveller");
      await bench.arrived("to", EVENTS);
      await done("to", "/cursor", place);
      await bench.arrived("to", 2 * EVENTS - 3);
      should(offsets("to").slice(EVENTS)).deepEqual(offsets("to").slice(3, EVENTS));
      const [repeated] = bench.arrivals("to").slice(EVENTS);
      // The fourth was out when the place was taken along.
      should(repeated?.crec).have.properties({ offset: 4, redelivered: true });
      // And what was in the channel then may have been sent elsewhere since.
      const marked = bench.arrivals("to").slice(EVENTS);
      should(marked.every(({ crec }) => crec.restored === true)).be.true();
      await bench.report("to", ({ cursor }) => cursor === EVENTS);
      should((await exported("to")).identity.consumer).equal("host");

      const end = await exported("to");
      await done("to", "/seek", { to: "beginning" });
      await bench.arrived("to", 3 * EVENTS - 3);
      await done("to", "/cursor", end);
      await bench.report("to", ({ cursor, behind }) => cursor === EVENTS && behind === 0);
      await bench.looked();
      should(offsets("to")).have.length(3 * EVENTS - 3);
    });

    it("but nothing that is no place, or one of another channel; the node goes on as before", async () => {
      await bench.deploy([[reading("careful"), 2]]);
      await bench.arrived("careful", EVENTS);
      await bench.report("careful", ({ cursor }) => cursor === EVENTS);
      const place = await exported("careful");
      const elsewhere = { ...place.identity, channelId: "00000000-0000-4000-8000-000000000000" };
      should(
        await refused("careful", "/cursor", "CURSOR_OF_ANOTHER_CHANNEL", { ...place, identity: elsewhere }),
      ).match(/00000000-0000-4000-8000-000000000000/);
      const { identity, ...nobodys } = place;
      for (const body of [
        ...[{}, [], nobodys, { ...place, version: 2 }, { ...place, cursor: "3" }, { ...place, cursor: 1.5 }],
        ...[
          { ...place, floor: undefined },
          { ...place, handedOut: null },
          { ...place, delivered: {} },
        ],
        ...[
          { ...place, delivered: [["1", 1]] },
          { ...place, identity: { channelId: identity.channelId } },
        ],
      ])
        await refused("careful", "/cursor", "INVALID_FIELD", body);
      should(await exported("careful")).deepEqual(place);
      await bench.addEvents("after-refusals");
      await bench.arrived("careful", EVENTS + 2);
    });
  });

  describe("asks before a node starts over on another channel", () => {
    it("which is red and sends nothing until a person seeks", async () => {
      const { channel_id } = await bench.call("POST", "/channels", { name: "another" });
      const another = channelNode({ id: "another-channel", channel: "another" });
      const node = reading("moved", { consumer: "moved" });
      await bench.deploy([[node, 2]], [another]);
      const before = (await bench.arrived("moved", EVENTS)).length;
      await bench.report("moved", ({ behind }) => behind === 0);
      const file = join(bench.userDir.path, "crec-cursors/moved.json");
      const beside = reading("beside", { channel: "another-channel" });
      await bench.deploy(
        [
          [{ ...node, channel: "another-channel" }, 2],
          [beside, 2],
        ],
        [another],
      );
      const { value } = await bench.nodeRed.shows(({ name, value }) => {
        const { error } = value as Arrival;
        return name === "error" && error?.code === "CURSOR_OF_ANOTHER_CHANNEL";
      });
      should((value as Arrival).error?.source.id).equal("moved");
      await bench.nodeRed.status("moved", ({ fill }) => fill === "red");
      const kept = await readFile(file, "utf8");
      await bench.looked();
      const sent = bench.arrivals("moved").slice(before);
      should(sent.filter(({ crec }) => crec.channelId === channel_id)).be.empty();
      should(await readFile(file, "utf8")).equal(kept);
      should((await bench.panel("moved")).body).have.property("state", "stopped");

      await done("moved", "/seek", { to: "beginning" });
      await bench.nodeRed.status("moved", CONNECTED);
      should((await exported("moved")).identity.channelId).equal(channel_id);
    });
  });

  describe("where Node-RED asks who is there", () => {
    let guardedDir: UserDir;
    let guarded: NodeRed;

    before(async () => {
      guardedDir = await UserDir.make();
      const settings = fileURLToPath(new URL("admin-auth-settings.cjs", import.meta.url));
      guarded = await NodeRed.start(guardedDir, {}, { settings, token: "admin" });
      const node = { ...reading("guarded", { z: "tab", x: 1, y: 1, wires: [[], []] }) };
      await guarded.deploy([{ id: "tab", type: "tab" }, ...bench.config(), node]);
      await guarded.status("guarded", CONNECTED);
    });

    after(async () => {
      await guarded?.kill();
      await guardedDir?.remove();
    });

    const as = async (who: string | undefined, path: string, body?: unknown) => {
      const headers = {
        "content-type": "application/json",
        ...(who === undefined ? {} : { Authorization: `Bearer ${who}` }),
      };
      const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
      return (await guarded.fetch(`crec/events-in/guarded${path}`, init)).status;
    };

    it("a stranger may nothing", async () => {
      for (const who of [undefined, "nobody"]) {
        should(await as(who, "")).equal(401);
        should(await as(who, "/cursor")).equal(401);
        should(await as(who, "/cursor", {})).equal(401);
        should(await as(who, "/seek", { to: "beginning" })).equal(401);
      }
    });

    it("who may read may look and export, but not move the place", async () => {
      should(await as("reader", "")).equal(200);
      should(await as("reader", "/cursor")).equal(200);
      should(await as("reader", "/cursor", {})).equal(401);
      should(await as("reader", "/seek", { to: "beginning" })).equal(401);
    });

    it("who may write may move it", async () => {
      should(await as("admin", "/seek", { to: "now" })).equal(200);
      should(await as("admin", "/cursor", {})).equal(200);
    });
  });
});
