import should from "should";
import { NODE } from "../../nodes/ack/fields.ts";
import { type Borrowed, borrowNodeRed } from "../support/borrowed-node-red.ts";
import { readerOf } from "../support/field-reader.ts";
import { harnessFlow, type Message, refuse } from "../support/flow-harness.ts";
import type { FlowNode, NodeRed } from "../support/node-red.ts";
import { apiNode, createWatcherNode, TRANSFER_ABI, verifyEventNode } from "../support/nodes.ts";
import {
  call,
  operationNode,
  queryNode,
  signerNode,
  submitNode,
  TOKEN_ABI,
  value,
} from "../support/operation-nodes.ts";

const ADDRESS = "0x00000000000000000000000000000000DeaDBeef";
const NETWORK = "7759470850252068959";
const channelId = "00000000-0000-4000-8000-000000000000";

/** Settings come from flow files and the environment, too: what no form offers must not count as something else. */
describe("a choice that is none, and a number that may be rounded", function () {
  this.timeout(120_000);

  let borrowed: Borrowed;
  let nodeRed: NodeRed;

  before(async () => {
    borrowed = await borrowNodeRed();
    nodeRed = borrowed.nodeRed;
  });
  after(async () => {
    await borrowed?.giveBack();
  });

  /** Nothing answers there: whatever is sent would be SERVICE_UNREACHABLE. */
  const config: FlowNode[] = [
    {
      ...{ id: "connection", type: "crec-connection", baseUrl: "http://127.0.0.1:1/v1", orgId: "org" },
      ...{ validSigners: ADDRESS, minRequiredSignatures: "1", credentials: { apiKey: "any" } },
    },
    { id: "channel", type: "crec-channel", connection: "connection", channel: channelId },
    { id: "contract", type: "crec-contract", chainSelector: NETWORK, address: ADDRESS, abi: TRANSFER_ABI },
    {
      id: "token",
      type: "crec-contract",
      chainSelector: NETWORK,
      address: ADDRESS,
      abi: TOKEN_ABI,
      decimals: "18",
    },
    signerNode(`0x${"11".repeat(32)}`),
    {
      ...{ id: "wallet", type: "crec-wallet", connection: "connection", chainSelector: NETWORK },
      ...{ wallet: ADDRESS, signer: "signer" },
    },
  ];
  const transfer = call("token", "transfer(address,uint256)", value(ADDRESS), value("1"));
  const raw = { kind: "raw", to: value(ADDRESS), data: value("0x") };

  const refused: Array<[FlowNode, label: string, Message?]> = [
    [submitNode({ mode: "drafts" }), '"Mode"'],
    [submitNode({ source: "messages" }), '"Calls"'],
    [submitNode({ calls: [{ ...transfer, kind: "contracts" }] }), '"kind in call 1"'],
    [submitNode({ calls: [{ ...raw, amount: { ...value("1"), unit: "Ether" } }] }), '"value.unit in call 1"'],
    [
      submitNode({ calls: [{ ...transfer, args: [value(ADDRESS), { ...value("1"), unit: "tokens" }] }] }),
      '"value.unit in call 1"',
    ],
    [submitNode({ waitFor: "confirmd" }), '"Wait until"'],
    [queryNode({ kind: "Raw" }), '"Query"'],
    [queryNode({ block: "Finalized", call: call("token", "balanceOf(address)", value(ADDRESS)) }), '"Block"'],
    [queryNode({ resultUnit: "tokens" }), '"Integer format"'],
    [createWatcherNode({ source: "Service" }), '"Source"'],
    [operationNode("list", { statuses: ["accepted", "confirmd"] }), '"Statuses"'],
    [apiNode({ method: "Patch" }), '"Method"', { payload: "/channels" }],
    [{ id: "account", type: "crec-account", connection: "connection", action: "Query" }, '"Action"'],
    [{ id: "search", type: "crec-search-events", channel: "channel", environment: "main" }, '"Environment"'],
    [{ id: "ack", type: "crec-ack", action: "Retry" }, '"Action"', { crec: { eventId: channelId } }],
    [verifyEventNode({ minConfidence: "finalised" }), '"Min confidence"', { crec: { event: {} } }],
  ];
  for (const [node, label, message] of refused) {
    it(`is refused by ${node.type}: ${label}`, async () => {
      await nodeRed.deploy(harnessFlow(config, [[node, 3]]));
      const { error } = await refuse(nodeRed, node.id, { crec: { channelId }, ...message });
      should(error).have.property("code", "INVALID_FIELD");
      should(error?.message).containEql(`${label} must be `);
    });
  }

  const paying = { ...raw, amount: value("payload", "msg") };
  const numbers: Array<[FlowNode, number]> = [
    [submitNode({ calls: [paying] }), 1e30],
    [submitNode({ calls: [paying] }), 2 ** 53],
    [submitNode({ calls: [{ ...raw, amount: { ...paying.amount, unit: "ether" } }] }), 1e30],
    [queryNode({ kind: "raw", chainSelector: "payload", chainSelectorType: "msg" }), Number(NETWORK)],
    [
      {
        id: "search",
        type: "crec-search-events",
        channel: "channel",
        network: "payload",
        networkType: "msg",
      },
      Number(NETWORK),
    ],
  ];
  for (const [node, payload] of numbers) {
    it(`the number ${payload} is refused by ${node.type}`, async () => {
      await nodeRed.deploy(harnessFlow(config, [[node, 2]]));
      const { error } = await refuse(nodeRed, node.id, { payload, crec: { channelId } });
      should(error).have.property("code", "INVALID_FIELD");
      should(error?.message).match(/may (already )?be rounded[.;] give it as text/i);
    });
  }

  it("the number 1e30 is refused in a list of transactions", async () => {
    await nodeRed.deploy(harnessFlow(config, [[submitNode({ source: "message" }), 2]]));
    const payload = [{ to: ADDRESS, value: 1e30, data: "0x" }];
    const { error } = await refuse(nodeRed, "submit", { payload, crec: { channelId } });
    should(error).have.property("code", "INVALID_ARGUMENT");
    should(error?.message).match(/^value in call 1 is/);
  });

  it("names the options; no choice is the default", () => {
    const chosen = (action: unknown) => readerOf(NODE, { action: action as "ack" }).choice("action");
    should(chosen("reject")).equal("reject");
    for (const none of [undefined, null, ""]) should(chosen(none)).equal("ack");
    should(() => chosen("rejects")).throw(/"value":"rejects","options":"ack, retry, reject"/, {
      code: "INVALID_FIELD",
    });
    for (const wrong of [0, false, " ack", "Ack", ["ack"], {}]) {
      should(() => chosen(wrong)).throw({ code: "INVALID_FIELD" });
    }
  });
});
