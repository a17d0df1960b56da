import should from "should";
import { type Editor, nodeTypes, useEditor } from "../support/editor.ts";
import type { Form } from "../support/editor-form.ts";
import { rowOf } from "../support/editor-rows.ts";
import { inVariants } from "../support/variants.ts";

/** Nodes are dropped in columns, so that none lies on another. */
const placeOf = (index: number) => ({ x: 150 + 250 * (index % 3), y: 60 + 80 * Math.floor(index / 3) });

describe("a flow drawn by hand", function () {
  this.timeout(300_000);
  const editor = useEditor();

  inVariants(() => {
    it("keeps every node and value over a deploy and a reload, light or dark", async () => {
      await editor().openWith([{ id: "tab", type: "tab", label: "drawn" }], "light");
      const { inPage } = editor();
      const drawn: string[] = [];
      for (const type of nodeTypes) {
        if ((await inPage.defaults(type)).isConfig) continue;
        const id = await editor().drag(type, placeOf(drawn.length));
        drawn.push(id);
        const form = await editor().formByDoubleClick(id);
        await fillIn(editor(), form, type);
        await form.done();
      }
      const before = await everything(editor());
      should(new Set([...before.values()].map(({ type }) => type))).deepEqual(new Set(nodeTypes));
      for (const { type, valid, validationErrors } of before.values()) {
        should(valid).equal(
          true,
          `${type}: ${validationErrors.join(" ")} Is a row missing in editor-rows.ts?`,
        );
      }
      await editor().deploy();
      await editor().open("dark");

      await editor().showOnlyForms();
      const after = await everything(editor());
      for (const [id, { type, values }] of before) {
        should(after.get(id)?.values).deepEqual(values, `${type} after the reload`);
        const form = await editor().form(id);
        await keeps(form, type);
        await form.done();
        should((await inPage.stored(id)).values).deepEqual(values, `${type} after its form was opened`);
      }
    });
  });
});

/** Fills a form in by the row of its type; a config node that is not there yet is added with the button beside it. */
async function fillIn(editor: Editor, form: Form, type: string): Promise<void> {
  const { typed, built } = rowOf(type);
  await chooseConfigNodes(editor, form);
  for (const [name, value] of Object.entries(typed)) await form.fill(name, value);
  // What was typed may have brought more of them.
  await chooseConfigNodes(editor, form);
  await built?.by(form);
}

async function chooseConfigNodes(editor: Editor, form: Form): Promise<void> {
  const { inPage } = editor;
  for (const { name, type, chosen } of await inPage.references()) {
    if (chosen !== "" && chosen !== "_ADD_") continue;
    const there = (await inPage.nodes()).find((node) => node.type === type);
    if (there) {
      await form.fill(name, there.id);
      continue;
    }
    const config = await form.addConfig(name);
    await fillIn(editor, config, type);
    await config.done();
    await Promise.resolve(form.field(name).waitFor());
  }
}

async function everything({ inPage }: Editor) {
  const nodes = (await inPage.nodes()).filter(({ type }) => type.startsWith("crec-"));
  const stored = await Promise.all(
    nodes.map(async ({ id, type }) => [id, { type, ...(await inPage.stored(id)) }] as const),
  );
  return new Map(stored);
}

/** The form shows what was put into it; a secret only that there is one. */
async function keeps(form: Form, type: string): Promise<void> {
  for (const [name, value] of Object.entries(rowOf(type).typed)) {
    const shown = await form.shows(name);
    const isSecret = (await form.field(name).getAttribute("type")) === "password";
    const expected = isSecret ? "__PWRD__" : typeof value === "object" ? value.value : value;
    should(shown).equal(expected, `${type}.${name}`);
  }
}
