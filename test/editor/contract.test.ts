import should from "should";
import { DEMO_ABIS, STANDARD_ABIS } from "../../nodes/contract/known-abis.ts";
import { CrecClient } from "../../src/index.ts";
import { type Editor, useEditor } from "../support/editor.ts";
import type { Form } from "../support/editor-form.ts";
import { channelNode, connectionNode, contractNode } from "../support/nodes.ts";
import { rpc } from "../support/six-decimals.ts";

const ODD = `0x${"25".repeat(20)}`;
const NOBODY = `0x${"12".repeat(20)}`;

/** A contract for each test, by its id: the editor is loaded once. */
const CONTRACTS: Readonly<Record<string, object>> = {
  standard: { abi: "" },
  local: { abi: "", address: "" },
  several: { abi: "" },
  odd: { address: ODD },
  read: {},
  copied: { address: NOBODY },
  absent: { address: NOBODY },
  unconnected: { connection: "" },
  moved: {},
  "no-network": { chainSelector: "" },
};

async function openWith(editor: Editor, contracts: Readonly<Record<string, object>>): Promise<void> {
  const { ready } = editor.service;
  const client = new CrecClient({ baseUrl: ready.base_url, apiKey: ready.api_key });
  await client.channels.createOrFind({ name: "harness" });
  await client.close();
  const nodes = Object.entries(contracts).map(([id, properties]) =>
    contractNode(ready, { id, name: "", connection: "connection", ...properties }),
  );
  await editor.openWith([connectionNode(ready), channelNode(), ...nodes]);
}

describe("the form of a contract", function () {
  this.timeout(120_000);
  const editor = useEditor();

  before(() => openWith(editor(), CONTRACTS));

  const open = (id: string): Promise<Form> => editor().form(id);
  const press = (form: Form, name: string) => form.root.getByRole("button", { name, exact: true }).click();
  const said = (form: Form, text: RegExp) =>
    form.root.locator("#crec-contract-read-result").getByText(text).waitFor();

  it("takes the ABI of a standard, and asks before it replaces what was typed", async () => {
    const form = await open("standard");
    await press(form, "ERC-20");
    should(await form.shows("abi")).equal(STANDARD_ABIS["ERC-20"]);
    // What a button filled in needs no question.
    await press(form, "ERC-721");
    should(await form.shows("abi")).equal(STANDARD_ABIS["ERC-721"]);
    await form.root.getByText("functions: 12 · events: 3").waitFor();
    await form.fill("abi", "event Mine(uint256 value)");
    await press(form, "counter");
    const dialog = editor().page.getByRole("dialog", { name: "Replace the ABI?" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    should(await form.shows("abi")).equal("event Mine(uint256 value)");
    await press(form, "counter");
    await dialog.getByRole("button", { name: "Replace" }).click();
    should(await form.shows("abi")).match(/event Incremented/);
    await form.cancel();
  });

  it("takes name, address and ABI of a local contract, but leaves what was typed", async () => {
    const form = await open("local");
    const shown = async () => {
      const [name, address, abi] = await Promise.all(
        ["name", "address", "abi"].map((one) => form.shows(one)),
      );
      return { name, address, abi };
    };
    await press(form, "guarded token");
    should(await shown()).deepEqual({
      ...{ name: "guarded token", address: "${CREC_GUARDED_TOKEN_ADDRESS}", abi: DEMO_ABIS.guarded },
    });
    await press(form, "demo token");
    should(await shown()).deepEqual({
      ...{ name: "demo token", address: "${CREC_TOKEN_ADDRESS}", abi: DEMO_ABIS.token },
    });
    await form.fill("name", "mine");
    await form.fill("address", NOBODY);
    await press(form, "counter");
    should(await shown()).deepEqual({ name: "mine", address: NOBODY, abi: DEMO_ABIS.counter });
    await press(form, "ERC-20");
    should(await shown()).have.properties({ name: "mine", address: NOBODY });
    await form.cancel();
  });

  it("offers the ABIs of a text with several, and names what of one cannot be used", async () => {
    const form = await open("several");
    const item = (name: string, type = "uint256") => ({ type: "event", name, inputs: [{ name: "a", type }] });
    const build = {
      output: {
        contracts: {
          "Token.sol": {
            Token: { abi: [item("Moved"), item("Odd", "Lib.E")] },
            Vault: { abi: [item("Filled")] },
          },
        },
      },
    };
    await form.fill("abi", JSON.stringify(build));
    await form.root.getByText("There are several ABIs: Token, Vault.").waitFor();
    const choice = form.root.getByRole("combobox", { name: "Use ABI of" });
    await choice.selectOption({ label: "Token (functions: 0 · events: 1)" });
    await form.root.getByText("functions: 0 · events: 1", { exact: true }).waitFor();
    should(JSON.parse(String(await form.shows("abi")))).have.length(1);
    should(await choice.count()).equal(0);
    await form.fill("abi", JSON.stringify(build.output.contracts["Token.sol"].Token));
    await form.root.getByText(/^Not usable: Event Odd: .*"Lib\.E"/).waitFor();
    await form.cancel();
  });

  it("leaves decimals empty that no amount can have, and says why", async () => {
    const { rpc_url } = editor().service.ready;
    await rpc(rpc_url, "anvil_setCode", ODD, "0x60ff60005260206000f3");
    await rpc(rpc_url, "anvil_mine", "0x1");
    const form = await open("odd");
    await press(form, "Read from the chain");
    await said(form, /^Contract found on .* The contract returns 255 from decimals\(\), .* empty\.$/);
    should(await form.shows("decimals")).equal("");
    await form.cancel();
  });

  it("reads decimals and symbol from the chain, and fills in what is empty", async () => {
    const form = await open("read");
    await press(form, "Read from the chain");
    await said(form, /^Contract found on .* · symbol DEMO · decimals 18\.$/);
    should(await form.shows("decimals")).equal("18");
    should(await form.shows("name")).equal("DEMO");
    await form.fill("decimals", "6");
    await press(form, "Read from the chain");
    await said(form, /The form says 6 decimals, the contract says 18\./);
    should(await form.shows("decimals")).equal("6");
    await form.cancel();
  });

  it("copies its address", async () => {
    const form = await open("copied");
    await form.root.getByRole("button", { name: "Copy the address" }).click();
    await form.root.getByText("Copied.").waitFor();
    await form.cancel();
  });

  it("says that there is no contract at the address", async () => {
    const form = await open("absent");
    await press(form, "Read from the chain");
    await said(form, /^There is no contract at this address on /);
    await form.cancel();
  });

  it("says what to do where the chain cannot be read", async () => {
    const form = await open("unconnected");
    await press(form, "Read from the chain");
    await said(form, /^Not read: .*Choose a connection first\.$/);
    await form.cancel();
  });

  it("reads another address when it closes: a warning, or the decimals", async () => {
    const { page, service } = editor();
    const wrong = await open("moved");
    await wrong.fill("address", NOBODY);
    await wrong.done();
    await page.locator(".red-ui-notification", { hasText: "There is no contract at this address" }).waitFor();
    const right = await open("moved");
    await right.fill("address", String(service.ready.contracts.DemoToken));
    await right.done();
    await page.locator(".red-ui-notification", { hasText: "18 decimals, read from the chain." }).waitFor();
    const { values } = await editor().inPage.stored("moved");
    should(values).have.properties({ decimals: "18" });
    // Nothing has changed: nothing is read.
    let reads = 0;
    await page.route("**/crec/contract/read", (route) => {
      reads += 1;
      return route.continue();
    });
    await (await open("moved")).done();
    should(reads).equal(0);
    await page.unroute("**/crec/contract/read");
  });

  it("takes the only network, and shows the list at a click", async () => {
    const { page, service } = editor();
    const form = await open("no-network");
    await form.settled("chainSelector", new RegExp(service.ready.chain_selector));
    await form.box("chainSelector").click();
    const list = page.locator(".red-ui-autoComplete-container a");
    await list.first().waitFor();
    // The tab key leaves the field, and what is in it.
    await page.keyboard.press("Tab");
    await list.first().waitFor({ state: "detached" });
    should(await form.shows("chainSelector")).equal(service.ready.chain_selector);
    await form.cancel();
  });
});

describe("the form of a contract whose connection was not deployed", function () {
  this.timeout(120_000);
  const editor = useEditor();

  it("reads it after a deploy", async () => {
    const { page } = editor();
    await openWith(editor(), { later: {} });
    const form = await editor().form("later");
    const problem = { problem: "Deploy, then try again.", code: "DEPLOY_FIRST" };
    // Also once after the deploy, which is answered before its flows run.
    await page.route("**/crec/contract/read", (route) => route.fulfill({ json: problem }), { times: 2 });
    const refused = page.waitForResponse("**/crec/contract/read");
    await form.fill("address", NOBODY);
    await form.done();
    await refused;
    await editor().deploy();
    await page.locator(".red-ui-notification", { hasText: "There is no contract at this address" }).waitFor();
  });
});
