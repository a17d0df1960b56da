import should from "should";
import { useEditor } from "../support/editor.ts";
import { channelNode, connectionNode, contractNode, TRANSFER_ABI } from "../support/nodes.ts";
import { call, signerNode, submitNode, TOKEN_ABI, value, walletNode } from "../support/operation-nodes.ts";

const WALLET = "0x1111111111111111111111111111111111111111";
const ELSEWHERE = "0x2222222222222222222222222222222222222222";

describe("a field for an address", function () {
  this.timeout(120_000);
  const editor = useEditor();

  before(async () => {
    const { ready } = editor().service;
    const place = { z: "tab", x: 300, wires: [[], []] };
    await editor().openWith([
      { id: "tab", type: "tab", label: "flow" },
      connectionNode(ready),
      channelNode({ createMissing: true }),
      signerNode(`0x${"1".repeat(64)}`, { name: "pen" }),
      walletNode(ready, { name: "purse", wallet: WALLET }),
      contractNode(ready, { id: "token", name: "demo token", abi: TOKEN_ABI }),
      contractNode(ready, { id: "far", name: "far away", address: ELSEWHERE, chainSelector: "1" }),
      {
        ...{ ...place, y: 100, contract1: "token" },
        ...submitNode({ calls: [call("token", "transfer(address,uint256)", value(""), value("1"))] }),
      },
      { ...place, id: "reader", type: "crec-events-in", y: 200, channel: "channel", address: "" },
    ]);
  });

  const offered = async () => {
    const lines = editor().page.locator(".red-ui-autoComplete-container a");
    await lines.first().waitFor();
    return (await lines.allTextContents()).join("\n");
  };
  const pick = (name: string) =>
    editor().page.locator(".red-ui-autoComplete-container a", { hasText: name }).click();

  it("offers contracts, wallets and signers by name, and takes the address", async () => {
    const form = await editor().form("submit");
    const { page } = editor();
    // A single call is open already.
    const folded = page.locator("#crec-submit-operation-calls button[aria-expanded=false]");
    if ((await folded.count()) > 0) await folded.first().click();
    const to = form.root.locator("[id$=-arg0] + div .red-ui-typedInput-input");
    await to.click();
    const list = await offered();
    for (const name of ["demo token", "purse", "pen"]) should(list).containEql(name);
    // A long line is cut at its end, and recent addresses differ only in the address.
    should(list).match(/0x\w{4}…\w{4} · signer/);
    // A contract of another network is no use here.
    should(list).not.containEql("far away");
    await pick("purse");
    should(await to.inputValue()).equal(WALLET);
    // Its name is shown below, with a button that copies the address.
    await form.root
      .locator("[id*=-arg0-hint]")
      .getByText(/^purse/)
      .waitFor();
    await form.root
      .getByText(/40 hex digits; or type the name of a wallet or contract/)
      .first()
      .waitFor();
    await form.root.getByRole("button", { name: "Copy the address" }).first().click();
    await form.root.getByText("Copied.").waitFor();
    await form.cancel();
  });

  it("opens its list upwards near the lower edge, and never over the box", async () => {
    const { page } = editor();
    const usual = page.viewportSize() ?? { width: 1500, height: 1200 };
    const form = await editor().form("reader");
    const [box, list] = [form.box("address"), page.locator(".red-ui-popover-panel:visible")];
    const opened = async () => {
      await box.click();
      await list.locator("a").first().waitFor();
      const places = [await box.boundingBox(), await list.boundingBox()];
      await page.keyboard.press("Escape");
      await list.waitFor({ state: "detached" });
      return places.map((place) => ({ top: place?.y ?? 0, bottom: (place?.y ?? 0) + (place?.height ?? 0) }));
    };
    const [its, below] = await opened();
    should(below?.top).be.aboveOrEqual(its?.bottom ?? 0);
    await page.setViewportSize({ width: usual.width, height: Math.round((its?.bottom ?? 0) + 110) });
    try {
      await box.scrollIntoViewIfNeeded();
      const [at, above] = await opened();
      should(above?.bottom).be.belowOrEqual((at?.top ?? 0) + 1);
      should(above?.top).be.aboveOrEqual(0);
    } finally {
      await page.setViewportSize(usual);
    }
    await form.cancel();
  });

  it("offers them in a list of addresses too, also those of no deployed node", async () => {
    const { page, inPage } = editor();
    await page.evaluate((abi) => {
      type Red = { nodes: { add(node: object): void; getType(type: string): object } };
      const { RED } = globalThis as unknown as { RED: Red };
      const address = "0x3333333333333333333333333333333333333333";
      const node = { id: "new", type: "crec-contract", name: "brand new", chainSelector: "1", address, abi };
      RED.nodes.add({ ...node, _def: RED.nodes.getType("crec-contract"), users: [] });
    }, TRANSFER_ABI);
    const form = await editor().form("reader");
    await form.box("address").pressSequentially("brand");
    should(await offered()).containEql("brand new");
    await pick("brand new");
    should(await form.box("address").inputValue()).equal(`0x${"3".repeat(40)}`);
    await form.cancel();
    await inPage.undoAll();
  });
});
