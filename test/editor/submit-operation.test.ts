import should from "should";
import { CrecClient, checksumAddress } from "../../src/index.ts";
import { useEditor } from "../support/editor.ts";
import { PROXY, placeProxy } from "../support/forwarders.ts";
import { channelNode, connectionNode, contractNode } from "../support/nodes.ts";
import {
  call,
  queryNode,
  signerNode,
  submitNode,
  TOKEN_ABI,
  value,
  walletNode,
} from "../support/operation-nodes.ts";
import { placeSixDecimals, SIX } from "../support/six-decimals.ts";

const RECEIVER = "0x000000000000000000000000000000000000dEaD";
const WALLET = "0x1111111111111111111111111111111111111111";
/** How long the form waits for a query, and a little more. */
const QUERY_MS = 65_000;
const CALLS = "#crec-submit-operation-calls";

type EditorRed = {
  nodes: {
    node(id: string): {
      calls: unknown;
      _def: { defaults: { calls: { validate(value: unknown, options: object): boolean | string } } };
    };
  };
};

/** The form of submit operation, in a real browser. */
describe("the form of submit operation", function () {
  this.timeout(120_000);
  const editor = useEditor();
  const stored = [
    call("token", "transfer(address,uint256)", value(RECEIVER), { ...value("1.5"), ...{ unit: "token" } }),
    {
      ...{ kind: "raw", to: value(RECEIVER), data: value("") },
      amount: { ...value("0.25"), unit: "ether" },
    },
    call("vault", "deposit(uint256)", value("payload", "msg")),
  ];

  /** Loads the flow anew: nothing that the form has asked for is remembered. */
  const load = async () => {
    const { ready } = editor().service;
    const token = { id: "token", name: "demo token", abi: TOKEN_ABI, decimals: "18" };
    const six = {
      id: "six",
      name: "six decimals",
      abi: TOKEN_ABI,
      address: SIX.toLowerCase(),
      decimals: "6",
    };
    const vault = { id: "vault", name: "vault", abi: "function deposit(uint256 least) payable" };
    await editor().openWith([
      { id: "tab", type: "tab", label: "flow" },
      connectionNode(ready),
      channelNode({ createMissing: true }),
      signerNode(undefined),
      walletNode(ready, { wallet: WALLET }),
      contractNode(ready, token),
      contractNode(ready, vault),
      contractNode(ready, six),
      {
        ...{ z: "tab", x: 300, y: 100, wires: [[], []], ...submitNode({ calls: stored }) },
        ...{ contract1: "token", contract3: "vault" },
      },
      { ...queryNode({ contract: "six" }), z: "tab", x: 300, y: 200, wires: [[], []] },
    ]);
  };

  before(load);

  afterEach(() => editor().inPage.undoAll());

  /** The form, once the functions of its contracts are loaded. */
  const open = async () => {
    const form = await editor().form("submit");
    for (const number of [1, 3]) {
      await item(number).locator("[id$=-arg0]").waitFor({ state: "attached" });
    }
    return form;
  };
  const kept = async () => (await editor().inPage.stored("submit")).values;
  const item = (number: number) =>
    editor()
      .page.locator(`${CALLS} ol > li`)
      .nth(number - 1);
  const press = (name: string | RegExp) => editor().page.getByRole("button", { name, exact: true }).click();
  const titles = async () => {
    const lines = await editor().page.locator(`${CALLS} button[aria-expanded]`).allTextContents();
    return lines.map((line) => line.trim());
  };

  it("shows each call in one line, folded until it is opened, also one whose value is missing or is 1", async () => {
    const form = await open();
    should(await titles()).deepEqual([
      "1. transfer(0x0000…dEaD, 1.5 tokens) on demo token",
      "2. send 0.25 ether to 0x0000…dEaD",
      "3. deposit(msg.payload) on vault",
    ]);
    const kind = item(1).getByLabel("Call type", { exact: true });
    should(await kind.isVisible()).be.false();
    await press(/^1\. transfer/);
    should(await kind.isVisible()).be.true();
    await form.fillLabelled(/^value \(/, "");
    should((await titles())[0]).equal("1. transfer(0x0000…dEaD, …) on demo token");
    await form.fillLabelled(/^value \(/, "1");
    should((await titles())[0]).equal("1. transfer(0x0000…dEaD, 1 token) on demo token");
    await form.cancel();
  });

  it("keeps the calls as they are, also while the type of one is changed", async () => {
    const form = await open();
    await press(/^1\. transfer/);
    const kind = item(1).getByLabel("Call type", { exact: true });
    await kind.selectOption("raw");
    should((await titles())[0]).equal("1. new call");
    await kind.selectOption("contract");
    await item(1).getByText("= 1500000000000000000 of the smallest unit").waitFor();
    await form.done();
    should((await kept()).calls).deepEqual(stored);
  });

  it("reorders calls by keyboard, and removes them", async () => {
    const form = await open();
    const { page } = editor();
    await page.getByRole("button", { name: "move call 3 up" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    should((await titles())[0]).match(/^1\. deposit/);
    // The button is disabled now, so the other one has focus.
    const focused = page.locator("button:focus");
    should(await focused.getAttribute("aria-label")).equal("move call 1 down");
    await press("remove call 3");
    await form.done();
    should((await kept()).calls).deepEqual([stored[2], stored[0]]);
    should(await kept()).have.properties({ contract1: "vault", contract2: "token", contract3: "" });
  });

  it("reorders calls by dragging", async () => {
    const form = await open();
    const handle = (number: number) => item(number).locator(".crec-submit-operation-handle");
    const [from, to] = [await handle(1).boundingBox(), await handle(2).boundingBox()];
    if (!from || !to) throw new Error("There is no handle to drag.");
    const { mouse } = editor().page;
    await mouse.move(from.x + 5, from.y + 5);
    await mouse.down();
    await mouse.move(to.x + 5, to.y + to.height + 10, { steps: 8 });
    await mouse.up();
    should((await titles()).map((title) => title.slice(0, 11))).deepEqual([
      ...["1. send 0.2", "2. transfer", "3. deposit("],
    ]);
    await form.done();
    should((await kept()).calls).deepEqual([stored[1], stored[0], stored[2]]);
    should(await kept()).have.properties({ contract1: "", contract2: "token", contract3: "vault" });
  });

  it("offers a value only for payable functions, and says whose decimals count and where they are too many", async () => {
    const form = await open();
    await press(/^1\. transfer/);
    await press(/^3\. deposit/);
    should(
      await item(1)
        .locator("label", { hasText: /^Value$/ })
        .isVisible(),
    ).be.false();
    const said = item(1).getByText(/the decimals of a contract with this address/);
    should(await said.isVisible()).be.false();
    await item(1).getByRole("textbox", { name: "At another address" }).fill(WALLET);
    await said.waitFor();
    await item(1).getByLabel("unit of value").selectOption("");
    await said.waitFor({ state: "hidden" });
    await item(1).getByLabel("unit of value").selectOption("token");
    await said.waitFor();
    // The decimals of a contract with this address count, whatever the chosen one has.
    await item(1).getByRole("textbox", { name: "At another address" }).fill(SIX);
    await said.waitFor({ state: "hidden" });
    await item(1).getByText("= 1500000 of the smallest unit").waitFor();
    const amount = item(3).getByRole("textbox", { name: "Value", exact: true });
    const unit = item(3).getByLabel("unit of the value sent");
    const tooFine = item(3).getByText("Gwei has at most 9 decimal places");
    await unit.selectOption("gwei");
    await amount.fill("0.0000000001");
    await tooFine.waitFor();
    await unit.selectOption("ether");
    await tooFine.waitFor({ state: "hidden" });
    await form.done();
    const { valid, values } = await editor().inPage.stored("submit");
    should((values.calls as unknown[])[2]).have.property("amount", {
      ...{ value: "0.0000000001", type: "str", unit: "ether" },
    });
    should(valid).be.true();
  });

  it("explains the status to wait for, and hides it for a draft", async () => {
    const form = await open();
    const explained = editor().page.locator("#node-input-waitFor-hint");
    should(await explained.textContent()).match(/Some networks offer no higher level/);
    await form.fill("waitFor", "confirmed");
    should(await explained.textContent()).match(/^The operation is final/);
    await form.fill("mode", "draft");
    await editor().page.getByText("Nothing is signed yet.").waitFor();
    for (const name of ["waitFor", "timeout", "follow"]) {
      should(await form.field(name).isVisible()).be.false();
    }
    await form.done();
    should(await kept()).have.properties({ mode: "draft", waitFor: "confirmed" });
  });

  it("says where the signer may take longer than the operation lasts", async () => {
    const signer = { kind: "fireblocks", timeout: "1800" };
    await editor().page.evaluate((settings) => {
      const { RED } = globalThis as unknown as { RED: EditorRed };
      Object.assign(RED.nodes.node("signer"), settings);
    }, signer);
    const form = await open();
    const said = editor().page.getByText("The signer may take 30 minutes, but the operation expires after");
    await form.fill("deadline", "15");
    should(await said.textContent()).match(/after 15 minutes\.$/);
    for (const [name, fine] of [
      ["deadline", "30"],
      ["deadline", "0"],
      ["deadline", "${MINUTES}"],
      ["mode", "draft"],
    ] as const) {
      await form.fill(name, fine);
      await said.waitFor({ state: "hidden" });
      if (name === "deadline") await form.fill("deadline", "29");
      if (name === "deadline") await said.waitFor();
    }
    await form.cancel();
  });

  it("previews the calls in the form, and says when the form has changed since", async () => {
    const form = await open();
    const preview = editor().page.locator("#crec-submit-operation-preview-result");
    await press("Preview");
    await preview.getByText("1.5 tokens (1500000000000000000 in the smallest unit)").waitFor();
    await preview.getByText(/There is no digest yet.*msg\.payload/).waitFor();
    await press("remove call 3");
    await preview.getByText("The form was changed. Press Preview again.").waitFor();
    await press("Preview");
    await preview.getByText(/^0x[0-9a-f]{64}$/).waitFor();
    await preview.getByText(WALLET).waitFor();
    should(await preview.textContent()).match(/Example digest\s*0x.*Chain id\s*31337/s);
    await form.cancel();
  });

  it("keeps the preview while the form itself still fills in the fields of the functions", async () => {
    await load();
    const { page } = editor();
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route("**/crec/abi/functions", async (route) => {
      await held;
      await route.continue();
    });
    await editor().form("submit");
    const preview = page.locator("#crec-submit-operation-preview-result");
    await press("Preview");
    await preview.getByText("There is no digest yet").waitFor();
    letGo();
    await item(1).getByText("= 1500000000000000000 of the smallest unit").waitFor({ state: "attached" });
    should(await preview.textContent()).match(/There is no digest yet/);
  });

  it("warns in the preview of a call to an address without a contract, and of tokens that it would receive", async () => {
    const { ready } = editor().service;
    const client = new CrecClient({ baseUrl: ready.base_url, apiKey: ready.api_key });
    await client.channels.createOrFind({ name: "harness" });
    await client.close();
    const form = await open();
    const preview = editor().page.locator("#crec-submit-operation-preview-result");
    const warnings = preview.getByText(/^There is no contract at this address on /);
    await press(/^1\. transfer/);
    const elsewhere = item(1).locator("[id$=-address] + div .red-ui-typedInput-input");
    // A contract node knows its decimals, and the chain has nothing there.
    await elsewhere.fill(SIX);
    await elsewhere.blur();
    await form.fillLabelled(/^to \(/, SIX);
    await press("Preview");
    // Each address is asked by a query, which may take a minute.
    await warnings.waitFor({ timeout: QUERY_MS });
    should(await warnings.count()).equal(1);
    // The tokens would go to the address that is called.
    should(await preview.getByText(/^transfer to the called contract itself/).count()).equal(1);
    // The payment of the second call needs no contract.
    should(await preview.locator("li").nth(0).textContent()).match(/There is no contract/);
    await form.cancel();
  });

  it("asks a token at another address for its decimals, and says why there are none", async () => {
    const { ready } = editor().service;
    const client = new CrecClient({ baseUrl: ready.base_url, apiKey: ready.api_key });
    await client.channels.createOrFind({ name: "harness" });
    await client.close();
    const unknown = checksumAddress(`0x${"6b".repeat(20)}`, "unknown");
    await placeSixDecimals(ready, WALLET, unknown);
    const form = await open();
    const preview = editor().page.locator("#crec-submit-operation-preview-result");
    await press(/^1\. transfer/);
    const elsewhere = item(1).locator("[id$=-address] + div .red-ui-typedInput-input");
    await placeProxy(ready, String(ready.contracts.DemoToken));
    for (const [address, says] of [
      [PROXY, /^implementation behind the proxy$/],
      [unknown, "1.5 tokens (1500000 in the smallest unit)"],
      [RECEIVER, new RegExp(`the decimals of ${RECEIVER} are not known`)],
    ] as const) {
      await elsewhere.fill(address);
      await elsewhere.blur();
      await press("Preview");
      await preview.getByText(says).waitFor({ timeout: QUERY_MS });
    }
    await form.cancel();
  });

  it("offers the time of the message for a parameter that is a point in time", async () => {
    const abi = "function report(uint64 takenAt, uint64 lifetime)";
    const { ready } = editor().service;
    await editor().openWith([
      { id: "tab", type: "tab", label: "flow" },
      connectionNode(ready),
      channelNode({ createMissing: true }),
      contractNode(ready, { id: "token", name: "sensor", abi }),
      {
        ...{ z: "tab", x: 300, y: 100, wires: [[], []] },
        ...submitNode({ calls: [call("token", "report(uint64,uint64)", value(""), value("5"))], wallet: "" }),
      },
    ]);
    const form = await editor().form("submit");
    const types = (number: number) =>
      item(1).locator(`[id$=-arg${number}] + div .red-ui-typedInput-type-select`);
    const now = editor().page.locator('.red-ui-typedInput-options:visible a[value="now"]');
    await types(1).click();
    should(await now.count()).equal(0);
    await editor().page.keyboard.press("Escape");
    await types(0).click();
    await now.click();
    await editor().page.getByText("1. report(now (seconds), 5) on sensor").waitFor();
    await form.done();
    const [stored] = (await kept()).calls as Array<{ args: object[] }>;
    should(stored?.args[0]).deepEqual({ value: "$floor($millis() / 1000)", type: "jsonata" });
    const again = await editor().form("submit");
    await item(1).locator("[id$=-arg0] + div", { hasText: "now (seconds)" }).waitFor();
    await again.cancel();
    await load();
  });

  it("counts as a user of each contract in its calls once, after Done, undo and redo", async () => {
    const { page, inPage } = editor();
    const contracts = ["token", "vault", "six"];
    /** The ids of the users of each contract, and those that the fields of the nodes name. */
    const users = () => page.evaluate(usersOf, contracts);
    const inStep = async (step: string) => {
      const { counted, named } = await users();
      should(counted).deepEqual(named, `after ${step}`);
    };
    const contractOf = (number: number) => item(number).getByLabel("Contract", { exact: true });
    const undo = () => page.evaluate("RED.history.pop()");
    const redo = () => page.evaluate("RED.history.redo()");

    await inStep("loading");
    const form = await open();
    await press(/^3\. deposit/);
    await contractOf(3).selectOption("token");
    await form.done();
    should((await users()).named).deepEqual({ token: ["submit"], vault: [], six: ["query"] });
    await inStep("a contract in two calls");

    const again = await editor().form("submit");
    await press(/^1\. transfer/);
    await item(1).getByRole("button", { name: "add a contract" }).click();
    const adding = await editor().formOnTop();
    const added = String(await page.evaluate("RED.editor.getEditStack().at(-1).id"));
    await adding.fill("name", "added here");
    await adding.fill("address", RECEIVER);
    await adding.fill("abi", "function transfer(address to, uint256 value)");
    await adding.done();
    await press(/^3\. /);
    await contractOf(3).selectOption("six");
    await again.done();
    contracts.push(added);
    should((await users()).named).deepEqual({
      ...{ token: [], vault: [], six: ["query", "submit"] },
      [added]: ["submit"],
    });
    await inStep("a contract added in the form");

    for (const [step, back] of [
      ["undo", undo],
      ["redo", redo],
      ["the second undo", undo],
      ["the second redo", redo],
    ] as const) {
      await back();
      await inStep(step);
    }
    should((await kept()).calls).matchAny((one: { contract?: string }) => one.contract === added);
    await undo();
    await inStep("undo of the second Done");
    // What the form has added.
    await undo();
    contracts.pop();
    await undo();
    await inStep("undo of both");
    should((await users()).named).deepEqual({ token: ["submit"], vault: ["submit"], six: ["query"] });
    for (let steps = 0; steps < 3; steps += 1) await redo();
    contracts.push(added);
    await inStep("redo of all");

    const contract = await editor().form(added);
    await contract.root.page().getByRole("button", { name: "Delete" }).click();
    await contract.root.waitFor({ state: "detached" });
    const flagged = (await inPage.nodes()).find(({ id }) => id === "submit");
    should(flagged?.validationErrors.join()).match(/contract/i);
    should(flagged?.valid).be.false();
  });

  it("says that the preview is outdated when a pencil has changed the contract, wallet or connection", async () => {
    const form = await open();
    const preview = editor().page.locator("#crec-submit-operation-preview-result");
    const stale = preview.getByText("The form was changed. Press Preview again.");
    await press("remove call 3");
    const ask = async () => {
      await press("Preview");
      await preview.getByText(/^0x[0-9a-f]{64}$/).waitFor();
    };
    await ask();
    await press(/^1\. transfer/);
    await item(1).getByRole("button", { name: "edit the contract" }).click();
    const contract = await editor().formOnTop();
    await contract.fill("decimals", "6");
    await contract.done();
    await stale.waitFor();
    await ask();
    await preview.getByText("1.5 tokens (1500000 in the smallest unit)").waitFor();

    await form.root.locator("#node-input-btn-wallet-edit").click();
    const wallet = await editor().formOnTop();
    await wallet.root.locator("#node-config-input-btn-connection-edit").click();
    const connection = await editor().formOnTop();
    await connection.fill("timeout", "11");
    await connection.done();
    await wallet.cancel();
    await stale.waitFor();
    await form.cancel();
  });

  it("validates the calls as the form shows them now", async () => {
    const form = await open();
    const judged = () =>
      editor().page.evaluate(() => {
        const { RED } = globalThis as unknown as { RED: EditorRed };
        const node = RED.nodes.node("submit");
        return node._def.defaults.calls.validate.call(node, node.calls, {});
      });
    should(await judged()).be.true();
    for (const number of [3, 2, 1]) await press(`remove call ${number}`);
    should(await judged()).equal("Add at least one call.");
    await form.fill("source", "message");
    should(await judged()).be.true();
    await form.cancel();
    should(await judged()).be.true();
  });
});

type Used = { id: string; users: Array<{ id: string }> };
type Contracts = { counted: Record<string, string[]>; named: Record<string, string[]> };

/** Runs in the page. */
function usersOf(contracts: readonly string[]): Contracts {
  const { RED } = globalThis as unknown as {
    RED: {
      nodes: {
        node(id: string): Used;
        eachNode(
          visit: (
            node: Record<string, unknown> & {
              id: string;
              _def: { defaults: Record<string, { type?: string }> };
            },
          ) => void,
        ): void;
      };
    };
  };
  const found: Contracts = { counted: {}, named: {} };
  for (const contract of contracts) {
    found.counted[contract] = RED.nodes
      .node(contract)
      .users.map(({ id }) => id)
      .sort();
    const named: string[] = [];
    RED.nodes.eachNode((node) => {
      const fields = Object.entries(node._def.defaults).filter(([, { type }]) => type === "crec-contract");
      if (fields.some(([name]) => node[name] === contract)) named.push(node.id);
    });
    found.named[contract] = named.sort();
  }
  return found;
}
