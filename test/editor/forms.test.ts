import should from "should";
import { type Editor, useEditor } from "../support/editor.ts";
import { example, type FlowNode, idOf } from "../support/node-red.ts";
import { itWide } from "../support/wide.ts";

/** What single forms promise, tried with the quickstart. */
describe("the forms of the quickstart", function () {
  this.timeout(120_000);
  const editor = useEditor();
  let flows: FlowNode[];

  before(async () => {
    flows = await example("01-quickstart");
    await editor().openWith(flows);
  });

  it("keep every value when they are opened and closed by Done", async () => {
    const { inPage } = editor();
    for (const { id, type } of flows.filter((node) => node.type.startsWith("crec-"))) {
      const before = await inPage.stored(id);
      await (await editor().form(id)).done();
      const after = await inPage.stored(id);
      should(after.valid).equal(true, `${type}: ${after.validationErrors.join(" ")}`);
      for (const [name, value] of Object.entries(before.values)) {
        // The signer learns the address of its key, which the example cannot know. What an example was drawn
        // without gets its default.
        if ((type === "crec-signer" && name === "address") || value === undefined) continue;
        should(after.values[name]).deepEqual(value, `${type}.${name}`);
      }
    }
  });

  itWide("keep the values of a call when Done is pressed before its ABI was read", async () => {
    const { inPage, page } = editor();
    const id = idOf(flows, "crec-submit-operation");
    const { calls } = (await inPage.stored(id)).values;
    await page.route("**/crec/abi/functions", () => undefined);
    await (await editor().form(id)).done();
    await page.unroute("**/crec/abi/functions");
    should((await inPage.stored(id)).values.calls).deepEqual(calls);
  });

  itWide("empty the key when the address is edited, and say why", async () => {
    const form = await editor().form(idOf(flows, "crec-connection"));
    const [before, stored] = [String(await form.shows("baseUrl")), await form.shows("apiKey")];
    should(stored).not.equal("");
    await form.fill("baseUrl", "http://127.0.0.1:1/elsewhere");
    should(await form.shows("apiKey")).equal("");
    await form.root.getByText(/Enter the API key again/).waitFor();
    await form.fill("baseUrl", before);
    await form.root.getByText(/Enter the API key again/).waitFor({ state: "hidden" });
    should(await form.shows("apiKey")).equal(stored);
    await form.cancel();
  });

  it("test a connection with what is stored", async () => {
    const form = await editor().form(idOf(flows, "crec-connection"));
    await form.root.locator("#crec-connection-test").click();
    await form.root.getByText(/Local anvil/).waitFor();
    await form.cancel();
  });

  it("generate a key and show its address, and after that never a key again", async () => {
    const form = await editor().form(idOf(flows, "crec-signer"));
    await form.root.locator("#crec-signer-generate").click();
    // The quickstart's signer has one.
    await editor().page.getByRole("button", { name: "Replace the key" }).click();
    await form.root.getByText("A new key is filled in").waitFor();
    should(await form.shows("address")).match(/^0x[0-9a-fA-F]{40}$/);
    should(await form.field("privateKey").getAttribute("type")).equal("password");
    await form.cancel();
  });

  /** Its form, once it is connected. */
  const readerForm = async () => {
    await editor().nodeRed.press(idOf(flows, "inject", "Set up"));
    await editor().nodeRed.status(idOf(flows, "crec-create-watcher"), /active/);
    const reader = idOf(flows, "crec-events-in");
    // It looks for its channel every few seconds only.
    await editor().nodeRed.status(reader, /connected/);
    return editor().form(reader);
  };

  it("show where a reader stands", async () => {
    const form = await readerForm();
    await form.root.getByText(/connected · cursor \d+/).waitFor();
    await form.cancel();
  });

  itWide("name the unknown types of events that a reader met", async () => {
    const { page } = editor();
    await page.route("**/crec/events-in/*", async (route) => {
      const report = await (await route.fetch()).json();
      await route.fulfill({ json: { ...report, unknownTypes: ["new.kind"] } });
    });
    const form = await readerForm();
    await form.root.getByText(/event types unknown to this version: new\.kind/).waitFor();
    await form.cancel();
    await editor().stopAnswering();
  });

  itWide("say nothing of unproven confirmations where the connection can check them", async () => {
    should(await unprovenHints(editor(), flows)).equal(0);
  });
});

/** The quickstart with values that the forms comment on: each test looks at another node. */
describe("the forms of a changed quickstart", function () {
  this.timeout(120_000);
  const editor = useEditor();
  let flows: FlowNode[];

  before(async () => {
    flows = await example("01-quickstart");
    const unset = ["orgId", "tenantId", "workflowOwner", "validSigners", "minSignatures"];
    const changes: Readonly<Record<string, object>> = {
      "crec-connection": Object.fromEntries(unset.map((name) => [name, ""])),
      "crec-wallet": { configuration: '{"most": 1e400}' },
      "crec-contract": {
        abi: "event Paid((address to, uint256 value) note)\nevent Plain(uint256 value)",
      },
    };
    await editor().openWith(flows.map((node) => ({ ...node, ...changes[node.type] })));
  });

  itWide("say that confirmations are unproven where the connection cannot check them", async () => {
    should(await unprovenHints(editor(), flows)).equal(1);
  });

  itWide("refuse a wallet's configuration with a number that would be rounded", async () => {
    const { valid, validationErrors } = await editor().inPage.stored(idOf(flows, "crec-wallet"));
    should(valid).be.false();
    should(validationErrors.join(" ")).match(/would be rounded\. Write it as text/);
  });

  itWide("say that the public service may not take an event with tuples, once one is ticked", async () => {
    const form = await editor().form(idOf(flows, "crec-create-watcher"));
    const said = form.root.getByText(/^Paid: with structs \(tuples\)\. .* public service does/);
    await form.fill("events", "Plain");
    await said.waitFor({ state: "hidden" });
    await form.root.getByText(/^Paid\(.* note\)$/).click();
    await said.waitFor();
    await form.cancel();
  });
});

async function unprovenHints(editor: Editor, flows: readonly FlowNode[]): Promise<number> {
  const form = await editor.form(idOf(flows, "crec-submit-operation"));
  const count = await form.root.getByText(/marked "unproven"/).count();
  await form.cancel();
  return count;
}
