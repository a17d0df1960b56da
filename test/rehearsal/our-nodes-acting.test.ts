import should from "should";
import registerAccount from "../../nodes/account/node.ts";
import registerAlert from "../../nodes/alert/node.ts";
import registerApi from "../../nodes/api/node.ts";
import registerChannel from "../../nodes/channel/node.ts";
import registerContract from "../../nodes/contract/node.ts";
import registerCreateWatcher from "../../nodes/create-watcher/node.ts";
import registerManage from "../../nodes/manage/node.ts";
import registerOperation from "../../nodes/operation/node.ts";
import registerRunQuery from "../../nodes/run-query/node.ts";
import registerSearchEvents from "../../nodes/search-events/node.ts";
import registerSubmitOperation from "../../nodes/submit-operation/node.ts";
import registerVerifyEvent from "../../nodes/verify-event/node.ts";
import registerWallet from "../../nodes/wallet/node.ts";
import type { Job } from "../../rehearsal/shared/job.ts";
import { type ChannelEvent, operationDigest } from "../../src/index.ts";
import { configOf, proofCases } from "../proofs/fixtures.ts";
import type { FlowNode } from "../support/node-red.ts";
import { helper, loadFlow, PastHost, turns, until, withNodeRed } from "../support/past-host.ts";

const CHANNEL = "7e77863e-8c8d-44b2-a0e0-45cad1325017";
const SEPOLIA = "16015286601757825753";
const TOKEN = "0x5b571A50AC6cB524730C8419EBe452703139809A";
const WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const TO = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const ABI = [
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "function transfer(address to, uint256 value) returns (bool)",
  "function balanceOf(address owner) view returns (uint256)",
].join("\n");

const SNAPSHOT = {
  networks: [{ chain_selector: SEPOLIA, chain_id: "11155111", name: "sepolia" }],
  wallets: [
    {
      ...{ wallet_id: "11111111-2222-4333-8444-555555555555", name: "treasury", status: "deployed" },
      ...{ address: WALLET, chain_selector: SEPOLIA, wallet_type: "ecdsa" },
    },
  ],
  channels: [
    {
      channel: { channel_id: CHANNEL, name: "rehearsed", status: "active" },
      watchers: [
        {
          ...{ watcher_id: "5111df5c-0f30-42b1-a8f6-f8a6cca47791", channel_id: CHANNEL, name: "transfers" },
          ...{ status: "active", chain_selector: SEPOLIA, address: TOKEN, events: ["Transfer"] },
        },
      ],
    },
  ],
};

const { orgId, workflowOwner, creTenantId, validSigners, minRequiredSignatures } = configOf();
const CONFIGURATION = [
  {
    ...{ id: "connection", type: "crec-connection", baseUrl: "http://127.0.0.1:1/v1", orgId: orgId ?? "" },
    ...{ graphqlUrl: "http://127.0.0.1:1/graphql", workflowOwner: workflowOwner ?? "", creTenantId },
    ...{ validSigners: validSigners.join("\n"), minRequiredSignatures: String(minRequiredSignatures) },
  },
  { id: "channel", type: "crec-channel", connection: "connection", channel: "rehearsed" },
  {
    id: "missing",
    type: "crec-channel",
    connection: "connection",
    channel: "not there",
    createMissing: true,
  },
  {
    id: "contract",
    type: "crec-contract",
    name: "Token",
    chainSelector: SEPOLIA,
    address: TOKEN,
    abi: ABI,
    decimals: "18",
  },
  { id: "signer", type: "crec-signer", kind: "aws-kms", keyId: "alias/any", region: "eu-central-1" },
  {
    ...{ id: "wallet", type: "crec-wallet", connection: "connection", signer: "signer", wallet: "treasury" },
    chainSelector: SEPOLIA,
  },
  { id: "shared", type: "crec-fleet", lease: "15" },
] as unknown as FlowNode[];

const REGISTERS = [
  ...[registerAccount, registerAlert, registerApi, registerChannel, registerContract, registerCreateWatcher],
  ...[registerManage, registerOperation, registerRunQuery, registerSearchEvents, registerSubmitOperation],
  ...[registerVerifyEvent, registerWallet],
];

const EVENTS = proofCases
  .filter(({ name }) => name.startsWith("watcher.event, "))
  .map(({ event }, index) => ({
    ...event,
    headers: { ...event.headers, offset: index + 1 },
    created_at: 1_780_000_000 + index,
  })) as unknown as ChannelEvent[];

type Calls = Array<{ to: string; value: string; data: string }>;

/** What these nodes would send is said, and nothing is sent. */
describe("acting nodes of a rehearsal", () => {
  withNodeRed();

  async function load(node: Record<string, unknown>, outputs: number, job: Partial<Job> = {}) {
    const host = new PastHost({ snapshot: SNAPSHOT, ...job });
    const flow = [...CONFIGURATION, { id: "node", ...node } as unknown as FlowNode];
    const sent = await loadFlow([host.register, ...REGISTERS], flow, { node: outputs });
    return { host, sent, give: (msg: object) => helper.getNode("node")?.receive(msg) };
  }

  const TRANSFER = {
    ...{ type: "crec-submit-operation", channel: "channel", wallet: "wallet", mode: "send", onceFor: "key" },
    calls: [
      {
        ...{ kind: "contract", contract: "contract", function: "transfer(address,uint256)" },
        args: [
          { value: TO, type: "str" },
          { value: "5", type: "str", unit: "token" },
        ],
      },
    ],
    ...{ deadline: "0", timeout: "1", waitFor: "confirmed_latest" },
  };

  it("says which operation would be sent: its calls, amounts and digest, without a key", async () => {
    const { host, sent, give } = await load(TRANSFER, 2);
    give({ payload: 1, crec: { operationKey: "order 1" } });
    await until(() => sent.length > 0 || logged().length > 0);
    should(logged()).deepEqual([]);
    should(host.noted).have.length(1);
    const [{ kind, node, text, message }] = host.noted as [(typeof host.noted)[number]];
    should({ kind, node }).deepEqual({ kind: "operation", node: "node" });
    should(text).match(/Token\.transfer\(to: 0x3C44.*value: 5\)/);
    const { digest, walletOperationId, transactions, address } = message as {
      digest: string;
      walletOperationId: string;
      transactions: Calls;
      address: string;
    };
    should(address).equal(WALLET);
    const input = { id: walletOperationId, account: WALLET, deadline: 0, transactions };
    should(digest).equal(operationDigest(input, "11155111"));
    should(JSON.stringify(message)).not.match(/signature/);
    should(sent[0]).have.properties({ output: 0 });
    should(sent[0]?.msg.payload).have.properties({ notTried: true, digest });
  });

  it("asks the calls of an operation today where that is chosen", async () => {
    const { host, sent, give } = await load(TRANSFER, 2, { askQueries: true });
    host.answer = { error: "execution reverted: too little" };
    give({ payload: 1, crec: { operationKey: "order 1" } });
    await until(() => sent.length > 0);
    should(host.asked).have.length(1);
    should(host.asked[0]).have.properties({
      channelId: CHANNEL,
      chainSelector: SEPOLIA,
      from: WALLET,
      to: TOKEN,
    });
    should(host.noted[0]?.message).have.properties({ today: true, answers: [host.answer] });
  });

  it("answers with a test reply in place of the service", async () => {
    const replies = {
      node: [
        [{ payload: "first" }, null],
        [{ payload: "later" }, null],
      ],
    };
    const { host, sent, give } = await load(TRANSFER, 2, { replies });
    for (const key of ["1", "2", "3"]) {
      give({ topic: "kept", crec: { operationKey: key } });
      await until(() => sent.length === Number(key));
    }
    should(sent.map(({ msg }) => [msg.topic, msg.payload])).deepEqual([
      ["kept", "first"],
      ["kept", "later"],
      ["kept", "later"],
    ]);
    should(host.noted).have.length(3);
  });

  const QUERY = {
    ...{ type: "crec-run-query", channel: "channel", kind: "contract", contract: "contract", verify: true },
    call: {
      ...{ contract: "contract", function: "balanceOf(address)" },
      args: [{ value: TO, type: "str" }],
    },
    ...{ block: "latest", timeout: "5", resultUnit: "token" },
  };

  it("says which query would be run", async () => {
    const { host, sent, give } = await load(QUERY, 2);
    give({ payload: 1 });
    await until(() => sent.length > 0 || logged().length > 0);
    should(logged()).deepEqual([]);
    should(host.noted.map(({ kind, text }) => [kind, text])).deepEqual([
      ["query", `run a query: Token.balanceOf(owner: ${TO})`],
    ]);
    should(sent[0]?.msg.payload).have.properties({ notTried: true });
    should(host.asked).deepEqual([]);
  });

  it("runs a query today where that is chosen, and says so", async () => {
    const { host, sent, give } = await load(QUERY, 2, { askQueries: true });
    host.answer = { block: "7", result: `0x${(12n * 10n ** 18n).toString(16).padStart(64, "0")}` };
    give({ payload: 1 });
    await until(() => sent.some(({ output }) => output === 0) || logged().length > 0);
    should(logged()).deepEqual([]);
    should(host.asked).have.length(1);
    should(host.asked[0]).have.properties({ channelId: CHANNEL, chainSelector: SEPOLIA, to: TOKEN });
    const { msg } = sent.find(({ output }) => output === 0) ?? { msg: {} as never };
    should(msg.payload).equal("12");
    should(msg.crec).have.property("today", true);
    should(msg.crec).not.have.property("verification");
    await until(() => host.noted.length > 0);
    should(host.noted[0]?.message).have.property("today", true);
  });

  it("finds a watcher of the snapshot, and says which one would be created", async () => {
    const watcher = {
      ...{ type: "crec-create-watcher", channel: "channel", watcherName: "topic", watcherNameType: "msg" },
      ...{ source: "contract", contract: "contract", events: "Transfer", eventsType: "str", timeout: "0" },
    };
    const { host, sent, give } = await load(watcher, 2);
    give({ topic: "transfers" });
    await until(() => sent.some(({ output }) => output === 0) || logged().length > 0);
    should(logged()).deepEqual([]);
    should(sent.at(-1)?.msg.crec).have.properties({ found: true });
    should(host.noted).deepEqual([]);
    give({ topic: "another" });
    await until(() => host.noted.length > 0);
    should(host.noted[0]).have.properties({ kind: "watcher", text: 'create a watcher named "another"' });
  });

  it("says what manage, account, api and operation would do, and which channel would be created", async () => {
    const given = [
      [
        {
          type: "crec-manage",
          connection: "connection",
          action: "channels.create-or-find",
          target: "a",
          targetType: "str",
        },
        /create a channel/,
      ],
      [
        {
          type: "crec-api",
          connection: "connection",
          method: "POST",
          path: "/wallets",
          pathType: "str",
          body: "{}",
          bodyType: "json",
        },
        /create a wallet/,
      ],
      [
        {
          type: "crec-account",
          connection: "connection",
          action: "details",
        },
        /graphql/,
      ],
      [
        {
          type: "crec-operation",
          channel: "channel",
          action: "cancel",
          operation: CHANNEL,
          operationType: "str",
        },
        /change an operation/,
      ],
      [{ ...QUERY, channel: "missing" }, /create a channel named "not there"/],
    ] as const;
    for (const [node, text] of given) {
      const { host, sent, give } = await load(node, 2);
      give({ payload: {} });
      await until(() => sent.length > 0 || logged().length > 0);
      should(logged()).deepEqual([]);
      should(host.noted[0]?.text).match(text);
      await helper.unload();
    }
  });

  it("searches the events so far, as the service does", async () => {
    const search = { type: "crec-search-events", channel: "channel", types: ["watcher.event"], verify: true };
    const { host, sent, give } = await load(
      { ...search, contractEvent: "Transfer", contractEventType: "str" },
      1,
    );
    const [first, second, third] = EVENTS as [ChannelEvent, ChannelEvent, ChannelEvent];
    host.publish(CHANNEL, first);
    const { event: other } = proofCases.find(({ name }) => name === "operation.status confirmed") ?? {};
    host.publish(CHANNEL, { ...other, headers: { ...other?.headers, offset: 9 } } as unknown as ChannelEvent);
    host.publish(CHANNEL, second);
    give({ payload: 1 });
    await until(() => sent.length >= 2 || logged().length > 0);
    host.publish(CHANNEL, third);
    await turns();
    should(logged()).deepEqual([]);
    should(sent.map(({ msg }) => msg.crec?.offset)).deepEqual([1, 2]);
  });

  it("lets each event through once, also by a shared state", async () => {
    for (const fleet of ["", "shared"]) {
      const verify = { type: "crec-verify-event", connection: "connection", firstTimeOnly: true, fleet };
      const { sent, give } = await load(verify, 3);
      for (let time = 0; time < 2; time += 1) give({ payload: 1, crec: { event: EVENTS[0] } });
      await until(() => sent.length > 1 || logged().length > 0);
      should(logged()).deepEqual([]);
      should(sent.map(({ output }) => output)).deepEqual([0, 1]);
      await helper.unload();
    }
  });
});

/** Errors and warnings of nodes. */
function logged(): string[] {
  const { args } = (
    helper as unknown as { log(): { args: Array<[{ level: number; type?: string; msg: unknown }]> } }
  ).log();
  return args.flatMap(([{ level, type, msg }]) =>
    level <= 20 && type?.startsWith("crec-") ? [String(msg)] : [],
  );
}
