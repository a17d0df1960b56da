import should from "should";
import { ackingNode, ackNode, EventHarness, isPoll } from "../support/event-harness.ts";
import type { FlowNode } from "../support/node-red.ts";

const EVENTS = 4;
const DEPTH = 5_000;

type Page = { events: Array<{ event_id?: string; headers: { offset: number }; payload: object }> };

describe("An odd event among good ones", function () {
  this.timeout(120_000);
  let harness: EventHarness;

  before(async () => {
    harness = await EventHarness.start(EVENTS);
  });
  after(() => harness?.close());
  afterEach(async () => {
    await harness.nodeRed.clear();
    harness.proxy.harm = () => undefined;
  });

  /** The event at offset 2 is changed on each page. */
  const change = (one: (event: Page["events"][number]) => void, finish = (text: string) => text) => {
    harness.proxy.harm = (passing) =>
      isPoll(passing)
        ? {
            kind: "change",
            change: (body) => {
              const page = JSON.parse(body) as Page;
              for (const event of page.events) if (event.headers.offset === 2) one(event);
              return finish(JSON.stringify(page));
            },
          }
        : undefined;
  };
  const acknowledges: FlowNode = ackNode({ id: "odd-ack" });
  /** Two wires behind each port: Node-RED copies the message. */
  const reader = (id: string, commit: string) =>
    ackingNode({
      id,
      commit,
      attempts: "",
      wires: [
        [`${id}-look-0`, "odd-ack"],
        [`${id}-look-1`, "odd-ack"],
      ],
    });

  for (const commit of ["on-send", "on-complete", "on-ack"]) {
    for (const deep of ["lists", "objects"]) {
      it(`leaves by the second output when Node-RED cannot copy it: deep ${deep}, ${commit}`, async () => {
        const text =
          deep === "lists"
            ? `${"[".repeat(DEPTH)}9007199254740993${"]".repeat(DEPTH)}`
            : `${'{"a":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}`;
        change(
          ({ payload }) => Object.assign(payload, { deep: "@deep" }),
          (body) => body.replace('"@deep"', text),
        );
        const id = `deep-${deep}-${commit}`;
        await harness.deploy([
          [reader(id, commit), 2],
          [acknowledges, 1],
        ]);
        await harness.arrival(id, ({ crec }) => crec.offset === EVENTS);
        const offsets = harness.arrivals(id).map(({ crec }) => crec.offset);
        should(offsets).eql([1, 3, 4]);
        const [cut] = await harness.arrived(id, 1, 1);
        should(cut?.crec.offset).equal(2);
        should(cut?.crec.rejection).match(/more than 500 levels deep/);
        await harness.report(id, ({ cursor }) => cursor === EVENTS);
        should(harness.nodeRed.shown("error")).be.empty();
      });
    }
  }

  for (const [name, id] of [
    ["is missing", undefined],
    ["is empty", ""],
    ["is null", null],
    ["is a number", 7],
  ] as const) {
    it(`is acknowledged by its offset when its id ${name}`, async () => {
      change((event) => Object.assign(event, { event_id: id }));
      const nodeId = `unnamed-${String(id)}`;
      await harness.deploy([
        [reader(nodeId, "on-ack"), 2],
        [acknowledges, 1],
      ]);
      await harness.arrival(nodeId, ({ crec }) => crec.offset === EVENTS);
      should(harness.arrivals(nodeId).map(({ crec }) => crec.offset)).eql([1, 2, 3, 4]);
      should(harness.arrivals(nodeId)[1]?.crec.eventId).equal("offset:2");
      await harness.report(nodeId, ({ cursor }) => cursor === EVENTS);
    });
  }
});
