import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import should from "should";
import { arrivals, collectingFlow } from "../support/collector.ts";
import { type FlowNode, NodeRed, UserDir } from "../support/node-red.ts";
import { SeededService } from "../support/seeded-service.ts";
import { flowEnvironment } from "../support/service.ts";

const EVENTS = 600;
const IN_THE_FLOW = 20;

describe("a flow that is slower than its channel", function () {
  this.timeout(300_000);
  let service: SeededService;
  let userDir: UserDir;
  let nodeRed: NodeRed | undefined;

  before(async () => {
    [service, userDir] = await Promise.all([SeededService.start(EVENTS), UserDir.make()]);
  });
  after(async () => {
    await nodeRed?.kill();
    await service?.close();
    await userDir?.remove();
  });

  const launch = async () => {
    nodeRed = await NodeRed.start(userDir, flowEnvironment(service.ready) as Record<string, string>);
    return nodeRed;
  };
  /** Lets a hundred messages a second through, and keeps the others in memory. */
  const slowly: FlowNode = {
    ...{ id: "slowly", z: "collect-tab", type: "delay", pauseType: "rate", rate: "100", nbRateUnits: "1" },
    ...{ rateUnits: "second", drop: false, wires: [["collect-line"]] },
  };

  /** Writes each event down behind the slow node. */
  const slowFlow = (file: string, settings: Record<string, unknown>): FlowNode[] => [
    ...collectingFlow(file, service.channelName, settings).map((one) =>
      one.id === "collect-in" ? { ...one, wires: [["slowly"], []] } : one,
    ),
    slowly,
  ];
  const lostOf = async (file: string) => {
    while ((await arrivals(file)).at(-1)?.offset !== EVENTS) await sleep(50);
    const arrived = new Set((await arrivals(file)).map(({ eventId }) => eventId));
    return service.eventIds.filter((eventId) => !arrived.has(eventId));
  };

  it("loses nothing in a crash or a stop where events are done when the flow has completed them", async () => {
    const file = join(userDir.path, "completed.txt");
    const settings = { commit: "on-complete", inFlight: String(IN_THE_FLOW), consumer: "completes" };
    await (await launch()).deploy(slowFlow(file, settings));
    for (const [count, end] of [[100, "stop"] as const, [200, "kill"] as const, [300, "stop"] as const]) {
      while ((await arrivals(file)).length < count) await sleep(20);
      await nodeRed?.[end]();
      await launch();
    }
    should(await lostOf(file)).be.empty();
    await nodeRed?.kill();
  });

  it("loses in a crash at most what may be in the flow, also where events are done when sent", async () => {
    const file = join(userDir.path, "slowly.txt");
    const settings = { commit: "on-send", unfinished: String(IN_THE_FLOW), consumer: "slow" };
    await (await launch()).deploy(slowFlow(file, settings));
    while ((await arrivals(file)).length < 150) await sleep(20);
    await nodeRed?.kill();
    await launch();
    should((await lostOf(file)).length).be.belowOrEqual(IN_THE_FLOW);
  });
});
