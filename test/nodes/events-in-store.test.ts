import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { ask, functionNode } from "../support/bench.ts";
import { ackingNode, ackNode, EventBench } from "../support/event-bench.ts";
import { eventsInNode } from "../support/nodes.ts";

const EVENTS = 20;
const CONNECTED = "node-red:common.status.connected";

/** The place kept in Node-RED's context stores instead of a file of its own. */
describe("events in with its place in a context store", function () {
  this.timeout(120_000);

  let bench: EventBench;

  before(async () => {
    const settings = fileURLToPath(new URL("context-stores-settings.cjs", import.meta.url));
    bench = await EventBench.start(EVENTS, { settings });
  });

  after(() => bench?.close());

  const reader = (id: string, store: string, name = "first deploy") =>
    eventsInNode({ id, name, store, consumer: `${id}, "so called"`, verify: false });
  const offsets = (id: string) => bench.arrivals(id).map(({ crec }) => crec.offset);

  it("goes on where it was after a deploy, whatever the store", async () => {
    for (const store of ["quick", "lasting"]) {
      await bench.deploy([[reader(store, store), 2]]);
      await bench.arrived(store, EVENTS);
      await bench.nodeRed.status(store, CONNECTED);
      await bench.deploy([[reader(store, store, "second deploy"), 2]]);
      await bench.nodeRed.status(store, CONNECTED);
      should(offsets(store)).have.length(EVENTS);
      should((await bench.panel(store)).body).have.property("cursor", EVENTS);
    }
  });

  it("goes on where it was after a restart, if the store lasts; begins anew, if it does not", async () => {
    await bench.deploy([
      [reader("stays", "lasting"), 2],
      [reader("forgets", "quick"), 2],
      [ackingNode({ id: "halfway", store: "lasting" }), 2],
      [ackNode({ id: "does-ack" }), 1],
    ]);
    await Promise.all(["stays", "forgets"].map((id) => bench.arrived(id, EVENTS)));
    const [first] = await bench.arrived("halfway", 1);
    if (first) await ask(bench.nodeRed, "does-ack", first);
    await bench.arrived("halfway", 2);
    await bench.restart();
    await bench.arrived("forgets", EVENTS);
    // What was out when Node-RED ended comes again, and says so.
    const [second] = await bench.arrived("halfway", 1);
    should(second?.crec).have.properties({ offset: 2, redelivered: true });
    await bench.nodeRed.status("stays", CONNECTED);
    should(offsets("stays")).be.empty();
    const text = await readFile(join(bench.userDir.path, "context/global/global.json"), "utf8");
    should(text).containEql("stays").and.not.containEql("forgets");
  });

  it("does not begin anew for want of the store: it is red until there is one", async () => {
    await bench.deploy([[reader("nowhere", "unheard of"), 2]]);
    await bench.nodeRed.status(
      "nowhere",
      ({ fill, text }) => fill === "red" && /unheard of/.test(text ?? ""),
    );
    should(offsets("nowhere")).be.empty();
  });

  it("does not take something else for its place: it is red until somebody resets it", async () => {
    const node = reader("spoiled", "lasting");
    const key = 'crec-cursor["spoiled, _so called_"]';
    const spoil = `global.set(${JSON.stringify(key)}, { version: 1, cursor: 3 }, "lasting"); return msg;`;
    await bench.deploy(
      [[ackNode({ id: "spoils", wires: [["write"]] }), 1]],
      [functionNode("write", spoil, [])],
    );
    await bench.press("spoils", { crec: { eventId: "any" } });
    await bench.deploy([[node, 2]]);
    await bench.nodeRed.status("spoiled", ({ fill }) => fill === "red");
    should(offsets("spoiled")).be.empty();
    const report = await bench.report("spoiled", ({ state }) => state === "stopped");
    should(report.lastError).match(/"lasting".*is not a cursor/);
    await bench.panel("spoiled", "/seek", { to: EVENTS });
    await bench.arrived("spoiled", 1);
    should(offsets("spoiled")).deepEqual([EVENTS]);
  });
});
