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
    await form.fill("contract", "nowhere");
    await warning.waitFor();
    await form.fill("address", String(ready.contracts.DemoToken));
    await warning.waitFor({ state: "hidden" });
    await form.cancel();
  });
});
