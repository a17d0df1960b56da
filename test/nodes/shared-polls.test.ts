import should from "should";
import { EventHarness, isPoll } from "../support/event-harness.ts";
import { eventually } from "../support/eventually.ts";
import { harnessFlow } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import { eventsInNode } from "../support/nodes.ts";
import { ServiceProxy } from "../support/proxy.ts";

const CONNECTED = "connected";
/** So many polls of a node by itself are compared: some seconds. */
const POLLS = 16;
/**
 * Of the calls that so many nodes make by themselves. On a busy machine they are not always ready at the same moment:
 * that they make as many calls as one node, `test/consumer/shared-channel.test.ts` checks with a clock of its own.
 */
const MOST = 0.5;

/** Nodes on the same channel and connection ask the service as one. */
describe("events in nodes on one channel", function () {
  this.timeout(180_000);

  let harness: EventHarness;
  /** Before the same service, for a node by itself. */
  let loneProxy: ServiceProxy;

  before(async () => {
    harness = await EventHarness.start(30);
    loneProxy = await ServiceProxy.before(harness.service.ready.base_url);
  });

  after(async () => {
    await harness?.close();
    await loneProxy?.close();
  });

  /**
   * The calls of so many nodes, and of a node with a connection of its own, from their start on. Both at the same time: how
   * often a node asks depends on how busy the machine is.
   */
  async function callsOf(count: number, { adds = 0 } = {}) {
    const ids = Array.from({ length: count }, (_, index) => `of-${count}-${adds}-${index}`);
    const lone = `lone-${count}-${adds}`;
    await harness.deploy([]);
    const proxies = [harness.proxy, loneProxy];
    const before = proxies.map(({ passed }) => passed.length);
    const [connection, channel] = harness.config();
    const apart = [
      { ...connection, id: "lone-connection", baseUrl: loneProxy.baseUrl },
      { ...channel, id: "lone-channel", connection: "lone-connection" },
    ] as FlowNode[];
    const nodes = [
      eventsInNode({ id: lone, consumer: lone, channel: "lone-channel", verify: false, start: "now" }),
      ...ids.map((id) => eventsInNode({ id, consumer: id, verify: false, start: "now" })),
    ];
    await harness.deploy(
      nodes.map((node) => [node, 2]),
      apart,
    );
    await Promise.all([lone, ...ids].map((id) => harness.nodeRed.status(id, CONNECTED)));
    for (let added = 0; added < adds; added += 1) {
      await harness.addEvents(`${ids[0]}-${added}`);
      await harness.arrived(lone, 2 * (added + 1));
    }
    await eventually(
      `${POLLS} polls of the node by itself`,
      () => loneProxy.passed.slice(before[1]).filter(isPoll).length,
      (count) => count >= POLLS,
    );
    const [together, alone] = proxies.map(({ passed }, index) => {
      const calls = passed.slice(before[index]);
      return { polls: calls.filter(isPoll).length, all: calls.length };
    });
    for (const id of [lone, ...ids]) should(await harness.arrived(id, 2 * adds)).have.length(2 * adds);
    if (!together || !alone) throw new Error("Nothing was counted.");
    return { together, alone };
  }

  for (const count of [4, 10]) {
    it(`share their calls while nothing happens, from the start on: ${count} nodes`, async () => {
      const { together, alone } = await callsOf(count);
      should(together.polls).be.belowOrEqual(MOST * count * alone.polls);
      should(together.all).be.belowOrEqual(MOST * count * alone.all);
    });
  }

  it("share their calls while events arrive, and each sends all of them", async () => {
    const { together, alone } = await callsOf(6, { adds: 3 });
    should(together.polls).be.belowOrEqual(MOST * 6 * alone.polls);
    should(together.all).be.belowOrEqual(MOST * 6 * alone.all);
  });

  it("may change a message without changing what another node sends", async () => {
    await harness.deploy([]);
    const mutates = eventsInNode({ id: "mutates", consumer: "mutates", verify: false, start: "now" });
    const reads = eventsInNode({ id: "reads", consumer: "reads", verify: false, start: "now" });
    const change = {
      id: "change",
      type: "function",
      func: 'msg.crec.event.payload.status = "changed"; msg.crec.event.headers.type = "changed"; return msg;',
      wires: [[]],
    };
    await harness.deploy(
      [
        [{ ...mutates, wires: [["change"]] }, 2],
        [reads, 2],
      ],
      [change],
    );
    await Promise.all(["mutates", "reads"].map((id) => harness.nodeRed.status(id, CONNECTED)));
    await harness.addEvents("mutated");
    for (const { crec } of await harness.arrived("reads", 2))
      should((crec.event as { payload: { status: string } }).payload.status).not.equal("changed");
  });

  it("make no more calls than the connection allows, and still send every event", async () => {
    await harness.deploy([]);
    const [connection, ...others] = harness.config();
    const before = harness.proxy.passed.length;
    const ids = ["limited-1", "limited-2", "limited-3"];
    // Without the limit they would make five a second.
    const pace = { pollMin: "0.2", pollMax: "0.2" };
    const nodes = ids.map((id) => eventsInNode({ id, consumer: id, verify: false, ...pace }));
    const limited = { ...connection, requestsPerMinute: "60" } as FlowNode;
    const begun = performance.now();
    await harness.nodeRed.deploy(
      harnessFlow(
        [limited, ...others],
        nodes.map((node) => [node, 2]),
      ),
    );
    for (const id of ids) await harness.arrived(id, 30);
    await harness.proxy.next(10);
    const seconds = (performance.now() - begun) / 1_000;
    // Five at once, and one each second.
    should(harness.proxy.passed.length - before).be.within(5, 6 + seconds);
  });
});
