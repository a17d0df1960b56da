import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import should from "should";
import { type Editor, THEMES, useEditor } from "../support/editor.ts";
import { type FlowOfAll, flowOfAll } from "../support/editor-flow.ts";
import type { Form } from "../support/editor-form.ts";
import { inEachForm } from "../support/editor-walk.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const NAMES = [
  "label",
  "select-name",
  "button-name",
  "input-button-name",
  "aria-input-field-name",
  "aria-toggle-field-name",
  "form-field-multiple-labels",
  "aria-valid-attr-value",
  "nested-interactive",
];

/** What the WCAG ask of text of a usual size (level AA). */
const READABLE = 4.5;

type Violation = { id: string; nodes: Array<{ html: string; failureSummary: string }> };

describe("the forms for those who use no mouse, or see little", function () {
  this.timeout(90_000);
  const editor = useEditor();
  let all: FlowOfAll;

  before(async () => {
    await editor().open();
    all = await flowOfAll(editor());
    await editor().nodeRed.deploy(all.flows);
  });

  it("are gone through with the tab key, field by field", async () => {
    await editor().open();
    const unreached: string[] = [];
    await inEachForm(editor(), all, async (form, type) => {
      await form.inEachState(editor().inPage, async (state) => {
        for (const field of await notReached(editor())) unreached.push(`${type}, ${state}: ${field}`);
      });
    });
    should(unreached).be.empty();
  });

  it("have a name for each field", async () => {
    await editor().open();
    await editor().page.evaluate(axe);
    const found = new Set<string>();
    await inEachForm(editor(), all, async (form, type) => {
      await form.inEachState(editor().inPage, async () => {
        for (const { id, nodes } of await violations(form)) {
          for (const { html, failureSummary } of nodes)
            found.add(`${type}: ${id}: ${html} ${failureSummary}`);
        }
      });
    });
    should([...found]).be.empty();
  });

  it("are found by their labels, also after a wrong and a right value", async () => {
    await editor().open();
    const { inPage } = editor();
    const lost: string[] = [];
    await inEachForm(editor(), all, async (form, type) => {
      for (const name of await inPage.texts()) {
        const before = await inPage.put(name, "dev-${NAME}");
        should(await inPage.refusal(name)).be.ok();
        await inPage.put(name, before);
      }
      for (const label of await inPage.labels()) {
        const field = form.root.getByLabel(label, { exact: true }).filter({ visible: true });
        if ((await field.count()) === 0) lost.push(`${type}: ${label}`);
      }
      for (const sentence of await form.root.getByLabel("Only a whole field").all()) {
        lost.push(`${type}: ${await sentence.evaluate((element) => element.outerHTML)}`);
      }
    });
    should(lost).be.empty();
  });

  for (const theme of THEMES) {
    it(`can be read in the ${theme} theme`, async () => {
      await editor().open(theme);
      const found = new Set<string>();
      await inEachForm(editor(), all, async (form, type) => {
        await form.inEachState(editor().inPage, async () => {
          for (const text of await editor().inPage.faint(READABLE)) found.add(`${type}: ${text}`);
        });
      });
      should([...found]).be.empty();
    });
  }
});

/** The visible fields that the tab key passes by. */
async function notReached({ inPage, page }: Editor): Promise<string[]> {
  const fields = await inPage.fields();
  const reached = new Set<string>();
  await inPage.focusFirst();
  // As many steps as there are fields, and some more for Node-RED's own in between.
  for (let step = 0; step < 2 * fields.length + 10; step += 1) {
    const focused = await inPage.focused();
    if (focused === undefined) break;
    reached.add(focused);
    await page.keyboard.press("Tab");
  }
  return fields.filter((field) => !reached.has(field));
}

function violations(form: Form): Promise<Violation[]> {
  return form.root.evaluate(async (element, rules) => {
    const checker = (globalThis as unknown as { axe: { run(of: unknown, how: unknown): Promise<unknown> } })
      .axe;
    const { violations: found } = (await checker.run(
      { include: element, exclude: [["[id^=red-ui-trap]"]] },
      {
        runOnly: { type: "rule", values: rules },
      },
    )) as { violations: Violation[] };
    return found;
  }, NAMES);
}
