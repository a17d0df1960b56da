import { readdirSync } from "node:fs";
import should from "should";
import type { Issue } from "../../../plugins/monitor/types.ts";
import type { RunningService } from "../../../service/src/index.ts";
import { generatePrivateKey } from "../../../src/index.ts";
import {
  example,
  type FlowNode,
  NODES_OF_EXAMPLES,
  NodeRed,
  UserDir,
  WITH_E_MAIL,
} from "../../support/node-red.ts";
import { flowEnvironment, startTestService } from "../../support/service.ts";

const names = readdirSync(new URL("../../../examples", import.meta.url))
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.replace(/\.json$/, ""))
  .sort();

/** The buttons that create what an example needs. */
const SET_UP = new Set(["Set up", "Create", "Provision"]);

describe("issues of the examples", function () {
  this.timeout(180_000);

  let service: RunningService;
  let userDir: UserDir;
  let nodeRed: NodeRed;

  before(async () => {
    [service, userDir] = await Promise.all([startTestService(), UserDir.make()]);
    const environment = flowEnvironment(service.ready) as Record<string, string>;
    nodeRed = await NodeRed.start(
      userDir,
      { ...environment, CREC_SIGNER_KEY: generatePrivateKey() },
      { define: [NODES_OF_EXAMPLES, WITH_E_MAIL] },
    );
  });

  after(async () => {
    await nodeRed?.kill();
    await service?.close();
    await userDir?.remove();
  });

  it("after Set up only report the missing shared state, for all of them together", async () => {
    const all = await Promise.all(names.map((name) => example(name)));
    // Those with a dashboard need another palette; without it, Node-RED starts no flow.
    const isPlain = (nodes: readonly FlowNode[]) => !nodes.some(({ type }) => type.startsWith("ui-"));
    const nodes = all.filter(isPlain).flat();
    const flows = [...new Map(nodes.map((node) => [node.id, node])).values()];
    await nodeRed.deploy(flows);
    const isSetUp = ({ type, name = "" }: FlowNode) => type === "inject" && SET_UP.has(name);
    for (const { id } of flows.filter(isSetUp)) await nodeRed.press(id);
    for (const { id, type } of flows) {
      if (type === "crec-create-watcher") await nodeRed.status(id, ({ fill }) => fill === "green");
    }
    const response = await nodeRed.fetch("crec/monitor/issues/run", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: "{}",
    });
    const { issues } = (await response.json()) as { issues: Issue[] };
    // Whether the folder of this test survives depends on where the test runs.
    const found = issues.filter(({ check }) => check !== "state-lost");
    // Of the example with several copies, which needs a database.
    const fleet = flows.find(({ type }) => type === "crec-fleet");
    should(found.map(({ id, what }) => `${id} ${what}`)).have.length(1);
    should(found[0]?.id).equal(`settings-incomplete:problem:${fleet?.id}:FLEET_INCOMPLETE`);
  });
});
