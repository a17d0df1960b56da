import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { type Borrowed, borrowNodeRed } from "../support/borrowed-node-red.ts";
import { ask, harnessFlow, type Message } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import {
  apiNode,
  channelNode,
  connectionNode,
  contractNode,
  createWatcherNode,
  eventsInNode,
  verifyEventNode,
} from "../support/nodes.ts";
import { startTestService } from "../support/service.ts";

const RECEIVER = "0x00000000000000000000000000000000DeaDBeef";
const FULL = "0".repeat(18);

type Decoded = { params: { value: string }; tokens?: object; confidence: string };

/** "Alert when more than 50 tokens move", as it is drawn without a guide, on the real service. */
describe("amounts in tokens in messages of events", function () {
  this.timeout(120_000);

  let service: RunningService;
  let borrowed: Borrowed;
  /** The same in each deploy, so that only the contract changes. */
  let connection: FlowNode;

  before(async () => {
    [service, borrowed] = await Promise.all([startTestService(), borrowNodeRed()]);
    connection = connectionNode(service.ready);
    await borrowed.nodeRed.deploy(flow({ decimals: "18" }));
    // As the editor deploys again: a node with credentials counts as changed.
    delete connection.credentials;
    await ask(borrowed.nodeRed, "watcher", {});
  });

  /** As a test begins; nothing restarts where it is so already. */
  beforeEach(() => borrowed.nodeRed.deploy(flow({ decimals: "18" }), "nodes"));

  after(async () => {
    await borrowed?.giveBack();
    await service?.close();
  });

  const events = eventsInNode({ types: ["watcher.event"] });

  /** Compares with 50, as the type of the value says. */
  const limit = (type: "num" | "str"): FlowNode => ({
    ...{ id: `more-${type}`, type: "switch", property: "payload.tokens.value", propertyType: "msg" },
    ...{ rules: [{ t: "gt", v: "50", vt: type }], checkall: "true", outputs: 1 },
  });

  function flow(contract: Partial<FlowNode>): FlowNode[] {
    const flows = harnessFlow(
      [connection, channelNode({ createMissing: true }), contractNode(service.ready, contract)],
      [
        [createWatcherNode(), 2],
        [
          apiNode({ path: "/local/faucet", pathType: "str", method: "POST", body: "body", bodyType: "msg" }),
          1,
        ],
        [events, 3],
        [limit("num"), 1],
        [limit("str"), 1],
        [verifyEventNode(), 3],
        [{ id: "search", type: "crec-search-events", channel: "channel", types: ["watcher.event"] }, 1],
      ],
    );
    const further = ["events-look-0", "verify", "more-num", "more-str"];
    return flows.map((node) => (node.id === "events" ? { ...node, wires: [further, [], []] } : node));
  }

  const move = (amount: string) => ask(borrowed.nodeRed, "api", { body: { to: RECEIVER, amount } });
  const decoded = ({ payload }: Message) => payload as Decoded;
  const isOf = (amount: string) => (value: unknown) => {
    const { params, confidence } = decoded(value as Message);
    return params?.value === amount && confidence === "latest";
  };
  const arrived = async (id: string, amount: string) => {
    const { value } = await borrowed.nodeRed.showing(`${id}:0`, isOf(amount));
    return decoded(value as Message);
  };

  it("are compared as numbers by a switch whose value is a number, and as text otherwise", async () => {
    const amounts = [`9${FULL}`, `100${FULL}`];
    for (const amount of amounts) await move(amount);
    should((await arrived("events", `9${FULL}`)).tokens).deepEqual({ value: "9" });
    const { params, tokens } = await arrived("events", `100${FULL}`);
    should(params.value).equal(`100${FULL}`);
    should(tokens).deepEqual({ value: "100" });
    await arrived("more-num", `100${FULL}`);
    const passed = (id: string) =>
      amounts.filter((amount) => borrowed.nodeRed.shown(`${id}:0`).some(({ value }) => isOf(amount)(value)));
    should(passed("more-num")).deepEqual([`100${FULL}`]);
    should(passed("more-str")).deepEqual([`9${FULL}`]);
  });

  it("come from verify event and search events too", async () => {
    await move(`7${FULL}`);
    should((await arrived("verify", `7${FULL}`)).tokens).deepEqual({ value: "7" });
    await borrowed.nodeRed.press("press-search", { probe: "found" });
    should((await arrived("search", `7${FULL}`)).tokens).deepEqual({ value: "7" });
  });

  it("come with addresses that forms offer from then on, by the event that named them", async () => {
    await move(`8${FULL}`);
    await arrived("events", `8${FULL}`);
    const answer = await borrowed.nodeRed.fetch("crec/lookup/addresses/channel");
    const { choices } = (await answer.json()) as { choices: Array<{ value: string }> };
    const [receiver] = choices.filter(({ value }) => value.toLowerCase() === RECEIVER.toLowerCase());
    should(receiver).match({ label: "Transfer: to", detail: "recent event on Local anvil" });
  });

  it("follow a contract that is deployed alone, while events in continues", async () => {
    // From the start on, until it has seen that there is a watcher.
    await borrowed.nodeRed.status("events", /connected/);
    const before = borrowed.nodeRed.statuses("events").length;
    await borrowed.nodeRed.deploy(flow({ decimals: "17" }), "nodes");
    await move(`3${FULL}`);
    should((await arrived("events", `3${FULL}`)).tokens).deepEqual({ value: "30" });
    const since = borrowed.nodeRed.statuses("events").slice(before);
    should(since.filter(({ fill }) => fill === "yellow")).be.empty();
    await borrowed.nodeRed.deploy(flow({ decimals: "" }), "nodes");
    await move(`4${FULL}`);
    should(await arrived("events", `4${FULL}`)).not.have.property("tokens");
  });

  it("are reported as missing in the panel, while a contract lacks decimals or two differ in them", async () => {
    const units = async () => {
      const report = await borrowed.nodeRed.fetch("crec/events-in/events");
      return ((await report.json()) as { units?: object }).units;
    };
    const token = service.ready.contracts.DemoToken;
    await borrowed.nodeRed.deploy(flow({ decimals: "" }), "nodes");
    await move(`5${FULL}`);
    await arrived("events", `5${FULL}`);
    should(await units()).deepEqual({ noDecimals: [{ id: "contract", name: token }], differing: [] });
    const other = contractNode(service.ready, { id: "other", name: "second token", decimals: "6" });
    await borrowed.nodeRed.deploy([...flow({ decimals: "18", name: "token" }), other], "nodes");
    should(await units()).deepEqual({ noDecimals: [], differing: ["token"] });
    await borrowed.nodeRed.deploy(flow({ decimals: "18" }), "nodes");
    should(await units()).be.undefined();
    const nft = "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)";
    await borrowed.nodeRed.deploy(flow({ abi: nft }), "nodes");
    should(await units()).be.undefined();
  });
});
