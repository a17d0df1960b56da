import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { generatePrivateKey } from "../../src/index.ts";
import { Broker } from "../support/broker.ts";
import { eventually } from "../support/eventually.ts";
import { example, type FlowNode, idOf, NODES_OF_EXAMPLES, NodeRed, UserDir } from "../support/node-red.ts";
import { flowEnvironment, startTestService } from "../support/service.ts";

/** The examples that react to events, and the setup button of each. */
const EXAMPLES = {
  "01-quickstart": "Set up",
  "02-large-transfer-alert": "Set up",
  "05-watcher-life": "Create",
  "07-ack-and-retry": "Set up",
  "08-events-to-csv": "Set up",
} as const;
type Example = keyof typeof EXAMPLES;
const NAMES = Object.keys(EXAMPLES) as Example[];

const TOPIC = "crec/alerts/large-transfer";
type Alert = { event: { transactionHash: string } };
type Transfer = { confidence: string; transactionHash: string };

/** The flows together. The name of a debug node begins with its example. */
async function flowsOf(): Promise<Map<Example, FlowNode[]>> {
  const flows = await Promise.all(NAMES.map((name) => example(name)));
  return new Map(
    flows.map((nodes, index) => {
      const name = NAMES[index] ?? "01-quickstart";
      const named = nodes.map((node) =>
        node.type === "debug" ? { ...node, name: `${name}: ${node.name}` } : node,
      );
      return [name, named];
    }),
  );
}

for (const level of ["finalized", "latest"] as const) {
  describe(`the examples that react to events, on a network that reports ${level} alone`, function () {
    this.timeout(120_000);

    let service: RunningService;
    let broker: Broker;
    let userDir: UserDir;
    let nodeRed: NodeRed;
    let folder: string;
    let flows: Map<Example, FlowNode[]>;

    before(async () => {
      [service, broker, userDir, folder, flows] = await Promise.all([
        startTestService({ confidences: [level] }),
        Broker.start(),
        UserDir.make(),
        mkdtemp(join(tmpdir(), "crec-level-")),
        flowsOf(),
      ]);
      const env = {
        ...(flowEnvironment(service.ready) as Record<string, string>),
        ...{ MQTT_HOST: "127.0.0.1", MQTT_PORT: String(broker.port) },
        ...{ CREC_CSV_FILE: join(folder, "transfers.csv"), CREC_SIGNER_KEY: generatePrivateKey() },
      };
      nodeRed = await NodeRed.start(userDir, env, { define: [NODES_OF_EXAMPLES] });
      // Config nodes are in several of them.
      await nodeRed.deploy([...new Map([...flows.values()].flat().map((node) => [node.id, node])).values()]);
      await Promise.all(
        NAMES.map(async (name) => {
          await press(name, EXAMPLES[name]);
          const watcher = idOf(flows.get(name) ?? [], "crec-create-watcher");
          await nodeRed.status(watcher, /active/);
        }),
      );
    });
    after(async () => {
      await nodeRed?.kill();
      await broker?.close();
      await service?.close();
      await userDir?.remove();
      await rm(folder, { recursive: true, force: true });
    });

    const press = (name: Example, button: string) =>
      nodeRed.press(idOf(flows.get(name) ?? [], "inject", button));
    const shown = async <T>(name: Example, debug: string, accept: (value: T) => boolean = () => true) =>
      (await nodeRed.showing(`${name}: ${debug}`, (value) => accept(value as T))).value as T;

    it("see a transfer, at this level", async () => {
      await press("05-watcher-life", "Move a token");
      const hash = await shown<string>("05-watcher-life", "moved");
      const isIt = ({ transactionHash }: Transfer) => transactionHash === hash;
      const [seen, verified] = await Promise.all([
        shown<Transfer>("05-watcher-life", "transfers", isIt),
        shown<Transfer>("01-quickstart", "verified", isIt),
      ]);
      should([seen.confidence, verified.confidence]).eql([level, level]);
    });

    it("act on it: an alert, an order, and a row of a file", async () => {
      await press("02-large-transfer-alert", "Large: 250 tokens");
      const hash = await shown<string>("02-large-transfer-alert", "sent");
      await broker.publishing(TOPIC, (alert) => (alert as Alert).event.transactionHash === hash);
      await press("07-ack-and-retry", "Succeeds");
      await shown<{ tokens: number }>("07-ack-and-retry", "processed", ({ tokens }) => tokens === 1);
      // All flows watch the same token, so the transfer also arrives in the other channel, now or soon.
      const isWritten = async () => {
        await press("08-events-to-csv", "Export");
        return nodeRed.shown("08-events-to-csv: written").length > 0;
      };
      await eventually("the file", isWritten);
    });

    it("report no error", () => {
      for (const name of NAMES) should(nodeRed.shown(`${name}: error`)).be.empty();
    });
  });
}
