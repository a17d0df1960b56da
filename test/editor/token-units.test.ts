import should from "should";
import { useEditor } from "../support/editor.ts";
import type { FlowNode } from "../support/node-red.ts";
import {
  channelNode,
  connectionNode,
  contractNode,
  eventsInNode,
  TRANSFER_ABI,
  verifyEventNode,
} from "../support/nodes.ts";

const NFT = "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)";
const LACKS = /^coin has no decimals, so amounts in its events come in the smallest unit only/;

/** What the forms say of a contract whose amounts have no unit. */
describe("the forms of nodes that read events", function () {
  this.timeout(120_000);
  const editor = useEditor();

  before(async () => {
    const { ready } = editor().service;
    const contract = (id: string, properties: Partial<FlowNode>) =>
      contractNode(ready, { id, name: id, ...properties });
    const chosen = { contract: "coin", z: "tab", wires: [[]], y: 100 };
    await editor().openWith([
      { id: "tab", type: "tab", label: "events" },
      connectionNode(ready),
      channelNode({ createMissing: true }),
      contract("coin", { abi: TRANSFER_ABI }),
      contract("asked", { abi: "function decimals() view returns (uint8)", decimals: "18" }),
      contract("nft", { abi: NFT }),
      eventsInNode({ ...chosen, x: 100 }),
      verifyEventNode({ ...chosen, x: 300 }),
      { ...chosen, id: "search", type: "crec-search-events", channel: "channel", x: 500 },
    ]);
  });

  for (const id of ["events", "verify", "search"]) {
    it(`say that the contract of ${id} has no decimals, while it looks like a token`, async () => {
      const form = await editor().form(id);
      const said = form.root.getByText(LACKS);
      await said.waitFor();
      should(await said.count()).equal(1);
      await form.fill("contract", "nft");
      await said.waitFor({ state: "hidden" });
      await form.fill("contract", "coin");
      await said.waitFor();
      await form.fill("contract", "asked");
      await said.waitFor({ state: "hidden" });
      await form.cancel();
    });
  }

  it("say so of other contracts in the panel, and not twice of the chosen one", async () => {
    const { page } = editor();
    await page.route("**/crec/events-in/*", async (route) => {
      const report = await (await route.fetch()).json();
      const noDecimals = ["coin", "nft"].map((id) => ({ id, name: id }));
      await route.fulfill({
        json: { ...report, deployed: true, units: { noDecimals, differing: ["asked"] } },
      });
    });
    const form = await editor().form("events");
    const panel = form.root.locator("#crec-events-in-units");
    await panel.getByText(/^nft has no decimals.*Several contracts have the address of asked/).waitFor();
    await form.root.getByText(LACKS).waitFor();
    should(await form.root.getByText(LACKS).count()).equal(1);
    await form.cancel();
    await editor().stopAnswering();
  });
});
