import should from "should";
import { useEditor } from "../support/editor.ts";
import type { Form } from "../support/editor-form.ts";
import type { FlowNode } from "../support/node-red.ts";
import { channelNode, connectionNode, contractNode } from "../support/nodes.ts";
import {
  call,
  operationNode,
  signerNode,
  submitNode,
  value,
  walletNode,
} from "../support/operation-nodes.ts";

const TAB = { id: "tab", type: "tab", label: "flow" };
const RECEIVER = "0x000000000000000000000000000000000000dEaD";
const ABI = [
  "function transfer(address to, uint256 value) returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
  "function nonces(address account) view returns (uint256)",
  "event Transfer(uint256 value)",
].join("\n");
const PLACE = { x: 300, y: 100 };

/** What a person meets who drops a node, in a real browser. */
describe("a node that was just dropped", function () {
  this.timeout(120_000);
  const editor = useEditor();
  let config: FlowNode[];

  before(async () => {
    const { ready } = editor().service;
    config = [
      connectionNode(ready),
      channelNode({ name: "quickstart" }),
      signerNode(undefined),
      walletNode(ready),
      contractNode(ready, { id: "token", name: "demo token", abi: ABI, decimals: "18" }),
    ];
    await editor().openWith([TAB, ...config]);
  });

  afterEach(() => editor().inPage.undoAll());

  const drop = async (type: string) => {
    const id = await editor().drag(type, PLACE);
    return { id, ...(await editor().inPage.stored(id)) };
  };
  const idOf = (type: string) => config.find((node) => node.type === type)?.id;

  it("has the only connection, channel, wallet, contract and signer chosen", async () => {
    const [connection, channel] = [idOf("crec-connection"), idOf("crec-channel")];
    const [wallet, signer] = [idOf("crec-wallet"), idOf("crec-signer")];
    should((await drop("crec-events-in")).values).have.properties({ channel });
    should((await drop("crec-api")).values).have.properties({ connection });
    should((await drop("crec-submit-operation")).values).have.properties({ channel, wallet });
    const waitFor = "confirmed_latest";
    should((await drop("crec-operation")).values).have.properties({ channel, signer, waitFor });
    should((await drop("crec-run-query")).values).have.properties({ channel, contract: "token" });
    should((await drop("crec-create-watcher")).values).have.properties({ channel, contract: "token" });
    should((await drop("crec-manage")).values).have.properties({ connection, channel, wallet });
  });

  it("has nothing chosen that would restrict it", async () => {
    const { values } = await drop("crec-verify-event");
    should(values).have.properties({ connection: idOf("crec-connection"), contract: "", channel: "" });
    should((await drop("crec-search-events")).values).have.properties({ contract: "" });
  });

  it("stays as it was copied", async () => {
    const { id, values } = await drop("crec-api");
    const copied = JSON.stringify([
      { id: "copy", type: "crec-api", x: 10, y: 10, ...values, connection: "" },
    ]);
    await editor().importText(copied);
    const copies = (await editor().inPage.nodes()).filter((node) => node.type === "crec-api");
    const copy = copies.find((node) => node.id !== id);
    should((await editor().inPage.stored(String(copy?.id))).values.connection).equal("");
  });

  it("shows an open call with the only contract, and selects one that is added from there", async () => {
    const { id } = await drop("crec-submit-operation");
    const form = await editor().form(id);
    await form.choose("transfer(address,uint256)");
    await form.root.getByRole("button", { name: "add a contract" }).click();
    const added = await editor().formOnTop();
    await added.fill("name", "vault");
    await added.fill("chainSelector", "1");
    await added.fill("address", RECEIVER);
    await added.fill("abi", "function deposit(uint256 amount)");
    await added.done();
    await form.choose("deposit(uint256)");
    await form.done();
    const { values } = await editor().inPage.stored(id);
    should(values.calls).match([{ kind: "contract", function: "deposit(uint256)" }]);
    should(values.contract1).equal((values.calls as Array<{ contract: string }>)[0]?.contract);
    should(values.contract1).not.equal("token");
    should((await labels()).get(id)).equal("deposit on vault");
  });

  it("counts amounts of a token in tokens", async () => {
    const query = await drop("crec-run-query");
    const form = await editor().form(query.id);
    await form.choose("balanceOf(address)");
    await form.settled("resultUnit", /^token$/);
    await form.choose("nonces(address)");
    await form.settled("resultUnit", /^$/);
    await form.cancel();

    const submit = await drop("crec-submit-operation");
    const calls = await editor().form(submit.id);
    await calls.choose("transfer(address,uint256)");
    await calls.fillLabelled(/^value \(/, "1.5");
    await calls.done();
    const { values } = await editor().inPage.stored(submit.id);
    should(values.calls).match([{ args: [{}, { value: "1.5", unit: "token" }] }]);
  });

  it("may be left without a choice", async () => {
    const { id } = await drop("crec-run-query");
    const form = await editor().form(id);
    await form.field("contract").selectOption("_ADD_");
    await form.done();
    await (await editor().form(id)).done();
    should((await editor().inPage.stored(id)).values.contract).equal("");
  });

  it("asks for the wallet's signer and connection only where there are several", async () => {
    const { id } = await drop("crec-submit-operation");
    const form = await editor().form(id);
    const wallet = await form.addConfig("wallet");
    should(await wallet.shows("connection")).equal(idOf("crec-connection"));
    should(await wallet.shows("signer")).equal(idOf("crec-signer"));
    await wallet.cancel();
    await form.cancel();
  });

  /** The labels as they are drawn, by the id of the node. */
  const labels = async () =>
    new Map(
      await editor()
        .page.locator(".red-ui-flow-node-group")
        .evaluateAll((groups) =>
          groups.map((group) => {
            const { id, querySelector } = group as unknown as SvgGroup;
            return [id, String(querySelector.call(group, ".red-ui-flow-node-label")?.textContent)] as const;
          }),
        ),
    );
});

type SvgGroup = { id: string; querySelector(selector: string): { textContent: string } | null };

describe("a form that is opened", function () {
  this.timeout(120_000);
  const editor = useEditor();

  const verify = {
    type: "crec-verify-event",
    connection: "connection",
    event: "crec.event",
    expectContract: false,
  };
  const usual = { timeout: "300", deadline: "15", waitFor: "confirmed_latest" };
  /** The nodes of all tests: the editor is loaded once. */
  const nodes: FlowNode[] = [
    { id: "api", type: "crec-api", connection: "" },
    submitNode({ id: "unchosen", wallet: "", calls: [] }),
    submitNode({ id: "usual", ...usual }),
    operationNode("wait", { timeout: "300" }),
    submitNode({ id: "later", timeout: "300", waitFor: "confirmed" }),
    { id: "new", ...verify, contract: "" },
    { id: "names", ...verify, contract: "token" },
  ];

  before(async () => {
    const { ready } = editor().service;
    const placed = nodes.map((node, index) => ({
      z: "tab",
      x: 300,
      y: 100 + 80 * index,
      wires: [],
      ...node,
    }));
    await editor().openWith([
      TAB,
      connectionNode(ready),
      channelNode({ name: "quickstart" }),
      signerNode(undefined),
      walletNode(ready),
      contractNode(ready, { id: "token", name: "demo token", abi: ABI }),
      ...placed,
    ]);
  });
  const kept = async (id: string) => (await editor().inPage.stored(id)).values;

  it("chooses nothing in a node that was stored without a choice", async () => {
    for (const id of ["api", "unchosen"]) await (await editor().form(id)).done();
    should(await kept("api")).have.properties({ connection: "" });
    should(await kept("unchosen")).have.properties({ wallet: "", calls: [] });
  });

  it("raises the timeout with the status to wait for, and the deadline of a draft, if they are the usual ones", async () => {
    const form = await editor().form("usual");
    await form.fill("waitFor", "confirmed");
    should(await form.shows("timeout")).equal("1800");
    await form.root.getByText(/the usual timeout here is 30 minutes/).waitFor();
    await form.fill("waitFor", "confirmed_safe");
    should(await form.shows("timeout")).equal("900");
    await form.fill("mode", "draft");
    should(await form.shows("deadline")).equal("1440");
    await form.root.getByText(/the usual deadline here is 24 hours/).waitFor();
    await form.fill("mode", "send");
    should(await form.shows("deadline")).equal("15");
    await form.fill("timeout", "77");
    await form.fill("waitFor", "confirmed");
    should(await form.shows("timeout")).equal("77");
    await form.done();
    should(await kept("usual")).have.properties({ timeout: "77", deadline: "15" });

    const operation = await editor().form("wait");
    await operation.fill("waitFor", "confirmed");
    should(await operation.shows("timeout")).equal("1800");
    await operation.cancel();
  });

  it("keeps a usual timeout that was stored for a later status", async () => {
    await (await editor().form("later")).done();
    should(await kept("later")).have.properties({ timeout: "300", waitFor: "confirmed" });
  });

  it("accepts only the events of a contract that is chosen in verify event", async () => {
    const form = await editor().form("new");
    await form.fill("contract", "token");
    should(await form.shows("expectContract")).be.true();
    await form.done();
    should(await kept("new")).have.properties({ contract: "token", expectContract: true });
    const unchanged = await editor().form("names");
    await unchanged.done();
    should(await kept("names")).have.properties({ contract: "token", expectContract: false });
  });
});

describe("the label of a node without a name", function () {
  this.timeout(120_000);
  const editor = useEditor();

  const LABELS: ReadonlyArray<[string, { type: string } & Record<string, unknown>]> = [
    ["Transfer · quickstart", { type: "crec-events-in", contractEvent: "Transfer(address,address,uint256)" }],
    ["Transfer +1 · quickstart", { type: "crec-events-in", contractEvent: "Transfer, Approval" }],
    ["operation.status · quickstart", { type: "crec-events-in", types: ["operation.status"] }],
    ["events in · quickstart", { type: "crec-events-in", types: [] }],
    ["events in · quickstart", { type: "crec-events-in", types: ["watcher.event"] }],
    ["search Transfer · quickstart", { type: "crec-search-events", contractEvent: "Transfer" }],
    ["watch Transfer", { type: "crec-create-watcher", events: "Transfer" }],
    ["balanceOf on demo token", { type: "crec-run-query", call: { function: "balanceOf(address)" } }],
    ["Transfer of demo token", { type: "crec-verify-event", expectEvents: "Transfer", expectContract: true }],
    ["verify event", { type: "crec-verify-event" }],
    ["list watchers", { type: "crec-manage", action: "watchers.list" }],
    [
      "rename channel old <b>one</b>",
      { type: "crec-manage", action: "channels.rename", target: "old <b>one</b>" },
    ],
    [
      "create or find channel…",
      { type: "crec-manage", action: "channels.create-or-find", target: "a-name-that-is-long" },
    ],
    ["wait until final", { type: "crec-operation", action: "wait", waitFor: "confirmed" }],
    ["wait until ${STATUS}", { type: "crec-operation", action: "wait", waitFor: "${STATUS}" }],
    ["GET /networks", { type: "crec-api", method: "GET", path: "/networks", pathType: "str" }],
  ];

  it("says what the node does, and follows the names of its config nodes", async () => {
    const { ready } = editor().service;
    const config = { connection: "connection", channel: "channel", contract: "token" };
    const nodes = LABELS.map(([, node], index) => ({
      ...{
        id: `n${index}`,
        z: "tab",
        x: 200 + 300 * (index % 3),
        y: 60 + 60 * Math.floor(index / 3),
        wires: [],
      },
      ...{ consumer: `n${index}`, ...config, ...node },
    }));
    const calls = [
      call("token", "transfer(address,uint256)", value(RECEIVER), value("1")),
      { kind: "raw", to: value(RECEIVER) },
    ];
    const submit = submitNode({ calls, contract1: "token", mode: "draft" });
    await editor().openWith([
      TAB,
      connectionNode(ready),
      channelNode({ name: "quickstart" }),
      contractNode(ready, { id: "token", name: "demo token", abi: ABI }),
      ...nodes,
      { z: "tab", x: 300, y: 500, wires: [[], []], ...submit },
    ]);
    const drawn = async (id: string) =>
      String(await editor().page.locator(`[id="${id}"] .red-ui-flow-node-label`).first().textContent());
    const found = await Promise.all(nodes.map(({ id }) => drawn(id)));
    should(found).deepEqual(LABELS.map(([label]) => label));
    should(await drawn("submit")).equal("draft: transfer on demo token +1");

    const form: Form = await editor().form("token");
    await form.fill("name", "gold");
    await form.done();
    should(await drawn("submit")).equal("draft: transfer on gold +1");
    should(await drawn("n8")).equal("Transfer of gold");
  });
});
