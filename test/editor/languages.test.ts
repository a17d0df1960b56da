import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import should from "should";
import { languages } from "../../scripts/lib/locales.ts";
import { root } from "../../scripts/lib/paths.mjs";
import { readJson } from "../../scripts/lib/read-json.mjs";
import { alertNode } from "../support/alert-harness.ts";
import { type Editor, useEditor } from "../support/editor.ts";
import { flowOfAll } from "../support/editor-flow.ts";
import { inEachForm } from "../support/editor-walk.ts";
import { harnessFlow } from "../support/flow-harness.ts";
import { useLanguage, wrapsBadly } from "../support/language.ts";
import { sized, withVariants } from "../support/variants.ts";
import { widestFlow } from "../support/widest-forms.ts";

/** A small laptop, as in layout.test.ts. */
const SMALL = { width: 1024, height: 700 };
/** In a picture, the whole form is seen. */
const HIGH = { width: 1024, height: 3000 };
/** Set by `npm run languages -- --pictures`. */
const { CREC_PICTURES: pictures, CREC_LANGUAGES: only = "" } = process.env;

const known = await languages();
/** The words of German are the longest. */
const chosen = only === "" ? sized(["de"], Object.keys(known)) : only.split(",");
const tags = Object.keys(known).filter((tag) => chosen.includes(tag));

/** What is wrong, by question: each list should be empty. */
type Findings = { cutOff: string[]; wrapped: Set<string>; untranslated: Set<string> };

describe("in another language", function () {
  this.timeout(300_000);
  const editor = useEditor();

  for (const tag of tags) {
    describe(known[tag]?.name ?? tag, () => {
      const found: Findings = { cutOff: [], wrapped: new Set(), untranslated: new Set() };
      let help = "";
      let issue = "";

      before(async () => {
        const all = await flowOfAll(editor());
        const usual = editor().page.viewportSize();
        await editor().page.setViewportSize(pictures === undefined ? SMALL : HIGH);
        await useLanguage(editor(), tag, widestFlow(all));
        help = await helpOf(editor(), "crec-ack");
        issue = await firstIssue(editor());
        if (pictures !== undefined) await takeSidebar(editor(), tag);
        await inEachForm(editor(), all, async (form, type) => {
          const look = async (state: string) => {
            await editor().inPage.unfold();
            for (const one of await editor().inPage.cutOff()) found.cutOff.push(`${type}, ${state}: ${one}`);
            for (const one of await form.root.evaluate(wrapsBadly)) found.wrapped.add(`${type}: ${one}`);
            const keys = (await form.root.textContent())?.match(
              /\b(?:common\.[a-z-]+|[a-z-]+\.(?:label|hint|unit|explained))\.[\w-]+/g,
            );
            for (const key of keys ?? []) found.untranslated.add(`${type}: ${key}`);
            if (pictures !== undefined) await takeForm(editor(), tag, `${type.slice(5)}-${state}`);
          };
          if (withVariants) await form.inEachState(editor().inPage, look);
          else await look("as it opens");
        });
        if (usual) await editor().page.setViewportSize(usual);
      });

      after(() => useLanguage(editor(), undefined, []));

      it("shows each form in full", () => {
        should(found.cutOff).be.empty();
      });

      it("breaks no word of a label, and has no label of more than two lines", () => {
        should([...found.wrapped]).be.empty();
      });

      it("has a text for each label and hint", () => {
        should([...found.untranslated]).be.empty();
      });

      it("shows the issues in the sidebar in that language, also where Node-RED runs in English", () => {
        should(issue.length).be.above(10);
        should(issue).not.match(/\b(?:the|and|of|is|waits)\b/);
      });

      it("shows a status in that language, also where Node-RED runs in English", async () => {
        const catalog = await readJson(join(root, `nodes/alert/locales/${tag}/alert.json`));
        const alert = alertNode({ id: "watches" });
        await useLanguage(editor(), tag, harnessFlow([], [[alert, 3]]));
        await editor().page.waitForFunction(
          ([node, text]) => {
            const { RED } = globalThis as unknown as { RED: { nodes: { node(of: string): WithStatus } } };
            return RED.nodes.node(node ?? "").status?.text === text;
          },
          [alert.id, catalog.alert.status.watching],
        );
      });

      it("shows the help of that language", () => {
        should(help).containEql(known[tag]?.note.slice(0, 20));
      });
    });
  }
});

type WithStatus = { status?: { text?: string } };

/** What the help sidebar shows of a node type. */
async function helpOf({ page }: Editor, type: string): Promise<string> {
  return page.evaluate((name) => {
    const { RED } = globalThis as unknown as { RED: { nodes: { getNodeHelp(of: string): string } } };
    return RED.nodes.getNodeHelp(name);
  }, type);
}

/** The sentence of an issue of the flow: an event that must be acknowledged, and is not. */
async function firstIssue({ page }: Editor): Promise<string> {
  await page.evaluate(showSidebar);
  const title = page.locator('.crec-sidebar [data-panel="issues"] .crec-row-title').first();
  return (await title.textContent({ timeout: 60_000 })) ?? "";
}

/** Runs in the page. */
function showSidebar(): void {
  const { RED } = globalThis as unknown as { RED: { actions: { invoke(name: string): void } } };
  RED.actions.invoke("crec:show-tab");
}

async function takeForm({ page }: Editor, tag: string, name: string): Promise<void> {
  const folder = join(pictures ?? "", tag);
  await mkdir(folder, { recursive: true });
  await page.waitForLoadState("networkidle");
  const path = join(folder, `${name.replaceAll(/[^\w-]+/g, "_")}.png`);
  const tray = page.locator(".red-ui-tray").last();
  const box = await tray.boundingBox();
  const height = await page
    .locator("#dialog-form, #node-config-dialog-edit-form")
    .last()
    .evaluate((form) => {
      const rows = [...(form as unknown as { children: Iterable<Row> }).children];
      return Math.max(...rows.map((row) => row.getBoundingClientRect().bottom));
    });
  if (box) await page.screenshot({ path, clip: { ...box, height: height + 20 - box.y } });
}

type Row = { getBoundingClientRect(): { bottom: number } };

async function takeSidebar({ page }: Editor, tag: string): Promise<void> {
  const folder = join(pictures ?? "", tag);
  await mkdir(folder, { recursive: true });
  const path = join(folder, "sidebar.png");
  await page.locator("#red-ui-sidebar").screenshot({ path });
  await page.locator("#red-ui-palette").screenshot({ path: join(folder, "palette.png") });
}
