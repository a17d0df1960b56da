import type { Page } from "playwright-core";
import should from "should";
import { languages } from "../../scripts/lib/locales.ts";
import { type Editor, nodeTypes, useEditor } from "../support/editor.ts";
import { Form } from "../support/editor-form.ts";
import { eventually } from "../support/eventually.ts";
import { useLanguage } from "../support/language.ts";
import type { FlowNode } from "../support/node-red.ts";
import { channelNode, connectionNode, contractNode } from "../support/nodes.ts";
import { signerNode, walletNode } from "../support/operation-nodes.ts";
import { describeWide } from "../support/wide.ts";

/** A usual laptop, and the room that Node-RED leaves there for a form. */
const SCREEN = { width: 1280, height: 800 };
const ROOM = 561;

/** One config node of each type. */
function configNodes(editor: Editor): FlowNode[] {
  const { ready } = editor.service;
  return [
    connectionNode(ready),
    channelNode({ channel: "quickstart", createMissing: true }),
    signerNode(undefined),
    walletNode(ready),
    contractNode(ready, { name: "demo token", decimals: "18" }),
    { id: "fleet", type: "crec-fleet", name: "copies" },
  ];
}

const TAB = { id: "tab", type: "tab", label: "flow" };

/** Opens the form of a new node as a person finds it: with its sections folded. */
async function openNew(editor: Editor, type: string): Promise<Form> {
  const { page, inPage } = editor;
  const { isConfig } = await inPage.defaults(type);
  if (isConfig) await page.evaluate(addConfig, type);
  else await inPage.edit(await editor.drag(type, { x: 300, y: 100 }));
  return Form.opened(page, isConfig, true);
}

/** What a form needs more than the room it has, or scrolls within itself. */
async function tooTall(editor: Editor): Promise<string[]> {
  const found: string[] = [];
  for (const type of nodeTypes) {
    await openNew(editor, type);
    await editor.page.waitForFunction(isAnswered);
    const { height, inner } = await editor.page.evaluate(measured);
    if (height > ROOM) found.push(`${type}: ${height} px`);
    for (const one of inner) found.push(`${type}: ${one} scrolls`);
    await editor.inPage.leaveAll();
  }
  return found;
}

function useScreen(editor: () => Editor): void {
  let usual: ReturnType<Page["viewportSize"]> = null;
  before(async () => {
    usual = editor().page.viewportSize();
    await editor().page.setViewportSize(SCREEN);
  });
  after(async () => {
    if (usual) await editor().page.setViewportSize(usual);
  });
}

describe("a form that is opened new", function () {
  this.timeout(300_000);
  const editor = useEditor();
  useScreen(editor);

  before(() => editor().openWith([TAB, ...configNodes(editor())]));

  it("fits the screen of a laptop, whichever node it is of", async () => {
    should(await tooTall(editor())).be.empty();
  });

  it("says on the header of a section that a value in it is changed or wrong, and shows a wrong one", async () => {
    const id = await editor().drag("crec-alert", { x: 300, y: 200 });
    await editor().inPage.edit(id);
    const form = await Form.opened(editor().page, false, true);
    const header = form.root.locator("#crec-alert-reliability > summary");
    const isOpen = () => form.root.locator("#crec-alert-reliability[open]").count();
    const says = (text: string) =>
      eventually(`the header says ${text}`, async () => (await header.textContent()) === text);
    await says("Reliability");
    should(await isOpen()).equal(0);
    await header.press("Enter");
    await form.fill("slack", "5m");
    await says("Reliability · changed");
    await form.done();

    await editor().inPage.edit(id);
    const again = await Form.opened(editor().page, false, true);
    await says("Reliability · changed");
    should(await isOpen()).equal(0);
    await header.press("Enter");
    await again.fill("slack", "soon");
    await says("Reliability · error");
    await again.done();

    await editor().inPage.edit(id);
    await Form.opened(editor().page, false, true);
    await says("Reliability · error");
    should(await isOpen()).equal(1);
    await form.fill("slack", "2m");
    await says("Reliability");
    await form.done();
  });

  it("offers to add a config node by its name", async () => {
    await editor().openWith([TAB]);
    const form = await openNew(editor(), "crec-run-query");
    const offered = await form.field("contract").locator("option").allTextContents();
    should(offered).containEql("Add new contract...");
    await form.cancel();
  });
});

describeWide("a form that is opened new, in other languages", function () {
  this.timeout(300_000);
  const editor = useEditor();
  useScreen(editor);
  after(() => useLanguage(editor(), undefined, []));

  it("fits the screen of a laptop, whichever node it is of", async () => {
    for (const tag of Object.keys(await languages())) {
      await useLanguage(editor(), tag, [TAB, ...configNodes(editor())]);
      should(await tooTall(editor())).deepEqual([], tag);
    }
  });
});

type InBrowser = {
  RED: { editor: { editConfig(name: string, type: string, id: string): void } };
  jQuery: { active: number };
  getComputedStyle(of: Part): { overflowY: string };
  document: { querySelector(selector: string): Part };
};
type Part = {
  id: string;
  tagName: string;
  scrollHeight: number;
  clientHeight: number;
  checkVisibility(): boolean;
  querySelectorAll(selector: string): Iterable<Part>;
};

function addConfig(type: string): void {
  (globalThis as unknown as InBrowser).RED.editor.editConfig("", type, "_ADD_");
}

function isAnswered(): boolean {
  return (globalThis as unknown as InBrowser).jQuery.active === 0;
}

function measured(): { height: number; inner: string[] } {
  const page = globalThis as unknown as InBrowser;
  const form = page.document.querySelector(".red-ui-tray-content:has(.crec-form)");
  const inner = [...form.querySelectorAll(".crec-form *")].filter(
    (part) =>
      part.scrollHeight > part.clientHeight + 1 &&
      part.checkVisibility() &&
      ["auto", "scroll"].includes(page.getComputedStyle(part).overflowY),
  );
  return { height: form.scrollHeight, inner: inner.map(({ id, tagName }) => id || tagName) };
}
