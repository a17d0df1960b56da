import should from "should";
import { nodeTypes, useEditor } from "../support/editor.ts";

/** What Markdown leaves behind where it was not turned into anything. */
const RAW = /\*\*|`|^\s*#+ |^\s*[-*] |\]\(|\b_\w+_\b.*\b_\w+_\b/m;

describe("the help of each node", function () {
  this.timeout(120_000);
  const editor = useEditor();

  before(() => editor().openWith([]));

  for (const type of nodeTypes) {
    it(`reads well in the sidebar: ${type}`, async () => {
      const { page } = editor();
      await page.evaluate(showHelp, type);
      const help = page.locator(".red-ui-sidebar-help-stack .red-ui-help .red-ui-help").last();
      await help.locator("p").first().waitFor();
      should(await help.locator("h3").count()).be.above(0, "it has no headings");
      should(await help.locator("li").count()).be.above(1, "it has no list");
      should(await help.textContent()).not.match(RAW);
      should(await help.locator("li:visible").count()).be.above(1, "its list is not seen");
    });
  }
});

function showHelp(type: string): void {
  const { RED } = globalThis as unknown as { RED: { sidebar: { help: { show(of: string): void } } } };
  RED.sidebar.help.show(type);
}
