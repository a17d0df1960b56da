import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Node } from "node-red";
import should from "should";
import { ContextCursorStore } from "../../nodes/events-in/context-store.ts";
import { type CursorState, stateFrom } from "../../src/storage/cursor/cursor-state.ts";
import { ackingNode, ackNode, EventHarness } from "../support/event-harness.ts";
import { ask, functionNode } from "../support/flow-harness.ts";
import { eventsInNode } from "../support/nodes.ts";

const EVENTS = 20;
const CONNECTED = "connected";

/** The place kept in Node-RED's context stores instead of a file of its own. */
describe("events in with its place in a context store", function () {
  this.timeout(120_000);

  let harness: EventHarness;

  before(async () => {
    const settings = fileURLToPath(new URL("context-stores-settings.cjs", import.meta.url));
    harness = await EventHarness.start(EVENTS, { settings });
  });

  after(() => harness?.close());

  const reader = (id: string, store: string, name = "first deploy") =>
    eventsInNode({ id, name, store, consumer: `${id}, "so called"`, verify: false });
  const offsets = (id: string) => harness.arrivals(id).map(({ crec }) => crec.offset);

  it("goes on where it was after a deploy, whatever the store", async () => {
    for (const store of ["quick", "lasting"]) {
      await harness.deploy([[reader(store, store), 2]]);
      await harness.arrived(store, EVENTS);
      await harness.nodeRed.status(store, CONNECTED);
      await harness.deploy([[reader(store, store, "second deploy"), 2]]);
      await harness.nodeRed.status(store, CONNECTED);
      should(offsets(store)).have.length(EVENTS);
      should((await harness.panel(store)).body).have.property("cursor", EVENTS);
    }
  });

  it("goes on where it was after a restart, if the store lasts; begins anew, if it does not", async () => {
    await harness.deploy([
      [reader("stays", "lasting"), 2],
      [reader("forgets", "quick"), 2],
      [ackingNode({ id: "halfway", store: "lasting" }), 2],
      [ackNode({ id: "does-ack" }), 1],
    ]);
    await Promise.all(["stays", "forgets"].map((id) => harness.arrived(id, EVENTS)));
    const [first] = await harness.arrived("halfway", 1);
    if (first) await ask(harness.nodeRed, "does-ack", first);
    await harness.arrived("halfway", 2);
    await harness.restart();
    await harness.arrived("forgets", EVENTS);
    // What was out when Node-RED ended comes again, and says so.
    const [second] = await harness.arrived("halfway", 1);
    should(second?.crec).have.properties({ offset: 2, redelivered: true });
    await harness.nodeRed.status("stays", CONNECTED);
    should(offsets("stays")).be.empty();
    const text = await readFile(join(harness.userDir.path, "context/global/global.json"), "utf8");
    should(text).containEql("stays").and.not.containEql("forgets");
  });

  it("does not begin anew for want of the store: it is red until there is one", async () => {
    await harness.deploy([[reader("nowhere", "unheard of"), 2]]);
    await harness.nodeRed.status(
      "nowhere",
      ({ fill, text }) => fill === "red" && /unheard of/.test(text ?? ""),
    );
    should(offsets("nowhere")).be.empty();
  });

  it("does not take something else for its place: it is red until somebody resets it", async () => {
    const node = reader("spoiled", "lasting");
    const key = 'crec-cursor["spoiled, _so called_"]';
    const spoil = `global.set(${JSON.stringify(key)}, { version: 1, cursor: 3 }, "lasting"); return msg;`;
    await harness.deploy(
      [[ackNode({ id: "spoils", wires: [["write"]] }), 1]],
      [functionNode("write", spoil, [])],
    );
    await harness.press("spoils", { crec: { eventId: "any" } });
    await harness.deploy([[node, 2]]);
    await harness.nodeRed.status("spoiled", ({ fill }) => fill === "red");
    should(offsets("spoiled")).be.empty();
    const report = await harness.report("spoiled", ({ state }) => state === "stopped");
    should(report.lastError).match(/"lasting".*is not a cursor/);
    await harness.panel("spoiled", "/seek", { to: EVENTS });
    await harness.arrived("spoiled", 1);
    should(offsets("spoiled")).deepEqual([EVENTS]);
  });

  it("knows its place where the store gives empty lists back as empty objects, as those in Redis do", async () => {
    const state: CursorState = {
      ...stateFrom({ consumer: "one", channelId: "c", service: "s" }, 3),
      ...{ seen: [], starts: [] },
    };
    let kept = "";
    const global = {
      get: (_key: string, _store: string, done: (error: null, value: unknown) => void) =>
        done(null, kept === "" ? undefined : JSON.parse(kept)),
      set: (_key: string, value: unknown, _store: string, done: (error: null) => void) => {
        kept = JSON.stringify(value).replaceAll("[]", "{}");
        done(null);
      },
    };
    const node = { context: () => ({ global }) } as unknown as Node;
    const store = new ContextCursorStore(node, "one", "redis", { onOtherWriter: () => {} });
    await store.save(state);
    should(kept).containEql("{}");
    should(await store.load()).deepEqual(state);
  });
});
