import should from "should";
import { useEditor } from "../support/editor.ts";
import type { Form } from "../support/editor-form.ts";
import type { FlowNode } from "../support/node-red.ts";
import { channelNode, connectionNode, contractNode } from "../support/nodes.ts";

const SOMEONE = "0x00000000000000000000000000000000000000AA";
const OTHER = "0x1111111111111111111111111111111111111111";
const HOSTILE = "<img src=x onerror=alert(1)>";
const ABI = [
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "event Approval(address indexed owner, address indexed spender, uint256 value)",
  "event Flagged(bool done, string note, tuple(uint64 count, address by) details, uint256[] list)",
].join("\n");
const AMOUNT = {
  kind: "field",
  field: "params.value",
  is: "atLeast",
  value: "100",
  type: "str",
  unit: "token",
};

/** The form of the alert node, in a real browser. */
describe("the form of alert", function () {
  this.timeout(120_000);
  const editor = useEditor();
  const alert = (properties: Partial<FlowNode> = {}): FlowNode => ({
    ...{ id: "alert", type: "crec-alert", z: "tab", x: 300, y: 100, wires: [[], [], []] },
    ...{ channel: "channel", contract: "token", ...properties },
  });

  let flows: FlowNode[] = [];

  before(async () => {
    const { ready } = editor().service;
    const hostile = JSON.stringify([
      { type: "event", name: "Odd", inputs: [{ name: HOSTILE, type: "uint256", indexed: false }] },
    ]);
    flows = [
      { id: "tab", type: "tab", label: "flow" },
      connectionNode(ready),
      channelNode({ createMissing: true }),
      contractNode(ready, { id: "token", name: "demo token", abi: ABI, decimals: "18" }),
      contractNode(ready, { id: "plain", name: "vault", abi: "function close()", address: OTHER }),
      contractNode(ready, { id: "odd", name: "odd", abi: hostile, address: SOMEONE }),
      alert(),
      alert({
        id: "by hand",
        conditions: [
          { kind: "field", field: "params.gone.deep", is: "above", value: "5" },
          { kind: "field", field: "params.to", is: "startsWith", value: "0x00", type: "str", not: true },
          { kind: "expression", value: "payload.params.value != ''", not: true },
        ],
      }),
      alert({ id: "odd alert", contract: "odd" }),
      alert({ id: "built" }),
      // Node-RED asks before it deploys a config node that no node has.
      alert({ id: "user of plain", contract: "plain" }),
    ];
    await editor().openWith(flows);
  });

  afterEach(() => editor().inPage.undoAll());

  const open = (id = "alert") => editor().form(id);
  const kept = async (id = "alert") => (await editor().inPage.stored(id)).values;
  const choice = (label: string) => editor().page.getByLabel(label, { exact: true });
  const add = () => editor().page.getByRole("button", { name: "Add a condition" }).click();
  const shownAs = async (label: string) => {
    const option = choice(label).locator("option:checked");
    return (await option.textContent())?.trim();
  };
  const says = (form: Form, part: string, text: string | RegExp) =>
    form.root.locator(`#crec-alert-${part}`, { hasText: text }).waitFor();

  it("starts with the amount of the first event, in tokens, and reads the rule back", async () => {
    const form = await open();
    await add();
    should(await shownAs("condition 1: field")).equal("value (uint256)");
    should(await shownAs("condition 1: comparison")).equal("is at least");
    await form.fillLabelled("condition 1: value", "100");
    await form.fill("when", "count");
    await form.fill("forEach", "field");
    await form.fill("forEachField", "params.to");
    await form.fill("quiet", "1h");
    await says(
      form,
      "summary",
      "Alerts at 3 events within 10m where value is at least 100 tokens, for each to; then quiet for 1h.",
    );
    await form.done();
    should((await kept()).conditions).deepEqual([AMOUNT]);
    should((await editor().inPage.stored("alert")).valid).be.true();
  });

  it("begins each new condition with the next field of the event", async () => {
    const form = await open();
    for (let rows = 0; rows < 4; rows += 1) await add();
    const begun = await Promise.all([1, 2, 3, 4].map((number) => shownAs(`condition ${number}: field`)));
    // After those of Transfer come those of the next event.
    should(begun).deepEqual(["value (uint256)", "from (address)", "to (address)", "owner (address)"]);
    await form.cancel();
  });

  it("offers only the comparisons that fit the type of a field", async () => {
    const form = await open();
    await add();
    const offered = async (field: string) => {
      await choice("condition 1: field").selectOption({ label: field });
      return choice("condition 1: comparison").locator("option").allTextContents();
    };
    should(await offered("from (address)")).deepEqual([
      "is one of",
      "is not one of",
      "is",
      "is not",
      "exists",
      "is missing",
    ]);
    should(await offered("done (bool)")).deepEqual(["is true", "is false", "exists", "is missing"]);
    should(await offered("details.count (uint64)"))
      .containEql("is between")
      .and.not.containEql("contains");
    should(await offered("note (string)"))
      .containEql("does not contain")
      .and.not.containEql("is above");
    should(await offered("list (uint256[])"))
      .containEql("contains")
      .and.not.containEql("is between");
    // Whatever has no value shows no box for one.
    await choice("condition 1: comparison").selectOption({ label: "is missing" });
    should(await form.root.getByLabel("condition 1: value").count()).equal(0);
    await form.cancel();
  });

  it("stores what a person builds, and shows the same after a deploy", async () => {
    const form = await open("built");
    await add();
    await choice("condition 1: comparison").selectOption({ label: "is between" });
    await form.fillLabelled("condition 1: value", "1.5");
    await form.fillLabelled("condition 1: upper value", "20");
    await add();
    await choice("condition 2: field").selectOption({ label: "to (address)" });
    await choice("condition 2: comparison").selectOption({ label: "is not one of" });
    const box = form.root
      .getByLabel("condition 2: value", { exact: true })
      .and(form.root.locator(":visible"));
    // A name finds its address.
    await box.first().pressSequentially("vaul");
    await editor().page.locator(".red-ui-autoComplete-container:visible", { hasText: "vault" }).waitFor();
    await box.first().press("Tab");
    await form.root.getByText("0x1111…1111: vault").waitFor();
    await add();
    await choice("condition 3: field").selectOption({ label: "confidence" });
    await form.fillLabelled("condition 3: value", { type: "env", value: "LEVEL" });
    await add();
    await choice("condition 4: field").selectOption({ label: "JSONata expression …" });
    await form.fillLabelled("condition 4: value", "payload.params.from != payload.params.to");
    await form.fill("match", "any");
    const sentence =
      "value is between 1.5 and 20 tokens or to is not one of 0x1111…1111 or confidence is ${LEVEL} or the";
    await says(form, "summary", sentence);
    await form.done();
    const stored = [
      { ...AMOUNT, is: "between", value: "1.5", to: "20", toType: "str" },
      { kind: "field", field: "params.to", is: "oneOf", value: OTHER, type: "str", not: true },
      { kind: "field", field: "confidence", is: "equals", value: "LEVEL", type: "env" },
      { kind: "expression", value: "payload.params.from != payload.params.to" },
    ];
    should((await kept("built")).conditions).deepEqual(stored);
    await editor().deploy();
    await editor().reload();
    const again = await open("built");
    await says(again, "summary", sentence);
    should(await shownAs("condition 2: field")).equal("to (address)");
    should(await shownAs("condition 2: comparison")).equal("is not one of");
    should(await shownAs("condition 1: unit")).equal("tokens (18 decimals)");
    await again.done();
    should((await kept("built")).conditions).deepEqual(stored);
  });

  it("keeps fields, comparisons and values that were written by hand", async () => {
    const form = await open("by hand");
    should(await shownAs("condition 1: field")).equal("another field …");
    should(await choice("condition 1: path").inputValue()).equal("params.gone.deep");
    should(await shownAs("condition 1: unit")).equal("the number as it is");
    should(await shownAs("condition 2: comparison")).equal("does not start with");
    await form.fill("title", "changed");
    await form.done();
    should((await kept("by hand")).conditions).deepEqual([
      { kind: "field", field: "params.gone.deep", is: "above", value: "5", type: "str" },
      { kind: "field", field: "params.to", is: "startsWith", value: "0x00", type: "str", not: true },
      { kind: "expression", value: "payload.params.value != ''", not: true },
    ]);
  });

  it("asks for a path where a contract has no events, follows another contract, and says which of its events have the same field", async () => {
    const form = await open();
    await form.fill("contract", "plain");
    await add();
    should(await shownAs("condition 1: field")).equal("another field …");
    await form.fillLabelled("condition 1: path", "params.");
    await form.root.getByText("Enter the path of a field").waitFor();
    await form.fillLabelled("condition 1: path", "params.value");
    await form.fill("contract", "token");
    await choice("condition 1: field")
      .locator("option:checked", { hasText: "value (uint256)" })
      .waitFor({ state: "attached" });

    // Until a condition names the event.
    const hint = form.root.getByText("Approval has a field of this name, too.");
    await hint.waitFor();
    await add();
    await choice("condition 2: field").selectOption({ label: "event name" });
    await form.fillLabelled("condition 2: value", "Transfer");
    await hint.waitFor({ state: "hidden" });
    await form.cancel();
  });

  it("says what a node without conditions does", async () => {
    const form = await open("by hand");
    for (let left = 3; left > 0; left -= 1)
      await editor().page.getByRole("button", { name: "remove condition 1", exact: true }).click();
    await form.root.getByText("Without a condition every event matches.").waitFor();
    await form.done();
    should((await kept("by hand")).conditions).deepEqual([]);
  });

  it("moves and removes conditions by keyboard", async () => {
    const form = await open("by hand");
    const { page } = editor();
    await page.getByRole("button", { name: "move condition 2 up" }).focus();
    await page.keyboard.press("Enter");
    should(await shownAs("condition 1: comparison")).equal("does not start with");
    // The button is disabled now, so the other one has focus.
    should(await page.locator("button:focus").getAttribute("aria-label")).equal("move condition 1 down");
    await page.getByRole("button", { name: "remove condition 2" }).focus();
    await page.keyboard.press("Enter");
    should(await page.locator("select:focus").getAttribute("aria-label")).equal("condition 2: field");
    await form.done();
    const { conditions } = await kept("by hand");
    should((conditions as Array<{ kind: string }>).map(({ kind }) => kind)).deepEqual([
      "field",
      "expression",
    ]);
  });

  it("shows names of an ABI as text", async () => {
    const form = await open("odd alert");
    await add();
    should(await shownAs("condition 1: field")).equal(`${HOSTILE} (uint256)`);
    await says(form, "summary", HOSTILE);
    should(await form.root.locator("img[src=x]").count()).equal(0);
    await form.cancel();
  });

  it("shows what a person would read, names a field that no event has, and offers the fields to add up", async () => {
    const form = await open();
    await form.fill("text", "{{params.value}} to {{params.oops}} ({{count}})");
    await says(form, "preview", "Reads: ‹value› to ‹oops› (‹count›)");
    await says(form, "preview", "The events of the contract have no field params.oops.");
    await form.fill("text", "{{params.value}} by {{params.details.by}}");
    await says(form, "preview", /Reads: ‹value› by ‹details.by›$/);
    await form.fill("when", "sum");
    await form.box("sumField").click();
    const list = editor().page.locator(".red-ui-autoComplete-container:visible");
    await list.getByText("params.details.count").waitFor();
    should(await list.getByText("params.from").count()).equal(0);
    await form.box("sumField").press("Escape");
    await form.fill("limit", "1000");
    await says(form, "summary", "Alerts when value adds up to 1000 tokens within 10m.");
    await form.cancel();
  });

  it("opens a new node with a first condition", async () => {
    const id = await editor().drag("crec-alert", { x: 300, y: 300 });
    const form = await open(id);
    should(await form.shows("channel")).equal("channel");
    should(await choice("condition 1: field").count()).equal(1);
    await form.fill("contract", "token");
    await choice("condition 1: field")
      .locator("option:checked", { hasText: "value (uint256)" })
      .waitFor({ state: "attached" });
    await form.cancel();
  });

  it("names and marks a value that cannot be right", async () => {
    const conditions = [{ kind: "field", field: "params.value", is: "above", value: "many" }];
    await editor().openWith([...flows, alert({ id: "wrong", conditions })]);
    const { valid, validationErrors } = await editor().inPage.stored("wrong");
    should([valid, validationErrors.join(" ")]).deepEqual([false, "Condition 1: Enter a number."]);
    const form = await open("wrong");
    await form.root.getByText("Enter a number.").waitFor();
    const box = form.root.locator("[aria-invalid=true]");
    should(await box.inputValue()).equal("many");
    // The library knows the type.
    await form.fillLabelled("condition 1: value", "-1");
    await form.root.getByRole("alert").filter({ hasText: "uint256" }).waitFor();
    await form.fillLabelled("condition 1: value", "1500000000000000000");
    await form.root.getByText("= 1.5 tokens").waitFor();
    await form.done();
    should((await editor().inPage.stored("wrong")).valid).be.true();
  });

  it("says which values no event can have, and which event the contract does not have", async () => {
    const role = contractNode(editor().service.ready, {
      ...{ id: "role", name: "roles", address: SOMEONE, abi: "event Granted(bytes32 role, uint8[] levels)" },
    });
    const row = { kind: "field", type: "str" };
    const conditions = [
      { ...row, field: "params.role", is: "equals", value: "0x00" },
      { ...row, field: "params.levels", is: "contains", value: "256" },
      { ...row, field: "name", is: "equals", value: "Revoked" },
    ];
    await editor().openWith([...flows, role, alert({ id: "never", contract: "role", conditions })]);
    const form = await open("never");
    await form.root.getByRole("alert").filter({ hasText: "32 bytes, but has 1" }).waitFor();
    await form.root.getByRole("alert").filter({ hasText: "uint8" }).waitFor();
    await form.root.getByText("The contract has no event Revoked.").waitFor();
    await form.fillLabelled("condition 1: value", `0x${"00".repeat(32)}`);
    await form.root.getByRole("alert").filter({ hasText: "32 bytes" }).waitFor({ state: "detached" });
    await form.done();
  });
});
