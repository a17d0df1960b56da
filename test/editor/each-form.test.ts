import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import should from "should";
import { type Editor, THEMES, type Theme, useEditor } from "../support/editor.ts";
import { flowOfAll } from "../support/editor-flow.ts";
import type { Form } from "../support/editor-form.ts";
import { rowOf } from "../support/editor-rows.ts";
import { inEachForm } from "../support/editor-walk.ts";
import { operationNode } from "../support/operation-nodes.ts";

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

/** One of these is wrong for every property that has a check. */
const WRONG = ["", "no such thing!"];
const SENTENCE = /^[A-Z].*[.]$/s;

/** What is wrong with the forms, by question: each list should be empty. */
class Findings {
  readonly unreached: string[] = [];
  readonly unnamed = new Set<string>();
  readonly unlabelled: string[] = [];
  readonly faint: Readonly<Record<Theme, Set<string>>> = { light: new Set(), dark: new Set() };
  readonly unrefused: string[] = [];
  readonly halfVariables: string[] = [];
  /** How many text fields there are. */
  texts = 0;
}

/** One walk through the form of each node type, in each of its states, answers all questions. */
describe("the form of each node", function () {
  this.timeout(300_000);
  const editor = useEditor();
  const found = new Findings();

  before(async () => {
    const all = await flowOfAll(editor());
    await editor().openWith(all.flows);
    await editor().page.evaluate(axe);
    const { inPage } = editor();
    await inEachForm(editor(), all, async (form, type) => {
      await lookAtTexts(editor(), form, type, found);
      const accepted = new Map<string, boolean>();
      const reached = new Set<string>();
      await form.inEachState(inPage, async (state, hasNew) => {
        // A button under the mouse has other colours.
        await editor().page.mouse.move(0, 0);
        const faint = await inPage.faint(READABLE, THEMES);
        for (const theme of THEMES)
          for (const text of faint[theme]) found.faint[theme].add(`${type}: ${text}`);
        for (const field of await notReached(editor(), reached))
          found.unreached.push(`${type}, ${state}: ${field}`);
        // The names of fields do not depend on which others are there.
        for (const violation of hasNew ? await violations(form) : [])
          found.unnamed.add(`${type}: ${violation}`);
        for (const name of await inPage.checked()) {
          // What is wrong in one state of the form may be right in another.
          if (accepted.get(name) === false) continue;
          // The pointer is waited for at one field a form: the others get their sentence the same way.
          const isShown = ![...accepted.values()].includes(false);
          accepted.set(name, !(await refuses(editor(), form, name, isShown)));
        }
      });
      const { judgedTogether = [] } = rowOf(type);
      for (const [name, isAccepted] of accepted) {
        if (isAccepted && !judgedTogether.includes(name)) found.unrefused.push(`${type}.${name}`);
      }
    });
  });

  it("is gone through with the tab key, field by field", () => {
    should(found.unreached).be.empty();
  });

  it("has a name for each field", () => {
    should([...found.unnamed]).be.empty();
  });

  it("finds each field by its label, also after a wrong and a right value", () => {
    should(found.unlabelled).be.empty();
  });

  for (const theme of THEMES) {
    it(`can be read in the ${theme} theme`, () => {
      should([...found.faint[theme]]).be.empty();
    });
  }

  it("says in a sentence at the field what is wrong, for each property with a check", () => {
    should(found.unrefused).be.empty();
  });

  it("says that only a whole field can be a variable, for each text", () => {
    should(found.halfVariables).be.empty();
    should(found.texts).be.above(40);
  });
});

describe("a node with a wrong value", function () {
  this.timeout(300_000);
  const editor = useEditor();

  before(() => {
    const operation = { z: "tab", x: 300, y: 300, wires: [[]], ...operationNode("get", { operation: "" }) };
    return editor().openWith([{ id: "tab", type: "tab", label: "wrong" }, operation]);
  });

  it("is marked once it is drawn", async () => {
    const id = await editor().drag("crec-api", { x: 300, y: 100 });
    const { valid } = await editor().inPage.stored(id);
    should(valid).equal(false);
    await editor().page.locator(`[id="${id}"] .red-ui-flow-node-error`).waitFor();
  });

  it("is marked also where the value is read from a message", async () => {
    const { validationErrors } = await editor().inPage.stored("get");
    should(validationErrors.join(" ")).match(/Enter the operation's id/);
  });
});

/** Puts a variable into each text, as a part and as the whole; then looks whether the labels still find the fields. */
async function lookAtTexts({ inPage }: Editor, form: Form, type: string, found: Findings): Promise<void> {
  for (const name of await inPage.texts()) {
    found.texts += 1;
    const before = await inPage.put(name, "dev-${NAME}");
    const refusal = await inPage.refusal(name);
    if (!refusal?.startsWith("A variable must be the whole value"))
      found.halfVariables.push(`${type}.${name}`);
    await inPage.put(name, "${NAME}");
    if ((await inPage.refusal(name)) !== undefined) found.halfVariables.push(`${type}.${name} alone`);
    await inPage.put(name, before);
  }
  for (const label of await inPage.labels()) {
    const field = form.root.getByLabel(label, { exact: true }).filter({ visible: true });
    if ((await field.count()) === 0) found.unlabelled.push(`${type}: ${label}`);
  }
  for (const sentence of await form.root.getByLabel("A variable must be the whole value").all()) {
    found.unlabelled.push(`${type}: ${await sentence.evaluate((element) => element.outerHTML)}`);
  }
}

/** Node-RED has fields of its own between ours, and the ABI of a contract has ten buttons before it. */
const MOST_STEPS = 12;

/** The visible fields that the tab key passes by on its way from the field before; `reached` were come to already. */
async function notReached({ inPage, page }: Editor, reached: Set<string>): Promise<string[]> {
  const fields = await inPage.fields();
  const missed: string[] = [];
  for (const [index, field] of fields.entries()) {
    if (reached.has(field)) continue;
    let focused = await inPage.focus(fields[index - 1] ?? field);
    for (let step = 0; step < MOST_STEPS && focused !== field; step += 1) {
      await page.keyboard.press("Tab");
      focused = await inPage.focused();
    }
    if (focused === field) reached.add(field);
    else missed.push(field);
  }
  return missed;
}

/** Fields without a name for those who hear the form, one line each. */
async function violations(form: Form): Promise<string[]> {
  const found = await form.root.evaluate(async (element, rules) => {
    type Violation = { id: string; nodes: Array<{ html: string; failureSummary: string }> };
    type Axe = { run(of: unknown, how: unknown): Promise<{ violations: Violation[] }> };
    const checker = (globalThis as unknown as { axe: Axe }).axe;
    const within = { include: element, exclude: [["[id^=red-ui-trap]"]] };
    return (await checker.run(within, { runOnly: { type: "rule", values: rules } })).violations;
  }, NAMES);
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** Whether one of the wrong values is marked; with `isShown`, its sentence has been shown to the pointer. */
async function refuses(
  { inPage, page }: Editor,
  form: Form,
  name: string,
  isShown: boolean,
): Promise<boolean> {
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
    if (isShown) {
      await form.box(name).hover();
      await page.locator(".red-ui-popover", { hasText: said }).first().waitFor();
    }
  }
  await inPage.put(name, before ?? "");
  should(await inPage.refusal(name)).equal(saidBefore, `${name} as it was`);
  return said !== undefined;
}
