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

  it("loses in a crash at most what may be in the flow, also where events are done when sent", async () => {
    const file = join(userDir.path, "slowly.txt");
    const settings = { commit: "on-send", unfinished: String(IN_THE_FLOW), consumer: "slow" };
    const flow = collectingFlow(file, service.channelName, settings).map((one) =>
      one.id === "collect-in" ? { ...one, wires: [["slowly"], []] } : one,
    );
    await (await launch()).deploy([...flow, slowly]);
    while ((await arrivals(file)).length < 150) await sleep(20);
    await nodeRed?.kill();
    await launch();
    while ((await arrivals(file)).at(-1)?.offset !== EVENTS) await sleep(50);

    const arrived = new Set((await arrivals(file)).map(({ eventId }) => eventId));
    const lost = service.eventIds.filter((eventId) => !arrived.has(eventId));
    should(lost.length).be.belowOrEqual(IN_THE_FLOW);
  });
});
