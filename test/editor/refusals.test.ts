import should from "should";
import { type Editor, useEditor } from "../support/editor.ts";
import { type FlowOfAll, flowOfAll } from "../support/editor-flow.ts";
import type { Form } from "../support/editor-form.ts";
import { rowOf } from "../support/editor-rows.ts";
import { inEachForm } from "../support/editor-walk.ts";

/** One of these is wrong for every property that has a check. */
const WRONG = ["", "no such thing!"];

const SENTENCE = /^[A-Z].*[.]$/s;

describe("what a form says of a wrong value", function () {
  this.timeout(90_000);
  const editor = useEditor();
  let all: FlowOfAll;

  before(async () => {
    await editor().open();
    all = await flowOfAll(editor());
    await editor().openWith(all.flows);
  });

  it("is a sentence in red at the field, for each property with a check", async () => {
    const unrefused: string[] = [];
    await inEachForm(editor(), all, async (form, type) => {
      const open = new Map<string, boolean>();
      await form.inEachState(editor().inPage, async () => {
        for (const name of await editor().inPage.checked()) {
          // What is wrong in one state of the form may be right in another.
          if (open.get(name) !== false) open.set(name, !(await refuses(editor(), form, name)));
        }
      });
      const { judgedTogether = [] } = rowOf(type);
      for (const [name, isOpen] of open) {
        if (isOpen && !judgedTogether.includes(name)) unrefused.push(`${type}.${name}`);
      }
    });
    should(unrefused).be.empty();
  });

  it("is that only a whole field can be a variable, for each text", async () => {
    const { inPage } = editor();
    const taken: string[] = [];
    let count = 0;
    await inEachForm(editor(), all, async (_form, type) => {
      for (const name of await inPage.texts()) {
        count += 1;
        const before = await inPage.put(name, "dev-${NAME}");
        if (!(await inPage.refusal(name))?.startsWith("Only a whole field")) taken.push(`${type}.${name}`);
        await inPage.put(name, "${NAME}");
        if ((await inPage.refusal(name)) !== undefined) taken.push(`${type}.${name} alone`);
        await inPage.put(name, before);
      }
    });
    should(taken).be.empty();
    should(count).be.above(40);
  });

  it("stands with the node once it is drawn", async () => {
    await editor().openWith([{ id: "tab", type: "tab", label: "drawn" }]);
    const id = await editor().drag("crec-api", { x: 300, y: 100 });
    const { valid } = await editor().inPage.stored(id);
    should(valid).equal(false);
    await editor().page.locator(`[id="${id}"] .red-ui-flow-node-error`).waitFor();
  });
});

/** Whether one of the wrong values is marked, and its sentence shown to the pointer. The value is as before then. */
async function refuses({ inPage, page }: Editor, form: Form, name: string): Promise<boolean> {
  const saidBefore = await inPage.refusal(name);
  let before: string | undefined;
  let said: string | undefined;
  for (const value of WRONG) {
    const there = await inPage.put(name, value);
    before ??= there;
    said = await inPage.refusal(name);
    if (said !== undefined) break;
  }
  if (said !== undefined) {
    if (!SENTENCE.test(said)) return false;
    await form.box(name).hover();
    await page.locator(".red-ui-popover", { hasText: said }).first().waitFor();
  }
  await inPage.put(name, before ?? "");
  should(await inPage.refusal(name)).equal(saidBefore, `${name} as it was`);
  return said !== undefined;
}
