import should from "should";
import type { Issue } from "../../../plugins/monitor/types.ts";
import type { RunningService } from "../../../service/src/index.ts";
import {
  CrecClient,
  eventFragments,
  generatePrivateKey,
  localEcdsaSigner,
  parseAbi,
} from "../../../src/index.ts";
import { eventually } from "../../support/eventually.ts";
import { type FlowNode, NodeRed, UserDir } from "../../support/node-red.ts";
import {
  channelNode,
  connectionNode,
  contractNode,
  eventsInNode,
  TRANSFER_ABI,
  verifyEventNode,
} from "../../support/nodes.ts";
import { signerNode, walletNode } from "../../support/operation-nodes.ts";
import { startTestService } from "../../support/service.ts";

const WAITING = "waiting-for-watcher";
const ABSENT = "0x00000000000000000000000000000000000000aa";

describe("issues of what is deployed", () => {
  let service: RunningService;
  let userDir: UserDir;
  let nodeRed: NodeRed;

  before(async () => {
    [service, userDir] = await Promise.all([startTestService(), UserDir.make()]);
    nodeRed = await NodeRed.start(userDir);
    const { base_url, api_key } = service.ready;
    const created = await fetch(`${base_url}/channels`, {
      method: "POST",
      headers: { Authorization: `Apikey ${api_key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ name: "harness" }),
    });
    should(created.ok).be.true();
  });

  after(async () => {
    await nodeRed?.kill();
    await service?.close();
    await userDir?.remove();
  });

  const post = async (path: string, body: object = {}): Promise<Issue[]> => {
    const response = await nodeRed.fetch(`crec/monitor/issues/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { issues?: Issue[] };
    if (answer.issues) return answer.issues;
    throw new Error(JSON.stringify(answer));
  };
  const run = () => post("run");
  /** Whether the folder of this test survives depends on where the test runs. */
  const kinds = (issues: readonly Issue[]) =>
    issues
      .filter(({ check }) => check !== "state-lost")
      .map(({ id }) => id)
      .sort();
  /** What is listed now: nothing is run for it. */
  const listed = () => post("ignore", { id: "none", isIgnored: false });

  const tab = { id: "tab", type: "tab", label: "payments" };
  const connection = () => connectionNode(service.ready);
  const debug = { id: "debug", type: "debug", z: "tab", name: "debug", active: false, wires: [] };
  /** What has no place is a config node. */
  const placed = (node: FlowNode): FlowNode => (node.z === "tab" ? { ...node, x: 1, y: 1 } : node);
  const five = (): FlowNode[] =>
    [
      tab,
      debug,
      connection(),
      channelNode(),
      contractNode(service.ready, { name: "token", address: ABSENT }),
      eventsInNode({
        ...{ id: "unacknowledged", z: "tab", name: "payments", consumer: "payments", commit: "on-ack" },
        wires: [["debug"], ["debug"], []],
      }),
      eventsInNode({
        ...{ id: "waiting", z: "tab", name: "orders", consumer: "orders", watcher: "no-such-watcher" },
        ...{ contract: "contract", wires: [["verify", "switch"], ["debug"], []] },
      }),
      verifyEventNode({ z: "tab", name: "verify", wires: [["debug"], [], []] }),
      {
        ...{ id: "switch", type: "switch", z: "tab", name: "large", property: "payload.tokens.value" },
        ...{ propertyType: "msg", rules: [{ t: "gte", v: "1000", vt: "str" }], checkall: "true" },
        ...{ repair: false, outputs: 1, wires: [["debug"]] },
      },
    ].map(placed);
  const FIVE = [
    "ack-unreachable:no-path:unacknowledged",
    `contract-missing:no-code:contract:${ABSENT}`,
    "rejected-unwired:verify-event:verify",
    "text-comparison:order:switch:payload.tokens.value",
    "watcher-state:missing:waiting:no-such-watcher",
  ];

  it("are found, each with a sentence and a fix; one that is fixed is gone", async () => {
    await nodeRed.deploy(five());
    await nodeRed.status("waiting", WAITING);
    const found = await run();
    should(kinds(found)).deepEqual(FIVE);
    for (const { what, fix, buttons, origin } of found) {
      should(what).not.match(/monitor\.|__|undefined/);
      should(fix).not.match(/monitor\.|__|undefined/);
      should(buttons[0]).deepEqual({ kind: "open", node: origin.node });
    }
    const verify = found.find(({ check }) => check === "rejected-unwired");
    should(verify?.origin).deepEqual({
      ...{ node: "verify", flow: "tab", type: "crec-verify-event", label: "verify" },
    });
    should(found.map(({ severity }) => severity).sort()).deepEqual([
      ...["error", "error", "error", "error", "warning"],
    ]);

    const fixed = five().map((node) =>
      node.id === "verify" ? { ...node, wires: [["debug"], ["debug"], []] } : node,
    );
    await nodeRed.deploy(fixed, "nodes");
    await nodeRed.status("waiting", WAITING);
    should(kinds(await run())).deepEqual(FIVE.filter((id) => !id.startsWith("rejected")));
  });

  it("are found after a deploy, without a question to the service", async () => {
    await nodeRed.deploy([]);
    await eventually("no issue", listed, (issues) => issues.length === 0);
    const own = ABSENT.replace("aa", "ab");
    const flows = five().map((node) => (node.id === "contract" ? { ...node, address: own } : node));
    await nodeRed.deploy(flows);
    const found = await eventually(
      "the state of a watcher",
      async () => kinds(await listed()),
      (ids) => ids.some((id) => id.startsWith("watcher-state")),
    );
    should(found).deepEqual(FIVE.filter((id) => !id.startsWith("contract-missing")));
  });

  it("stay ignored after a restart, and come last", async () => {
    const [id = ""] = FIVE;
    await nodeRed.deploy(five());
    await nodeRed.status("waiting", WAITING);
    await run();
    const ignored = await post("ignore", { id, isIgnored: true });
    should(ignored.filter(({ isIgnored }) => isIgnored).map((one) => one.id)).deepEqual([id]);
    should(ignored.at(-1)?.id).equal(id);

    await nodeRed.kill();
    nodeRed = await NodeRed.start(userDir);
    await nodeRed.status("waiting", WAITING);
    const after = await run();
    should(kinds(after)).deepEqual(FIVE);
    should(after.filter(({ isIgnored }) => isIgnored).map((one) => one.id)).deepEqual([id]);
    should((await post("ignore", { id, isIgnored: false })).some(({ isIgnored }) => isIgnored)).be.false();
  });

  it("are in what only the service knows: watchers and wallets, once a person asks", async () => {
    const { base_url, api_key, chain_selector, contracts } = service.ready;
    const client = new CrecClient({ baseUrl: base_url, apiKey: api_key });
    const channelId = (await client.channels.findByName("harness"))?.channel_id ?? "";
    const { watcher_id } = await client.watchers.create(channelId, {
      ...{ name: "transfers", chain_selector, address: contracts.DemoToken ?? "", events: ["Transfer"] },
      abi: eventFragments(parseAbi(TRANSFER_ABI), ["Transfer"]),
    });
    await client.watchers.waitFor(channelId, watcher_id, { target: "active", timeoutMs: 30_000 });
    await client.watchers.archive(channelId, watcher_id);
    const other = localEcdsaSigner(generatePrivateKey()).address;
    const wallets = ["locked", "old"].map((name) =>
      client.wallets.create({
        ...{ name, chain_selector, wallet_type: "ecdsa" as const },
        ...{ wallet_owner_address: other, allowed_ecdsa_signers: [other] },
      }),
    );
    const [, old] = await Promise.all(wallets);
    await client.wallets.archive(old?.wallet_id ?? "");

    const submit = (id: string, wallet: string): FlowNode => ({
      ...{ id, type: "crec-submit-operation", z: "tab", channel: "channel", wallet, x: 1, y: 1 },
      ...{ source: "message", calls: [], wires: [[], []] },
    });
    const wires = [["debug"], ["debug"], []];
    await nodeRed.deploy([
      ...[tab, placed(debug), connection(), channelNode(), signerNode(generatePrivateKey())],
      ...["locked", "old"].map((name) => walletNode(service.ready, { id: `wallet-${name}`, wallet: name })),
      ...[submit("submit-1", "wallet-locked"), submit("submit-2", "wallet-old")],
      placed(
        eventsInNode({
          id: "reader",
          z: "tab",
          consumer: "reader",
          start: "now",
          watcher: "transfers",
          wires,
        }),
      ),
    ]);
    await nodeRed.status("reader", "connected");
    should(kinds(await run())).deepEqual([
      ...["wallet-state:archived:wallet-old", "wallet-state:signers:wallet-locked"],
      "watcher-state:archived:reader:transfers",
    ]);
    await client.close();
  });

  it("are in watchers that read one event differently, until nodes accept one of them", async () => {
    const { base_url, api_key, chain_selector, contracts } = service.ready;
    const client = new CrecClient({ baseUrl: base_url, apiKey: api_key });
    const { channel_id: channelId } = await client.channels.create({ name: "swapped" });
    const address = contracts.DemoToken ?? "";
    const create = async (name: string, abi: string) => {
      const fragments = eventFragments(parseAbi(abi), ["Transfer"]);
      const its = { name, chain_selector, address, events: ["Transfer"], abi: fragments };
      const { watcher_id: id } = await client.watchers.create(channelId, its);
      return client.watchers.waitFor(channelId, id, { target: "active", timeoutMs: 30_000 });
    };
    const honest = await create("honest", TRANSFER_ABI);
    const swapped = await create(
      "swapped",
      "event Transfer(address indexed to, address indexed from, uint256 value)",
    );
    await client.watchers.archive(channelId, swapped.watcher_id);
    const deploy = (acceptWatchers: string) => {
      const verify = { z: "tab", name: "verify", channel: "channel", contract: "contract", acceptWatchers };
      const wires = [["debug"], ["debug"], []];
      return nodeRed.deploy([
        ...[tab, placed(debug), connection(), channelNode({ channel: "swapped" })],
        ...[contractNode(service.ready, { name: "token" }), placed(verifyEventNode({ ...verify, wires }))],
      ]);
    };
    await deploy("");
    const found = await run();
    const [unlike = "", two = "", ...others] = kinds(found);
    should(others).be.empty();
    should(unlike).equal(`watcher-abi:contract:contract:${swapped.watcher_id}`);
    // Both may be of the same second.
    const both = [honest.watcher_id, swapped.watcher_id];
    should(two.split(":").slice(-2).sort()).deepEqual(both.sort());
    for (const { what, fix } of found) should(`${what} ${fix}`).not.match(/monitor\.|__|undefined/);
    const what = found.find(({ said }) => said.case === "watchers")?.what;
    should(what).match(/^The watchers "(honest" and "swapped|swapped" and "honest)" read one event/);
    for (const name of ["from", "to"]) should(what).containEql(`Transfer(address indexed ${name}, `);

    await deploy(honest.workflow_id ?? "");
    should(kinds(await run())).be.empty();
    const gone = "f".repeat(64);
    await deploy(`${honest.workflow_id}, ${gone}`);
    should(kinds(await run())).deepEqual([`accepted-watcher:channel:verify:${gone}`]);
    await client.close();
  });

  it("are not in what is disabled, nor in a subflow that is not used", async () => {
    const flows = five();
    const isPlaced = ({ z }: FlowNode) => z === "tab";
    await nodeRed.deploy(flows.map((node) => (node.id === "tab" ? { ...node, disabled: true } : node)));
    should(kinds(await run())).be.empty();

    await nodeRed.deploy(flows.map((node) => (isPlaced(node) ? { ...node, d: true } : node)));
    should(kinds(await run())).be.empty();

    const template = { id: "template", type: "subflow", name: "unused", in: [], out: [] };
    const inTemplate = (node: FlowNode) => (isPlaced(node) ? { ...node, z: "template" } : node);
    await nodeRed.deploy([...flows.map(inTemplate), template]);
    should(kinds(await run())).be.empty();
  });

  it("says what is wrong with a request", async () => {
    const response = await nodeRed.fetch("crec/monitor/issues/ignore", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ id: 7 }),
    });
    should(await response.json()).have.property("code", "INVALID_REQUEST");
  });
});
