import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { type Arrival, ackingNode, ackNode, EventHarness } from "../support/event-harness.ts";
import { ask } from "../support/flow-harness.ts";
import { type FlowNode, NodeRed, UserDir } from "../support/node-red.ts";
import { channelNode, connectionNode, eventsInNode } from "../support/nodes.ts";

const EVENTS = 30;
const CONNECTED = "connected";

type Cursor = { cursor: number; identity: { consumer: string; channelId: string } };
type Refused = { code: string; problem: string };

/** What the panel in the form shows of a deployed node, and does to it. */
describe("the panel of events in", function () {
  this.timeout(120_000);

  let harness: EventHarness;

  before(async () => {
    harness = await EventHarness.start(EVENTS);
  });

  after(() => harness?.close());

  const reading = (id: string, properties: Partial<FlowNode> = {}) =>
    eventsInNode({ id, verify: false, ...properties });
  const offsets = (id: string) => harness.arrivals(id).map(({ crec }: Arrival) => crec.offset);
  const exported = async (id: string) => (await harness.panel(id, "/cursor")).body as Cursor;
  const done = async (id: string, path: string, body: unknown) =>
    should(await harness.panel(id, path, body)).deepEqual({ status: 200, body: {} });
  const refused = async (id: string, path: string, code: string, body?: unknown): Promise<string> => {
    const answer = await harness.panel(id, path, body);
    should(answer).have.properties({ status: 200 });
    should(answer.body).have.property("code", code);
    return (answer.body as Refused).problem;
  };

  describe("shows", () => {
    it("cursor, end, lag, what is in flight, and what was delivered", async () => {
      await harness.deploy([
        [ackingNode({ id: "some", inFlight: "3" }), 2],
        [ackNode({ id: "does-ack" }), 1],
        [reading("all"), 2],
      ]);
      const arrived = await harness.arrived("some", 3);
      for (const msg of arrived.slice(0, 2)) await ask(harness.nodeRed, "does-ack", msg);
      const { channelId } = arrived[0]?.crec ?? {};
      await harness.arrived("some", 5);
      should(await harness.report("some", ({ cursor }) => cursor === 2)).deepEqual({
        ...{ deployed: true, state: "connected", channelId },
        ...{ cursor: 2, end: EVENTS, behind: EVENTS - 2, delivered: 5, inFlight: 3 },
        ...{ skipped: 0, filtered: 0, late: 0, dropped: 0, givenUp: 0, notices: 0 },
        started: { position: "beginning", after: -1 },
      });
      should(await harness.report("all", ({ cursor }) => cursor === EVENTS)).containDeep({
        ...{ end: EVENTS, behind: 0, delivered: EVENTS, inFlight: 0 },
      });
    });

    it("the last error, and never the key", async () => {
      const secret = harness.service.ready.api_key;
      await harness.deploy([[reading("unlucky", { pollMin: "0.1", pollMax: "0.1" }), 2]]);
      await harness.nodeRed.status("unlucky", CONNECTED);
      harness.proxy.harm = () => ({ kind: "answer", status: 401, body: `{"message":"${secret} is bad"}` });
      const report = await harness.report("unlucky", ({ state }) => state === "refused");
      harness.proxy.harm = () => undefined;
      should(report.lastError).be.a.String();
      should(JSON.stringify(report)).not.containEql(secret);
    });

    it("nothing of what is not deployed, or has no channel yet; and changes nothing there", async () => {
      await harness.deploy(
        [[reading("early", { channel: "later" }), 2]],
        [channelNode({ id: "later", channel: "comes later" })],
      );
      await harness.nodeRed.status("early", "waiting-for-channel");
      for (const id of ["early", "undeployed", "channel", "__proto__"]) {
        should(await harness.panel(id)).deepEqual({ status: 200, body: { deployed: false } });
        await refused(id, "/cursor", "NOT_CONNECTED");
        await refused(id, "/cursor", "NOT_CONNECTED", {});
        await refused(id, "/seek", "NOT_CONNECTED", { to: "now" });
      }
    });
  });

  describe("starts over", () => {
    it("where a person says", async () => {
      await harness.deploy([[reading("moves"), 2]]);
      await harness.arrived("moves", EVENTS);
      await done("moves", "/seek", { to: String(EVENTS) });
      await harness.arrived("moves", EVENTS + 1);
      should(offsets("moves").at(-1)).equal(EVENTS);
      await done("moves", "/seek", { to: "beginning" });
      await harness.arrived("moves", 2 * EVENTS + 1);
      await done("moves", "/seek", { to: "2000-01-01T00:00:00Z" });
      await harness.arrived("moves", 3 * EVENTS + 1);
      await done("moves", "/seek", { to: "now" });
      await harness.report("moves", ({ cursor, behind }) => cursor === EVENTS && behind === 0);
    });

    it("nowhere else", async () => {
      await harness.deploy([[reading("firm"), 2]]);
      await harness.arrived("firm", EVENTS);
      for (const body of [{}, { to: "" }, { to: "-5" }, { to: null }, { to: {} }, []])
        should(await refused("firm", "/seek", "INVALID_FIELD", body)).match(/^Say where to go/);
      const bare = await harness.nodeRed.fetch("crec/events-in/firm/seek", { method: "POST" });
      should(await bare.json()).have.property("code", "INVALID_REQUEST");
      const form = await harness.nodeRed.fetch("crec/events-in/firm/seek", {
        method: "POST",
        body: new URLSearchParams({ to: "beginning" }),
      });
      should(form.status).equal(415);
      await harness.looked();
      should(offsets("firm")).have.length(EVENTS);
    });
  });

  describe("takes a place along", () => {
    it("to another node, or back: it goes on exactly there", async () => {
      await harness.deploy([
        [ackingNode({ id: "from", consumer: "traveller" }), 2],
        [ackNode({ id: "does-ack" }), 1],
        [reading("to", { consumer: "host" }), 2],
      ]);
      for (const number of [1, 2, 3]) {
        const msg = (await harness.arrived("from", number)).at(-1);
        if (msg) await ask(harness.nodeRed, "does-ack", msg);
      }
      await harness.report("from", ({ cursor }) => cursor === 3);
      const place = await exported("from");
      should(place.identity.consumer).equal("traveller");
      await harness.arrived("to", EVENTS);
      await done("to", "/cursor", place);
      await harness.arrived("to", 2 * EVENTS - 3);
      should(offsets("to").slice(EVENTS)).deepEqual(offsets("to").slice(3, EVENTS));
      const [repeated] = harness.arrivals("to").slice(EVENTS);
      // The fourth was out when the place was taken along.
      should(repeated?.crec).have.properties({ offset: 4, redelivered: true });
      // And what was in the channel then may have been sent elsewhere since.
      const marked = harness.arrivals("to").slice(EVENTS);
      should(marked.every(({ crec }) => crec.restored === true)).be.true();
      await harness.report("to", ({ cursor }) => cursor === EVENTS);
      should((await exported("to")).identity.consumer).equal("host");

      const end = await exported("to");
      await done("to", "/seek", { to: "beginning" });
      await harness.arrived("to", 3 * EVENTS - 3);
      await done("to", "/cursor", end);
      await harness.report("to", ({ cursor, behind }) => cursor === EVENTS && behind === 0);
      await harness.looked();
      should(offsets("to")).have.length(3 * EVENTS - 3);
    });

    it("but nothing that is no place, or one of another channel; the node goes on as before", async () => {
      await harness.deploy([[reading("careful"), 2]]);
      await harness.arrived("careful", EVENTS);
      await harness.report("careful", ({ cursor }) => cursor === EVENTS);
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
      const newer = await refused("careful", "/cursor", "INVALID_FIELD", { ...place, version: 2 });
      should(newer).match(/exported by a newer version of this package\. Install that version/);
      should(await exported("careful")).deepEqual(place);
      await harness.addEvents("after-refusals");
      await harness.arrived("careful", EVENTS + 2);
    });
  });

  describe("asks before a node starts over on another channel", () => {
    it("which is red and sends nothing until a person seeks", async () => {
      const { channel_id } = await harness.call("POST", "/channels", { name: "another" });
      const another = channelNode({ id: "another-channel", channel: "another" });
      const node = reading("moved", { consumer: "moved" });
      await harness.deploy([[node, 2]], [another]);
      const before = (await harness.arrived("moved", EVENTS)).length;
      await harness.report("moved", ({ behind }) => behind === 0);
      const file = join(harness.userDir.path, "crec-cursors/moved.json");
      const beside = reading("beside", { channel: "another-channel" });
      await harness.deploy(
        [
          [{ ...node, channel: "another-channel" }, 2],
          [beside, 2],
        ],
        [another],
      );
      const { value } = await harness.nodeRed.shows(({ name, value }) => {
        const { error } = value as Arrival;
        return name === "error" && error?.code === "CURSOR_OF_ANOTHER_CHANNEL";
      });
      should((value as Arrival).error?.source.id).equal("moved");
      await harness.nodeRed.status("moved", ({ fill }) => fill === "red");
      const kept = await readFile(file, "utf8");
      await harness.looked();
      const sent = harness.arrivals("moved").slice(before);
      should(sent.filter(({ crec }) => crec.channelId === channel_id)).be.empty();
      should(await readFile(file, "utf8")).equal(kept);
      should((await harness.panel("moved")).body).have.property("state", "stopped");

      await done("moved", "/seek", { to: "beginning" });
      await harness.nodeRed.status("moved", CONNECTED);
      should((await exported("moved")).identity.channelId).equal(channel_id);
    });
  });

  describe("goes on at the same offset after the service has got another address", () => {
    const at = async (): Promise<[FlowNode, FlowNode]> => {
      const baseUrl = harness.proxy.baseUrl.replace("127.0.0.1", "localhost");
      const { channelName, ready } = harness.service;
      return [
        connectionNode(ready, { id: "moved-connection", baseUrl }),
        channelNode({ id: "moved-channel", connection: "moved-connection", channel: channelName }),
      ];
    };

    it("if a person says so, and the event that the cursor remembers is there: nothing is lost or repeated", async () => {
      const node = reading("mover", { consumer: "mover", inputs: 1 });
      await harness.deploy([[node, 3]]);
      const before = (await harness.arrived("mover", EVENTS)).length;
      await harness.report("mover", ({ behind }) => behind === 0);
      const known = offsets("mover").length;
      await harness.deploy([[{ ...node, channel: "moved-channel" }, 3]], await at());
      await harness.nodeRed.status("mover", ({ fill }) => fill === "red");
      const report = await harness.report("mover", ({ state }) => state === "stopped");
      should(report).have.property("isMoved", true);
      should(report.lastError).match(
        /localhost.* is a new address of that service, go on at the same offset/,
      );
      const file = join(harness.userDir.path, "crec-cursors/mover.json");
      const kept = await readFile(file, "utf8");

      // Another service that happens to have the same channel id.
      harness.proxy.harm = ({ path }) =>
        path.endsWith("/events")
          ? {
              kind: "change",
              change: (body) => body.replaceAll(/"event_id":"[0-9a-f]{4}/g, '"event_id":"0000'),
            }
          : undefined;
      await done("mover", "/seek", { to: "stored" });
      const refusal = await harness.report(
        "mover",
        ({ state, lastError }) =>
          state === "stopped" && /nothing says that it is the same channel/.test(String(lastError)),
      );
      should(refusal).have.property("isMoved", true);
      should(await readFile(file, "utf8")).equal(kept);
      harness.proxy.harm = () => undefined;

      await harness.addEvents("after-the-move");
      await harness.press("mover", { topic: "seek", payload: "stored" });
      const after = await harness.report(
        "mover",
        ({ state, behind }) => state === "connected" && behind === 0,
      );
      should(after).not.have.property("isMoved");
      const all = await harness.arrived("mover", before + 2);
      should(all.slice(known).every(({ crec }) => crec.redelivered === false)).be.true();
      should(new Set(offsets("mover")).size).equal(offsets("mover").length);
      should((await exported("mover")).identity).match({ service: /localhost/ });
      await refused("mover", "/seek", "INVALID_ARGUMENT", { to: "stored" });
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
      await guarded.deploy([{ id: "tab", type: "tab" }, ...harness.config(), node]);
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
