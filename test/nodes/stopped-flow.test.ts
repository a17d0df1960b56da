import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { EventHarness } from "../support/event-harness.ts";
import { eventually } from "../support/eventually.ts";
import { functionNode } from "../support/flow-harness.ts";
import { ALL_NODES, type FlowNode } from "../support/node-red.ts";
import { eventsInNode } from "../support/nodes.ts";
import { differentIn, type Recorded, recordedIn } from "../support/recorded-events.ts";
import { node, slow, TAB } from "../support/slow-flows.ts";
import { itWide } from "../support/wide.ts";

const SETTINGS = fileURLToPath(new URL("odd-nodes-settings.cjs", import.meta.url));
const EVENTS = 40;
const SLOW_MS = 300;

/** The flows, each part with a version: a deploy restarts what has a new one. */
type Flows = (versions?: { behind?: number; reader?: number; elsewhere?: number }) => FlowNode[];

/** Counted at the last node of the flow: what a stop of nodes loses, and what it sends again. */
describe("events in, when nodes stop that work on its events", function () {
  this.timeout(120_000);
  let harness: EventHarness;
  let runs = 0;

  before(async () => {
    const define = [ALL_NODES, "runtimeState.enabled=true"];
    harness = await EventHarness.start(EVENTS, { settings: SETTINGS, define });
  });
  after(() => harness?.close());

  /** Which events came to the first and to the last node. */
  const recorded = (name: string): Promise<Recorded[]> => recordedIn(join(harness.userDir.path, name));
  const isThere = (name: string) => async () => (await recorded(name)).length;

  const begin = async (flow: readonly FlowNode[], mode: Partial<FlowNode>) => {
    runs += 1;
    const [first, last] = [`first-${runs}`, `last-${runs}`];
    const consumer = `stopped-${runs}`;
    const record = (id: string, name: string, to: string[] = []) =>
      node(id, "odd-records", { path: join(harness.userDir.path, name) }, to);
    const acks = mode.commit === "on-ack" ? [node("ack", "crec-ack", { action: "ack" }, [])] : [];
    let isFirst = true;
    const flows: Flows = ({ behind = 0, reader = 0, elsewhere = 0 } = {}) => [
      { id: TAB, type: "tab", label: "stopped" },
      { id: "other", type: "tab", label: "elsewhere" },
      // A node that comes with credentials counts as changed.
      ...harness.config().map(({ credentials, ...one }) => (isFirst ? { ...one, credentials } : one)),
      eventsInNode({
        ...{ id: "reader", z: TAB, x: 1, y: 1, verify: false, name: `${reader}`, consumer },
        ...{ wires: [["in", "first"], []], ...mode },
      }),
      ...flow.map((one) => (one.z === undefined ? one : { ...one, name: `version ${behind}` })),
      record("in", first),
      ...[
        record(
          "out",
          last,
          acks.map(({ id }) => id),
        ),
        ...acks,
      ],
      { ...functionNode("elsewhere", `return ${elsewhere};`, []), z: "other" },
    ];
    await harness.nodeRed.deploy(flows());
    isFirst = false;
    await eventually("events behind the flow", isThere(last), (count) => count >= 2);
    return { flows, first, last };
  };
  const complete = async (last: string) => {
    const offsets = async () => differentIn(await recorded(last));
    await eventually("all events behind the flow", offsets, (count) => count === EVENTS);
  };
  const modes: Record<string, Partial<FlowNode>> = {
    "on send": { commit: "on-send", unfinished: "4" },
    "when the flow completes": { commit: "on-complete", inFlight: "4" },
  };

  it("loses nothing by SIGTERM with the default, and marks what comes again", async () => {
    // It holds most of the events, however slow the machine is.
    const rate = { pauseType: "rate", rate: "10", nbRateUnits: "1", rateUnits: "second", drop: false };
    const { first, last } = await begin([node("first", "delay", rate)], {});
    await harness.restart();
    await complete(last);
    const entered = await recorded(first);
    const again = entered.filter(
      ({ offset }, index) => entered.findIndex((one) => one.offset === offset) < index,
    );
    should(again).not.be.empty();
    for (const one of again) should(one.redelivered).be.true();
  });

  // With an ack event node, the flow may acknowledge while nobody reads.
  for (const [mode, fields] of Object.entries(modes))
    itWide(`sends nothing again by a deploy elsewhere, or of the reader alone: ${mode}`, async () => {
      const { flows, first, last } = await begin([slow("first", SLOW_MS)], fields);
      const again = async (what: string) => {
        const offsets = (await recorded(first)).map(({ offset }) => offset);
        should(offsets.filter((one, index) => offsets.indexOf(one) < index)).deepEqual([], what);
      };
      await harness.nodeRed.deploy(flows({ elsewhere: 1 }), "nodes");
      await again("nodes elsewhere");
      await harness.nodeRed.deploy(flows({ elsewhere: 2 }), "flows");
      await again("another tab");
      await harness.nodeRed.deploy(flows({ elsewhere: 2, reader: 1 }), "nodes");
      await complete(last);
      await again("the reader");
      should((await recorded(last)).length).equal(EVENTS);
    });
});
