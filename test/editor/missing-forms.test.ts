import type { BrowserContext } from "playwright-core";
import should from "should";
import { hasBrowser, sharedBrowser } from "../support/browser.ts";
import { type FlowNode, NodeRed, UserDir } from "../support/node-red.ts";
import { withVariants } from "../support/variants.ts";

/** What the editor gets in place of the script that all forms share. */
const ANSWERS = [
  { what: "is not there", answer: { status: 404, body: "" } },
  ...(withVariants ? [{ what: "is cut off", answer: { status: 200, body: "if (!globalThis.crec) {" } }] : []),
];

const FLOWS: FlowNode[] = [
  { id: "tab", type: "tab", label: "flow" },
  { id: "change", type: "change", z: "tab", x: 100, y: 100, rules: [], wires: [[]] },
];

// Without `useEditor`: each form reports an error.
describe("the editor, where the script of the forms cannot be loaded", function () {
  this.timeout(120_000);
  let userDir: UserDir | undefined;
  let nodeRed: NodeRed;
  let context: BrowserContext | undefined;

  before(async function () {
    if (!hasBrowser()) return this.skip();
    userDir = await UserDir.make();
    nodeRed = await NodeRed.start(userDir);
    await nodeRed.deploy(FLOWS);
  });
  afterEach(() => context?.close());
  after(async () => {
    await nodeRed?.kill();
    await userDir?.remove();
  });

  for (const { what, answer } of ANSWERS)
    it(`opens and says what to do: the script ${what}`, async () => {
      context = await (await sharedBrowser()).newContext();
      const page = await context.newPage();
      await page.route("**/node-red-crec/forms.js*", (route) =>
        route.fulfill({ ...answer, contentType: "text/javascript" }),
      );
      await page.goto(nodeRed.url);
      const said = page.locator(".red-ui-notification", { hasText: "CRE Connect" });
      await said.waitFor({ timeout: 60_000 });
      should(await said.allInnerTexts()).match([/install @crec-nodes\/node-red-crec again/]);
      // It has loaded the flows, and draws them.
      await page.locator('[id="change"] .red-ui-flow-node').waitFor({ timeout: 60_000 });
    });
});
