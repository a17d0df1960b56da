import { join } from "node:path";
import should from "should";
import { arrivals, collectingFlow } from "../support/collector.ts";
import { eventually } from "../support/eventually.ts";
import type { FlowNode } from "../support/node-red.ts";
import { NodeRedWithChannel } from "../support/node-red-with-channel.ts";

const EVENTS = 260;
const IN_THE_FLOW = 20;

describe("a flow that is slower than its channel", function () {
  this.timeout(300_000);
  let stage: NodeRedWithChannel;

  before(async () => {
    stage = await NodeRedWithChannel.prepare(EVENTS);
  });
  after(() => stage?.close());

  /** Lets a hundred messages a second through, and keeps the others in memory. */
  const slowly: FlowNode = {
    ...{ id: "slowly", z: "collect-tab", type: "delay", pauseType: "rate", rate: "100", nbRateUnits: "1" },
    ...{ rateUnits: "second", drop: false, wires: [["collect-line"]] },
  };

  /** Writes each event down behind the slow node. */
  const slowFlow = (file: string, settings: Record<string, unknown>): FlowNode[] => [
    ...collectingFlow(file, stage.service.channelName, settings).map((one) =>
      one.id === "collect-in" ? { ...one, wires: [["slowly"], []] } : one,
    ),
    slowly,
  ];
  const lostOf = async (file: string) => {
    await eventually(
      "the last event",
      () => arrivals(file),
      (seen) => seen.at(-1)?.offset === EVENTS,
    );
    const arrived = new Set((await arrivals(file)).map(({ eventId }) => eventId));
    return stage.service.eventIds.filter((eventId) => !arrived.has(eventId));
  };

  it("loses nothing in a crash or a stop where events are done when the flow has completed them", async () => {
    const file = join(stage.userDir.path, "completed.txt");
    const settings = { commit: "on-complete", inFlight: String(IN_THE_FLOW), consumer: "completes" };
    await (await stage.launch()).deploy(slowFlow(file, settings));
    for (const [count, end] of [[80, "stop"] as const, [160, "kill"] as const]) {
      await eventually(
        `${count} events`,
        () => arrivals(file),
        (seen) => seen.length >= count,
      );
      await stage.nodeRed?.[end]();
      await stage.launch();
    }
    should(await lostOf(file)).be.empty();
    await stage.nodeRed?.kill();
  });

  it("loses in a crash at most what may be in the flow, also where events are done when sent", async () => {
    const file = join(stage.userDir.path, "slowly.txt");
    const settings = { commit: "on-send", unfinished: String(IN_THE_FLOW), consumer: "slow" };
    await (await stage.launch()).deploy(slowFlow(file, settings));
    await eventually(
      "100 events",
      () => arrivals(file),
      (seen) => seen.length >= 100,
    );
    await stage.nodeRed?.kill();
    await stage.launch();
    should((await lostOf(file)).length).be.belowOrEqual(IN_THE_FLOW);
  });
});
