import should from "should";
import { type Editor, nodeTypes, useEditor } from "../support/editor.ts";
import { type FlowOfAll, flowOfAll } from "../support/editor-flow.ts";
import { rowOf, SECRETS } from "../support/editor-rows.ts";

describe("flows that travel", function () {
  this.timeout(120_000);
  const editor = useEditor();
  let all: FlowOfAll;
  /** All flows as they were loaded. */
  let text: string;

  before(async () => {
    all = await flowOfAll(editor());
    // A real key, where the table has one from the environment.
    const connection = all.flows.find(({ type }) => type === "crec-connection");
    if (connection) connection.credentials = { apiKey: SECRETS.apiKey };
    await editor().openWith(all.flows);
    text = await exportAll(editor());
  });

  it("carry no secret when they are exported", async () => {
    const { inPage, page } = editor();
    // Typed anew, so that the browser itself has it, too.
    const form = await editor().form(all.ids["crec-connection"] ?? "");
    await form.fill("apiKey", SECRETS.apiKey);
    await form.done();
    const fleet = await editor().form(all.ids["crec-fleet"] ?? "");
    await fleet.fill("sentinelPassword", SECRETS.password);
    await fleet.done();

    const exported = [await exportAll(editor()), await inPage.exported(Object.values(all.ids))];
    await editor().deploy();
    exported.push(await exportAll(editor()), await inPage.completeFlow());
    exported.push(await (await editor().nodeRed.fetch("flows")).text());
    for (const text of exported) {
      for (const type of nodeTypes) should(text).containEql(`"${type}"`);
      for (const secret of Object.values(SECRETS)) should(text).not.containEql(secret);
      for (const name of secretNames()) should(text).not.containEql(`"${name}"`);
    }
    should(await page.content()).not.containEql(SECRETS.privateKey);
  });

  it("share their config nodes with a copy, and their place with none", async () => {
    const { inPage, page } = editor();
    const before = await inPage.nodes();
    await page.locator("#red-ui-workspace-chart").click({ position: { x: 5, y: 5 } });
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Control+c");
    await page.keyboard.press("Control+v");
    await page.locator("#red-ui-workspace-chart").click({ position: { x: 300, y: 600 } });
    const copies = (await inPage.nodes()).filter(({ id }) => !before.some((node) => node.id === id));
    const drawn = nodeTypes.filter((type) => before.some((node) => node.type === type && node.z));
    should(copies.map(({ type }) => type).sort()).deepEqual(drawn.sort());
    for (const { id, type, valid } of copies) {
      should(valid).equal(true, type);
      const { values } = await inPage.stored(id);
      const { consumer, draftOf, ...rest } = (await inPage.stored(all.ids[type] ?? "")).values;
      should(values).containDeep(rest);
      // The copy of the node whose drafts it takes.
      if (draftOf !== undefined) should(copies.map((copy) => copy.id)).containEql(values.draftOf);
      if (consumer !== undefined) should(values.consumer).not.equal(consumer);
    }
  });

  describe("to an empty editor", () => {
    before(() => editor().openWith([{ id: "tab", type: "tab", label: "empty" }]));

    it("bring their config nodes along, and lack nothing but the secrets", async () => {
      await editor().importText(text);
      const arrived = (await editor().inPage.nodes()).filter(({ type }) => nodeTypes.includes(type));
      should(arrived.map(({ type }) => type).sort()).deepEqual([...nodeTypes].sort());
      for (const { type, valid, validationErrors } of arrived) {
        should(valid).equal(true, `${type}: ${validationErrors.join(" ")}`);
      }
    });
  });
});

/** The names of the fields that hold secrets, as an export would carry them. */
function secretNames(): string[] {
  return nodeTypes.flatMap((type) =>
    Object.keys(rowOf(type).typed).filter((name) =>
      ["apiKey", "privateKey", "sentinelPassword", "credentials"].includes(name),
    ),
  );
}

/** What the export dialog shows for all flows. */
async function exportAll({ page }: Editor): Promise<string> {
  await page.keyboard.press("Control+e");
  await page.locator("#red-ui-clipboard-dialog-export-rng-full").click();
  const text = await page.locator("#red-ui-clipboard-dialog-export-text").inputValue();
  await page.locator("#red-ui-clipboard-dialog-cancel").click();
  return text;
}
