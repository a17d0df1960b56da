import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import should from "should";
import { type Editor, THEMES, type Theme, useEditor } from "../support/editor.ts";
import { flowOfAll } from "../support/editor-flow.ts";
import type { Form } from "../support/editor-form.ts";
import { rowOf } from "../support/editor-rows.ts";
import { inEachForm } from "../support/editor-walk.ts";
import { operationNode } from "../support/operation-nodes.ts";
import { withVariants } from "../support/variants.ts";
import { fillWidest, widestFlow } from "../support/widest-forms.ts";

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

/** A small laptop, and what Node-RED leaves of it for a form. */
const SMALL = { width: 1024, height: 700 };
const WIDTH = 560;

/** Forms gone through with real keys: with buttons, rows that are added, text of many lines, and typed inputs. */
const BY_KEYS = ["crec-alert", "crec-connection", "crec-contract", "crec-run-query"];

/** What is wrong with the forms, by question: each list should be empty. */
class Findings {
  readonly width: string[] = [];
  readonly cutOff: string[] = [];
  readonly unreached = new Set<string>();
  readonly unnamed = new Set<string>();
  readonly unlabelled: string[] = [];
  readonly faint: Readonly<Record<Theme, Set<string>>> = { light: new Set(), dark: new Set() };
  readonly unrefused: string[] = [];
  readonly halfVariables: string[] = [];
}

/**
 * One walk through the form of each node type, in each of its states and at its widest, answers all questions. What each
 * field says of a wrong value is in test/nodes/node-form.test.ts: here one field a form shows it.
 */
describe("the form of each node", function () {
  this.timeout(300_000);
  const editor = useEditor();
  const found = new Findings();
  let usual: ReturnType<Page["viewportSize"]> = null;

  before(async () => {
    const { inPage, page } = editor();
    usual = page.viewportSize();
    await page.setViewportSize(SMALL);
    const all = await flowOfAll(editor());
    await editor().openWith(widestFlow(all));
    await page.evaluate(axe);
    await inEachForm(editor(), all, async (form, type) => {
      const { width = 0 } = (await form.root.boundingBox()) ?? {};
      if (Math.abs(width - WIDTH) > 1) found.width.push(`${type}: ${width} px`);
      await lookAtTexts(editor(), type, found);
      await lookAtStates(editor(), form, type, found);
      await fillWidest(editor(), form, type);
      for (const one of await inPage.cutOff()) found.cutOff.push(`${type}, filled in: ${one}`);
      await lookAtColors(editor(), type, found);
    });
  });

  after(async () => {
    if (usual) await editor().page.setViewportSize(usual);
  });

  it("opens as wide as all others on a small screen", () => {
    should(found.width).be.empty();
  });

  it("is seen in full on a small screen, in each of its states", () => {
    should(found.cutOff).be.empty();
  });

  it("is gone through with the tab key, field by field", () => {
    should([...found.unreached]).be.empty();
  });

  it("has a name for each field", () => {
    should([...found.unnamed]).be.empty();
  });

  it("finds each field by its label, also after a wrong and a right value", () => {
    should(found.unlabelled).be.empty();
  });

  for (const theme of THEMES) {
    it(`can be read in the ${theme} theme, with results and problems`, () => {
      should([...found.faint[theme]]).be.empty();
    });
  }

  it("says in a sentence at the field what is wrong", () => {
    should(found.unrefused).be.empty();
  });

  it("says that only a whole field can be a variable", () => {
    should(found.halfVariables).be.empty();
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

/** Whether what is seen of a form can be read in both themes. */
async function lookAtColors({ inPage, page }: Editor, type: string, found: Findings): Promise<void> {
  // A button under the mouse has other colours.
  await page.mouse.move(0, 0);
  const faint = await inPage.faint(READABLE, THEMES);
  for (const theme of THEMES) for (const text of faint[theme]) found.faint[theme].add(`${type}: ${text}`);
}

async function lookAtStates(editor: Editor, form: Form, type: string, found: Findings): Promise<void> {
  const { inPage } = editor;
  const accepted = new Map<string, boolean>();
  const reached = new Set<string>();
  let isFirst = true;
  await form.inEachState(inPage, async (state, hasNew) => {
    await inPage.unfold();
    for (const one of await inPage.cutOff()) found.cutOff.push(`${type}, ${state}: ${one}`);
    // The colors and names of fields do not depend on which others are there.
    if (hasNew) await lookAtColors(editor, type, found);
    const byKeys = withVariants || (isFirst && BY_KEYS.includes(type));
    for (const field of byKeys ? await notReached(editor, reached) : await inPage.passedBy())
      found.unreached.add(`${type}, ${state}: ${field}`);
    for (const field of await inPage.nameless()) found.unnamed.add(`${type}: ${field}`);
    for (const violation of isFirst || (withVariants && hasNew) ? await violations(form) : [])
      found.unnamed.add(`${type}: ${violation}`);
    for (const name of await inPage.checked()) {
      const isShown = ![...accepted.values()].includes(false);
      // What is wrong in one state of the form may be right in another.
      if (accepted.get(name) === false || !(isShown || withVariants)) continue;
      // The pointer is waited for at one field a form: the others get their sentence the same way.
      accepted.set(name, !(await refuses(editor, form, name, isShown)));
    }
    isFirst = false;
  });
  const { judgedTogether = [] } = rowOf(type);
  const wrong = [...accepted].filter(([name, isAccepted]) => isAccepted && !judgedTogether.includes(name));
  const isRefused = [...accepted.values()].includes(false);
  if (withVariants || !isRefused) for (const [name] of wrong) found.unrefused.push(`${type}.${name}`);
}

/** Puts a variable into a text, as a part and as the whole; then looks whether the labels still find the fields. */
async function lookAtTexts({ inPage }: Editor, type: string, found: Findings): Promise<void> {
  const texts = await inPage.texts();
  for (const name of withVariants ? texts : texts.slice(0, 1)) {
    const before = await inPage.put(name, "dev-${NAME}");
    const refusal = await inPage.refusal(name);
    if (!refusal?.startsWith("A variable must be the whole value"))
      found.halfVariables.push(`${type}.${name}`);
    await inPage.put(name, "${NAME}");
    if ((await inPage.refusal(name)) !== undefined) found.halfVariables.push(`${type}.${name} alone`);
    await inPage.put(name, before);
  }
  for (const label of await inPage.lonelyLabels()) found.unlabelled.push(`${type}: ${label}`);
  for (const field of await inPage.named("A variable must be the whole value"))
    found.unlabelled.push(`${type}: ${field}`);
}

/** Fields that are alike in several calls have one name: the way then begins in the first call. */
const MOST_STEPS = 60;

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
