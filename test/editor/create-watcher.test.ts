import should from "should";
import { CrecClient } from "../../src/index.ts";
import { useEditor } from "../support/editor.ts";
import { channelNode, connectionNode, contractNode, createWatcherNode } from "../support/nodes.ts";

const NOBODY = `0x${"12".repeat(20)}`;

describe("the form of create watcher", function () {
  this.timeout(120_000);
  const editor = useEditor();

  it("says that there is no contract at the address that a person chooses", async () => {
    const { ready } = editor().service;
    const client = new CrecClient({ baseUrl: ready.base_url, apiKey: ready.api_key });
    await client.channels.createOrFind({ name: "harness" });
    await client.close();
    await editor().openWith([
      { id: "tab", type: "tab", label: "flow" },
      connectionNode(ready),
      channelNode(),
      contractNode(ready),
      contractNode(ready, { id: "nowhere", name: "nowhere", address: NOBODY }),
      { z: "tab", x: 300, y: 100, wires: [[], []], ...createWatcherNode() },
    ]);
    const form = await editor().form("watcher");
    const warning = form.root.getByText(/^There is no contract at this address on .*never send an event\.$/);
    for (const [name, example] of [
      ["watcherName", "token-transfers"],
      ["events", "Transfer, Approval"],
    ] as const) {
      should(await form.box(name).getAttribute("placeholder")).equal(example);
    }
    await form.fill("contract", "nowhere");
    await warning.waitFor();
    await form.fill("address", String(ready.contracts.DemoToken));
    await warning.waitFor({ state: "hidden" });
    await form.cancel();
  });

  it("has the person choose between events with one signature", async () => {
    const { ready } = editor().service;
    const abi = "event Level(int256 indexed x)\nevent Level(int256 x)\nevent Closed()";
    await editor().openWith([
      { id: "tab", type: "tab", label: "flow" },
      connectionNode(ready),
      channelNode(),
      contractNode(ready, { abi }),
      { z: "tab", x: 300, y: 100, wires: [[], []], ...createWatcherNode({ events: "Level" }) },
    ]);
    const form = await editor().form("watcher");
    const problem = form.root.getByText("The ABI has several events Level. Tick the one of the contract.");
    await problem.waitFor();
    await form.root.getByLabel("Level(int256 indexed x)").click();
    await form.root.getByLabel("Level(int256 indexed x)").check();
    await problem.waitFor({ state: "hidden" });
    await form.done();
    const { values: stored } = await editor().inPage.stored("watcher");
    should(stored).have.property("events", "Level(int256 indexed x)");
  });

  it("offers the events of an extension by name, each with what it means, and the contract that emits it", async () => {
    const { ready } = editor().service;
    await editor().openWith([
      { id: "tab", type: "tab", label: "flow" },
      connectionNode(ready),
      channelNode(),
      { z: "tab", x: 300, y: 100, wires: [[], []], ...createWatcherNode({ events: "", contract: "" }) },
    ]);
    const form = await editor().form("watcher");
    const tick = (name: string) => form.root.getByLabel(new RegExp(`^${name}: `));
    await form.fill("source", "extension");
    await tick("SettlementOpened").check();
    await form.root.getByText("Emitted by the contract CCIPDVPCoordinator.").waitFor();
    await form.fill("extension", "dta.v2");
    await form.root.getByText("This extension has no event SettlementOpened.").waitFor();
    await form.fill("events", "");
    await tick("SubscriptionRequested").check();
    await tick("OwnershipTransferred").check();
    await form.root.getByText("Emitted by the contract DTARequestManagement.").waitFor();
    await tick("DTASettlementOpened").check();
    await form.root.getByText(/^These events come from several contracts: .*one watcher for each/).waitFor();
    await tick("DTASettlementOpened").uncheck();
    await form.fill("chainSelector", ready.chain_selector);
    await form.fill("address", String(ready.contracts.DemoDta));
    await form.done();
    const { valid, values: stored } = await editor().inPage.stored("watcher");
    should(valid).be.true();
    should(stored).containDeep({
      source: "extension",
      extension: "dta.v2",
      events: "SubscriptionRequested, OwnershipTransferred",
    });
  });
});
