import { useEditor } from "../support/editor.ts";
import { channelNode, connectionNode, contractNode } from "../support/nodes.ts";
import { call, queryNode, REGISTRY_ABI, value } from "../support/operation-nodes.ts";

const HASH = `0x${"5e".repeat(32)}`;

describe("a field for bytes", function () {
  this.timeout(120_000);
  const editor = useEditor();

  it("says whether its value is text or hex, and what is wrong", async () => {
    const { ready } = editor().service;
    const query = queryNode({ contract: "registry", call: call("", "latest(bytes32)", value("hello")) });
    await editor().openWith([
      { id: "tab", type: "tab", label: "flow" },
      ...[connectionNode(ready), channelNode({ createMissing: true })],
      contractNode(ready, { id: "registry", name: "registry", abi: REGISTRY_ABI }),
      { z: "tab", x: 300, y: 100, wires: [[], []], ...query },
    ]);
    const form = await editor().form("query");
    const says = (text: string | RegExp) => form.root.getByText(text).filter({ visible: true }).waitFor();
    await says("text of up to 32 bytes, or hex: 0x and 64 digits");
    await says(/^text: 5 bytes, 0x68656c6c6f0000000000…$/);
    await form.fillLabelled(/^sensorId \(/, "🚀");
    await says(/^text: 4 bytes, 0xf09f9a80000000000000…$/);
    await form.fillLabelled(/^sensorId \(/, HASH);
    await says(/^hex: 32 bytes$/);
    await form.fillLabelled(/^sensorId \(/, "x".repeat(33));
    await says(/^sensorId has room for 32 bytes, but the text has 33\./);
    await form.fillLabelled(/^sensorId \(/, HASH.slice(2));
    await says(/If these are hex digits, put 0x in front of them\.$/);
    await form.cancel();
  });
});
