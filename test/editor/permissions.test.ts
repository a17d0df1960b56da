import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import should from "should";
import { type Editor, useEditor } from "../support/editor.ts";
import { flowOfAll } from "../support/editor-flow.ts";
import type { Form } from "../support/editor-form.ts";
import { inEachForm } from "../support/editor-walk.ts";
import { sized } from "../support/variants.ts";

const guarded = fileURLToPath(new URL("../nodes/admin-auth-settings.cjs", import.meta.url));

describe("forms and the sidebar where Node-RED asks who is there", function () {
  this.timeout(120_000);
  const editor = useEditor({
    ...{ settings: guarded, token: "admin", loggedInAs: "reader", isCodeEditorUsual: true },
    // The browser notes each refusal by itself, and later than the test sees it; the editor's own requests to save
    // the settings of who may only read are refused, too.
    expected: /40[13]|429/,
  });
  /** Whether the page was loaded by the test of the sidebar. */
  let isGuest = false;

  it("answer nothing of ours to nobody, without a token", async () => {
    const { nodeRed } = editor();
    for (const path of ["crec/lookup/networks/any", "crec/signer/address/any", "crec/events-in/any"]) {
      should((await nodeRed.fetch(path)).status).equal(401, path);
    }
    for (const path of ["crec/connection/test", "crec/signer/generate", "crec/abi/functions"]) {
      should((await nodeRed.fetch(path, { method: "POST" })).status).equal(401, path);
    }
  });

  it("tell someone who may only read why a button does nothing", async () => {
    await editor().nodeRed.deploy([{ id: "tab", type: "tab", label: "to be read" }]);
    if (isGuest) {
      await editor().logInAs("reader");
      await editor().open();
    }
    const all = await flowOfAll(editor());
    await editor().openWith(all.flows);
    const refused: string[] = [];
    const ids = Object.entries(all.ids).filter(([type]) => sized(REFUSING.includes(type), true));
    await inEachForm(editor(), { ...all, ids: Object.fromEntries(ids) }, async (form, type) => {
      for (const id of await ownButtons(form)) {
        if (!(await isRefused(editor(), form.root.locator(`[id="${id}"]`)))) continue;
        refused.push(id);
        const said = form.root.locator("[role=alert]:visible, [role=status]:visible", { hasText: REFUSAL });
        await said.first().waitFor();
        should(await said.count()).be.above(0, `${type}: ${id}`);
      }
    });
    should(refused).containDeep(["crec-connection-test", "crec-signer-generate", "crec-events-in-reset"]);
  });

  it("tell who asks too often when to ask again", async () => {
    if (isGuest) await editor().logInAs("reader");
    await editor().open();
    isGuest = false;
    const { page } = editor();
    const json = { problem: "Wait 7 s, then try again.", code: "READ_LIMIT" };
    await page.route("**/crec/monitor/refresh", (route) => route.fulfill({ status: 429, json }), {
      times: 1,
    });
    await page.evaluate("RED.actions.invoke('crec:show-tab')");
    await page.locator(".crec-tools").getByRole("button", { name: "Refresh" }).click();
    await page.locator(".red-ui-notification", { hasText: json.problem }).waitFor();
  });

  it("tell someone whose login has ended to log in again", async () => {
    const { page } = editor();
    const { flows, ids } = await flowOfAll(editor());
    await editor().openWith(flows);
    await page.evaluate("RED.actions.invoke('crec:show-tab')");
    await page.locator(".crec-live[data-state=live]").waitFor({ state: "attached" });
    // Node-RED itself opens no form with credentials after it.
    const form = await editor().form(String(ids["crec-connection"]));
    await page.evaluate("RED.settings.set('auth-tokens', { access_token: 'ended' })");
    const ended = "Your login to Node-RED has ended.";
    await form.root.locator("#crec-connection-test").click();
    await form.root.getByText(ended).waitFor();
    await form.cancel();
    await page.locator(".crec-tools").getByRole("button", { name: "Refresh" }).click();
    await page.locator(".red-ui-notification", { hasText: ended }).waitFor();
    await editor().open();
  });

  it("say in the sidebar which permission is missing", async () => {
    await editor().logInAs("guest");
    await editor().open();
    isGuest = true;
    await editor().page.evaluate("RED.actions.invoke('crec:show-tab')");
    const said = editor().page.locator(".crec-live[data-state=forbidden]");
    await said.waitFor();
    should(await said.textContent()).containEql("crec.read");
    should(await editor().page.locator(".crec-panel:visible").count()).equal(0);
  });
});

/** Forms with a button for each kind of request: a test, a new secret, a change of what a flow does. */
const REFUSING = ["crec-connection", "crec-signer", "crec-events-in"];

/** A sentence about what one may do. */
const REFUSAL = /may not|not allowed|permission/i;

/** The buttons that our form itself has. */
function ownButtons(form: Form): Promise<string[]> {
  return form.root
    .locator("button[id^=crec-]:visible:enabled")
    .evaluateAll((buttons) => buttons.map((button) => (button as unknown as { id: string }).id));
}

/** How long a button may take to ask a question or an endpoint of ours. Some do neither. */
const EFFECT_MS = 3_000;

/** Presses a button, and the one of the question that it may ask. Whether an endpoint of ours then refuses. */
async function isRefused({ page }: Editor, button: Locator): Promise<boolean> {
  const refusal = () =>
    page
      .waitForResponse(
        // The form itself asks about variables, at any time: that is no answer to a person.
        (answer) =>
          /\/crec\/(?!variables)/.test(answer.url()) &&
          answer.request().method() === "POST" &&
          answer.status() === 401,
        { timeout: EFFECT_MS },
      )
      .then(
        () => true,
        () => false,
      );
  const action = page.locator(".ui-dialog:has(.crec-dialog) button.primary");
  const refused = refusal();
  await button.click();
  const isAsked = action.waitFor({ timeout: EFFECT_MS }).then(
    () => true,
    () => false,
  );
  const isQuestion = await Promise.race([refused.then(() => false), isAsked]);
  if (!isQuestion) return refused;
  const refusedThen = refusal();
  await action.click();
  return refusedThen;
}
