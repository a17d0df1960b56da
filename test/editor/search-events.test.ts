import should from "should";
import { useEditor } from "../support/editor.ts";
import { Form } from "../support/editor-form.ts";
import { eventually } from "../support/eventually.ts";
import type { FlowNode } from "../support/node-red.ts";
import { channelNode, connectionNode, contractNode } from "../support/nodes.ts";

/** The conditions of search events, in a real browser. */
describe("the form of search events", function () {
  this.timeout(120_000);
  const editor = useEditor();
  const LARGE = {
    kind: "field",
    field: "params.value",
    is: "above",
    value: "100",
    type: "str",
    unit: "token",
  };
  const search = (properties: Partial<FlowNode> = {}): FlowNode => ({
    ...{ id: "search", type: "crec-search-events", z: "tab", x: 300, y: 100, wires: [[]] },
    ...{ channel: "channel", contract: "contract", types: ["watcher.event"], limit: "1000", verify: true },
    ...properties,
  });
  const opened = (id: string) => editor().form(id);
  const stored = (id = "search") => editor().inPage.stored(id);

  before(async () => {
    const { ready } = editor().service;
    await editor().openWith([
      { id: "tab", type: "tab", label: "flow" },
      connectionNode(ready),
      channelNode({ createMissing: true }),
      contractNode(ready, { name: "demo token", decimals: "18" }),
      search(),
      search({ id: "filtered", match: "any", conditions: [LARGE], y: 200 }),
      search({ id: "wrong", conditions: [{ ...LARGE, value: "many" }], y: 300 }),
      search({ id: "empty", conditions: [{ ...LARGE, value: "" }], y: 400 }),
    ]);
  });

  afterEach(() => editor().inPage.undoAll());

  it("starts without a condition, and stores what a person adds", async () => {
    const form = await opened("search");
    should(await form.root.getByLabel("condition 1: field").count()).equal(0);
    await form.root.getByRole("button", { name: "Add a condition" }).click();
    // The fields are known when the contract has been read: a row that was touched before stays as it is.
    const chosen = form.root.getByLabel("condition 1: field").locator("option:checked");
    await eventually("a field in the row", async () => (await chosen.textContent())?.startsWith("value"));
    await form.root.getByLabel("condition 1: comparison").selectOption({ label: "is above" });
    await form.fillLabelled("condition 1: value", "100");
    await form.fill("match", "any");
    await form.done();
    should(await stored()).match({ values: { match: "any", conditions: [LARGE] }, valid: true });
  });

  it("unfolds a stored condition without a value, and says on the header what is so now", async () => {
    await editor().inPage.edit("empty");
    const form = await Form.opened(editor().page, false, true);
    const header = form.root.locator("#crec-search-events-conditionsPart[open] > summary");
    const says = (text: string) =>
      eventually(`the header says ${text}`, async () => (await header.textContent()) === text);
    await says("Conditions · error");
    await form.fillLabelled("condition 1: value", "100");
    await header.focus();
    await says("Conditions · changed");
    await form.root.getByLabel("remove condition 1").click();
    await says("Conditions");
    await form.cancel();
  });

  it("shows stored conditions, and keeps them when the form is cancelled", async () => {
    const form = await opened("filtered");
    should(
      await form.root.getByLabel("condition 1: value").and(form.root.locator(":visible")).inputValue(),
    ).equal("100");
    await form.root.getByLabel("remove condition 1").click();
    await form.cancel();
    should(await stored("filtered")).match({ values: { conditions: [LARGE] } });
  });

  it("marks a node with a condition that cannot be right", async () => {
    const { valid, validationErrors } = await stored("wrong");
    should(valid).be.false();
    should(validationErrors.join(" ")).startWith("Condition 1: ");
  });
});
