import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { noteOnStore } from "../../nodes/events-in/status/notes.ts";
import { EventHarness } from "../support/event-harness.ts";
import { type FlowNode, NodeRed, type NodeStatus } from "../support/node-red.ts";
import { channelNode, eventsInNode } from "../support/nodes.ts";

const EVENTS = 12;
const options = {
  settings: fileURLToPath(new URL("context-stores-settings.cjs", import.meta.url)),
  define: ["logging.console.level=info"],
};

/** What a person finds who wonders why no events come, or why the old ones come again. */
describe("events in says where it starts", function () {
  this.timeout(120_000);

  let harness: EventHarness;
  let last = EVENTS;

  before(async () => {
    harness = await EventHarness.start(EVENTS, options);
  });

  after(() => harness?.close());

  const reader = (id: string, properties: Partial<FlowNode> = {}) =>
    eventsInNode({ id, consumer: id, verify: false, start: "now", ...properties });
  const exactly = (wanted: string) => (status: NodeStatus) => [status.code, status.text].includes(wanted);
  const linesOf = (id: string) => harness.nodeRed.log.split("\n").filter((line) => line.includes(`"${id}"`));

  it("when it has no place to go on from: in the log, in the status until the first event, in the form", async () => {
    const node = reader("fresh");
    await harness.deploy([[node, 2]]);
    await harness.nodeRed.status("fresh", exactly(`connected, after offset ${last}`));
    const [line = "", ...more] = linesOf("fresh");
    should(line).containEql(`No cursor is stored for "fresh" (${join(harness.userDir.path, "crec-cursors")}`);
    should(line).endWith(`starts with new events, after offset ${last}.`);
    should(more).be.empty();
    should((await harness.panel("fresh")).body).have.property("started", { position: "now", after: last });
    await harness.addEvents("first");
    last += 2;
    await harness.arrived("fresh", 2);
    await harness.nodeRed.status("fresh", exactly("connected"));

    // From now on it has a place.
    await harness.deploy([[{ ...node, name: "deployed again" }, 2]]);
    await harness.nodeRed.status("fresh", exactly("connected"));
    should(linesOf("fresh")).have.length(1);
    should((await harness.panel("fresh")).body).not.have.property("started");
  });

  it("when its place was lost while Node-RED was away", async () => {
    const node = reader("loses");
    await harness.deploy([[node, 2]]);
    await harness.nodeRed.status("loses", exactly(`connected, after offset ${last}`));
    await harness.nodeRed.stop();
    await rm(join(harness.userDir.path, "crec-cursors"), { recursive: true });
    harness.nodeRed = await NodeRed.start(harness.userDir, {}, options);
    await harness.nodeRed.status("loses", exactly("cursor-lost"));
    should(linesOf("loses")).be.empty();
    should(harness.nodeRed.log).match(/The cursor is missing, although this consumer has run here before/);
    // Nothing was skipped, and nothing is until a person says so.
    await harness.addEvents("while-it-was-lost");
    await harness.panel("loses", "/seek", { to: last + 1 });
    await harness.arrived("loses", 2);
    last += 2;
    should(harness.arrivals("loses").map(({ crec }) => crec.offset)).deepEqual([last - 1, last]);
    // The choice is a cursor.
    await harness.nodeRed.stop();
    harness.nodeRed = await NodeRed.start(harness.userDir, {}, options);
    await harness.nodeRed.status("loses", exactly("connected"));
  });

  it("when its place was lost, and it starts where nothing is skipped", async () => {
    const node = reader("begins", { start: "offset", startValue: String(last) });
    await harness.deploy([[node, 2]]);
    await harness.arrived("begins", 1);
    await harness.nodeRed.stop();
    await rm(join(harness.userDir.path, "crec-cursors"), { recursive: true });
    harness.nodeRed = await NodeRed.start(harness.userDir, {}, options);
    await harness.arrived("begins", 1);
    should(harness.nodeRed.log).match(/The cursor of "begins" is missing, .* events can be sent again/);
  });

  it("in words for each way to start", async () => {
    await harness.call("POST", "/channels", { name: "empty" });
    const empty = channelNode({ id: "empty-channel", channel: "empty" });
    await harness.deploy(
      [
        [reader("first", { channel: "empty-channel", start: "beginning" }), 2],
        [reader("none", { channel: "empty-channel" }), 2],
        [reader("when", { start: "time", startValue: "2100-01-31T12:00:00Z" }), 2],
        [reader("where", { start: "offset", startValue: String(last + 1) }), 2],
      ],
      [empty],
    );
    for (const [id, status, log] of [
      ["first", "connected, from the beginning", "starts at the beginning of the channel."],
      ["none", "connected, from the beginning", "starts with new events; the channel is empty."],
      [
        "when",
        "connected, starts at 2100-01-31T12:00:00Z",
        "starts with events created since 2100-01-31T12:00:00Z.",
      ],
      ["where", `connected, after offset ${last}`, `starts at offset ${last + 1}.`],
    ] as const) {
      await harness.nodeRed.status(id, exactly(status));
      should(linesOf(id)[0]).endWith(log);
    }
  });

  it("when it was told to go elsewhere: in the log", async () => {
    await harness.deploy([[reader("moved", { inputs: 1 }), 2]]);
    await harness.nodeRed.status("moved", exactly(`connected, after offset ${last}`));
    await harness.press("moved", { topic: "seek", payload: last });
    await harness.arrived("moved", 1);
    should(linesOf("moved")[1]).endWith(`The cursor of "moved" was moved: starts at offset ${last}.`);
  });

  it("when its place is in a store that forgets, or that writes late: what that means, once", async () => {
    const nodes = (name: string): Array<[FlowNode, number]> => [
      [reader("forgetful", { store: "quick", name }), 2],
      [reader("belated", { store: "lasting", name }), 2],
    ];
    for (const name of ["first deploy", "second deploy"]) {
      await harness.deploy(nodes(name));
      for (const id of ["forgetful", "belated"]) await harness.nodeRed.status(id, /connected/);
    }
    const { log } = harness.nodeRed;
    should(log.match(/context store "quick", which is lost when Node-RED ends/g)).have.length(1);
    should(log.match(/context store "lasting", which is written to disk only once a second/g)).have.length(1);
  });

  it("knows which stores those are", () => {
    let nodes = 0;
    const noteOn = (contextStorage: unknown, store: string): string[] => {
      const notes: string[] = [];
      nodes += 1;
      const RED = {
        settings: { contextStorage },
        _: (key: string, { count }: { count?: number }) => `${key} ${count ?? ""}`.trim(),
      };
      const node = { id: `node ${nodes}`, log: (text: string) => notes.push(text) };
      noteOnStore({ RED, node, t: RED._ } as never, store);
      return notes;
    };
    const files = (config?: object) => ({ files: { module: "localfilesystem", ...(config && { config }) } });
    should(noteOn(files(), "files")).deepEqual(["events-in.log.late-store 30"]);
    should(noteOn(files({ flushInterval: 5 }), "files")).deepEqual(["events-in.log.late-store 5"]);
    should(noteOn({ default: "files", ...files() }, "default")).deepEqual(["events-in.log.late-store 30"]);
    should(noteOn(files({ cache: false }), "files")).be.empty();
    should(noteOn(files({ flushInterval: 0 }), "files")).be.empty();
    should(noteOn({ own: { module: () => ({}) } }, "own")).be.empty();
    should(noteOn({ short: { module: "memory" } }, "short")).deepEqual(["events-in.log.memory-store"]);
    should(noteOn(undefined, "memory")).deepEqual(["events-in.log.memory-store"]);
  });
});
