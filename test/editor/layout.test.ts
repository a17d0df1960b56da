import type { Locator, Page } from "playwright-core";
import should from "should";
import { type Editor, THEMES, useEditor } from "../support/editor.ts";
import { flowOfAll } from "../support/editor-flow.ts";
import { inEachForm } from "../support/editor-walk.ts";
import { fillWidest, widestFlow } from "../support/widest-forms.ts";

/** A small laptop. */
const SMALL = { width: 1024, height: 700 };
/** What Node-RED leaves of it for a form. */
const WIDTH = 560;
/** What the WCAG ask of text (AA), and of what is not text. */
const READABLE = 4.5;
const VISIBLE = 3;
/** In its dark theme Node-RED makes the ground of icons lighter: most of its own icons have less than 2. */
const VISIBLE_IN_THE_DARK = 2.5;
const ACTING = ["api", "create-watcher", "manage", "operation", "submit-operation"];

/** What is wrong, by question: each list should be empty. */
type Findings = { width: string[]; cutOff: string[]; faint: Set<string>; nodes: string[] };

/** The forms that have most in them, and a plain one. */
const LARGEST = ["crec-alert", "crec-connection", "crec-create-watcher", "crec-submit-operation"];

/** What test/editor/each-form.test.ts looks at in each form. */
describe("on a small screen, the largest forms", () => {
  const editor = useEditor();
  const found: Findings = { width: [], cutOff: [], faint: new Set(), nodes: [] };
  const colors = new Map<string, string>();
  let previewInView = 0;
  let usual: ReturnType<Page["viewportSize"]> = null;

  before(async function () {
    this.timeout(300_000);
    const { page, inPage } = editor();
    usual = page.viewportSize();
    await page.setViewportSize(SMALL);
    const all = await flowOfAll(editor());
    await editor().openWith(widestFlow(all));
    await lookAtNodes(editor(), found, colors);
    const ids = Object.fromEntries(Object.entries(all.ids).filter(([type]) => LARGEST.includes(type)));
    await inEachForm(editor(), { ...all, ids }, async (form, type) => {
      const { width = 0 } = (await form.root.boundingBox()) ?? {};
      if (Math.abs(width - WIDTH) > 1) found.width.push(`${type}: ${width} px`);
      const measure = async (state: string) => {
        for (const one of await inPage.cutOff()) found.cutOff.push(`${type}, ${state}: ${one}`);
      };
      await form.inEachState(inPage, async (state) => {
        await inPage.unfold();
        await measure(state);
      });
      await fillWidest(editor(), form, type);
      await measure("filled in");
      if (type === "crec-submit-operation")
        previewInView = await seenOf(form.root.locator(PREVIEWED).first());
      // A button under the mouse has other colors.
      await page.mouse.move(0, 0);
      const faint = await inPage.faint(READABLE, THEMES);
      for (const theme of THEMES)
        for (const text of faint[theme]) found.faint.add(`${type}, ${theme}: ${text}`);
    });
  });

  after(async () => {
    if (usual) await editor().page.setViewportSize(usual);
  });

  it("opens as wide as all others", () => {
    should(found.width).be.empty();
  });

  it("is seen in full, in each of its states", () => {
    should(found.cutOff).be.empty();
  });

  it("can be read in both themes, with results and problems", () => {
    should([...found.faint]).be.empty();
  });

  it("scrolls to a preview that opens", () => {
    should(previewInView).be.above(100);
  });

  it("belongs to a node whose label and icon stand out from its color", () => {
    should(found.nodes).be.empty();
    should(colors.size).be.above(10);
  });

  it("belongs to a node of another color where the node can change something", () => {
    const acting = colors.get("submit-operation");
    const alike = [...colors].filter(([, color]) => color === acting).map(([type]) => type);
    should(alike.sort()).deepEqual(ACTING);
    should(new Set(colors.values()).size).equal(2);
  });
});

const PREVIEWED = "#crec-submit-operation-preview-result li";

async function lookAtNodes({ inPage }: Editor, found: Findings, colors: Map<string, string>): Promise<void> {
  for (const theme of THEMES) {
    await inPage.showTheme(theme);
    const leastOfIcons = theme === "dark" ? VISIBLE_IN_THE_DARK : VISIBLE;
    for (const { type, color, label, icon } of await inPage.drawn()) {
      colors.set(type.slice("crec-".length), color);
      if (label < READABLE) found.nodes.push(`label of ${type}, ${theme}: ${label.toFixed(2)}`);
      if (icon < leastOfIcons) found.nodes.push(`icon of ${type}, ${theme}: ${icon.toFixed(2)}`);
    }
  }
  await inPage.showTheme("light");
}

type Box = { top: number; bottom: number };
type Seen = { getBoundingClientRect(): Box; closest(selector: string): Seen | null };

/** How many pixels from its top on are within the form's part of the screen. */
function seenOf(part: Locator): Promise<number> {
  return part.evaluate((element) => {
    const { top } = (element as unknown as Seen).getBoundingClientRect();
    const tray = (element as unknown as Seen).closest(".red-ui-tray-body-wrapper")?.getBoundingClientRect();
    return tray && top >= tray.top ? tray.bottom - top : 0;
  });
}
