import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { type Owned, ownNodeRed } from "../support/borrowed-node-red.ts";
import { eventually } from "../support/eventually.ts";
import { harnessFlow, type Message } from "../support/flow-harness.ts";
import type { FlowNode, NodeRed } from "../support/node-red.ts";
import { channelNode, connectionNode, eventsInNode } from "../support/nodes.ts";
import { flowEnvironment, startTestService } from "../support/service.ts";

const CONNECTED = "connected";
const isRed = ({ fill }: { fill?: string }) => fill === "red";

/** Node-RED starts nodes in the order in which they are stored: a newcomer comes first here, as a copy may. */
describe("of two nodes with one consumer name", function () {
  this.timeout(120_000);

  let service: RunningService;
  let owned: Owned;
  let nodeRed: NodeRed;
  before(async () => {
    service = await startTestService();
    owned = await ownNodeRed(flowEnvironment(service.ready) as Record<string, string>);
    nodeRed = owned.nodeRed;
  });
  after(async () => {
    await owned?.giveBack();
    await service?.close();
  });

  type DeployType = Parameters<NodeRed["deploy"]>[1];
  const config = () => [connectionNode(service.ready), channelNode({ createMissing: true })];
  const reader = (id: string, consumer: string, changed: Partial<FlowNode> = {}) =>
    eventsInNode({ id, consumer, verify: false, ...changed });
  const deploy = (nodes: readonly FlowNode[], type?: DeployType) => {
    const nodesOf = config().map(({ credentials, ...node }) =>
      type === "nodes" || !credentials ? node : { ...node, credentials },
    );
    return nodeRed.deploy(
      harnessFlow(
        nodesOf,
        nodes.map((node) => [node, 2]),
      ),
      type,
    );
  };
  const hasRun = (id: string) =>
    eventually(`${id} is noted as the one that ran`, async () => {
      const folder = join(owned.userDir.path, "crec-started");
      const names = await readdir(folder).catch(() => []);
      // Beside them are files that are being written, for a moment.
      const files = names.filter((name) => name.endsWith(".json"));
      const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
      return texts.some((text) => text.includes(`"node":"${id}"`));
    });
  const refused = (id: string) =>
    nodeRed
      .shown("error")
      .filter(
        ({ value }) =>
          (value as Message).error?.source.id === id &&
          (value as Message).error?.code === "CONSUMER_NAME_TAKEN",
      );
  /** Only the newcomer says that it does not read. */
  const onlyReads = async (old: string, newcomer: string): Promise<void> => {
    await Promise.all([nodeRed.status(old, CONNECTED), nodeRed.status(newcomer, isRed)]);
    should(nodeRed.statuses(old).filter(isRed)).be.empty();
    should(refused(old)).be.empty();
  };

  it("the one that ran before goes on, after a deploy, a change, and a restart", async () => {
    const [old, newcomer] = [reader("ran-before", "twins"), reader("newcomer", "twins")];
    await deploy([old]);
    await hasRun("ran-before");
    await deploy([newcomer, old]);
    await onlyReads("ran-before", "newcomer");
    await eventually("the error of the newcomer", () => refused("newcomer").length === 1);

    // While a changed node is closed and made again, the other one does not take its place.
    const before = nodeRed.statuses("ran-before").length;
    await deploy([newcomer, { ...old, name: "changed" }], "nodes");
    await eventually("a new start", () => nodeRed.statuses("ran-before").length > before);
    await onlyReads("ran-before", "newcomer");
    should(nodeRed.statuses("newcomer").every(({ code }) => code !== CONNECTED)).be.true();

    nodeRed = await owned.restart();
    await onlyReads("ran-before", "newcomer");
  });

  it("the other one reads once that one is removed, and goes on when it comes back", async () => {
    const [first, second] = [reader("went", "followed"), reader("came", "followed")];
    await deploy([first]);
    await hasRun("went");
    await deploy([second, first]);
    await onlyReads("went", "came");
    await deploy([second], "nodes");
    await nodeRed.status("came", CONNECTED);
    await hasRun("came");
    await deploy([first, second]);
    await nodeRed.status("came", CONNECTED);
    await nodeRed.status("went", isRed);
  });

  it("the one of the subflow's use that ran before goes on", async () => {
    const template: FlowNode[] = [
      { id: "template", type: "subflow", name: "Reads", in: [], out: [], env: [] },
      { ...reader("inside", "in each use"), z: "template", x: 1, y: 1, wires: [[], [], []] },
    ];
    const use = (id: string) => ({ id, z: "harness-tab", type: "subflow:template", x: 1, y: 1, wires: [] });
    const flow = (ids: readonly string[]) => harnessFlow([...config(), ...template, ...ids.map(use)], []);
    await nodeRed.deploy(flow(["old-use"]));
    await hasRun("old-use-inside");
    await nodeRed.deploy(flow(["new-use", "old-use"]));
    await onlyReads("old-use-inside", "new-use-inside");
  });
});
