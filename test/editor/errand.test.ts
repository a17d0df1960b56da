import should from "should";
import { useEditor } from "../support/editor.ts";
import { channelNode, connectionNode, contractNode } from "../support/nodes.ts";

const ABI = "function balanceOf(address account) view returns (uint256)";

/** What a person does who has a channel and a contract already, with a mouse and without a guide. */
describe("a balance that is read every minute", function () {
  this.timeout(120_000);
  const editor = useEditor();

  it("takes three nodes and an address", async () => {
    const { service, inPage } = editor();
    const token = { name: "demo token", abi: ABI, decimals: "18" };
    await editor().openWith([
      { id: "tab", type: "tab", label: "flow" },
      connectionNode(service.ready),
      channelNode({ createMissing: true }),
      contractNode(service.ready, token),
    ]);
    const inject = await editor().drag("inject", { x: 120, y: 100 });
    const query = await editor().drag("crec-run-query", { x: 380, y: 100 });
    const debug = await editor().drag("debug", { x: 680, y: 100 });
    await editor().wire(inject, query);
    await editor().wire(query, debug);

    const every = await editor().formByDoubleClick(inject);
    await every.root.locator("#inject-time-type-select").selectOption({ label: "interval" });
    await every.root.locator("#inject-time-interval-units").selectOption({ label: "minutes" });
    await every.done();
    const form = await editor().formByDoubleClick(query);
    // The form of a token begins with its balances.
    await form.fillLabelled(/^account \(/, String(service.ready.contracts.Counter));
    await form.done();
    should((await inPage.nodes()).filter(({ valid }) => !valid)).be.empty();

    await editor().deploy();
    await editor().page.locator(`[id="${inject}"] .red-ui-flow-node-button-button`).click();
    // In tokens: the form has chosen that, too.
    await editor().nodeRed.showing("debug 1", (value) => value === "0");
    should((await inPage.stored(query)).values.resultUnit).equal("token");
  });
});
