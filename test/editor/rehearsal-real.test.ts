import { readFile } from "node:fs/promises";
import type { Locator } from "playwright-core";
import should from "should";
import { useEditor } from "../support/editor.ts";
import type { FlowNode } from "../support/node-red.ts";

const EXAMPLE = new URL("../../examples/02-large-transfer-alert.json", import.meta.url);

/** A flow that is not deployed, on past events of a scenario: all parts are real. */
describe("a rehearsal from the first guess to a test", function () {
  this.timeout(180_000);
  const editor = useEditor();
  let panel: Locator;
  let dialog: Locator;
  let events: string;

  before(async () => {
    const { page, service } = editor();
    const { base_url, api_key } = service.ready;
    const headers = { authorization: `Apikey ${api_key}` };
    const answer = await fetch(`${new URL(base_url).origin}/local/scenarios/drain?seed=1`, { headers });
    events = await answer.text();
    should(answer.status).equal(200, events.slice(0, 300));
    await editor().openWith(JSON.parse(await readFile(EXAMPLE, "utf8")) as FlowNode[]);
    await page.setViewportSize({ width: 1280, height: 800 });
    panel = page.locator(".crec-rehearsal");
    dialog = page.locator(".crec-rehearse-form");
  });

  after(() => editor().page.setViewportSize({ width: 1500, height: 1200 }));

  const press = (name: string | RegExp, within = panel) => within.getByRole("button", { name }).click();
  const shot = async (name: string) => {
    if (process.env.SHOTS) await editor().page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
  };
  /** Changes what the tab calls a large transfer, in tokens, without a deploy. */
  const setLimit = (tokens: string) =>
    editor().page.evaluate(`{
      const tab = RED.nodes.workspace(RED.workspaces.active());
      for (const one of tab.env) if (one.name === "LARGE_TRANSFER") one.value = "${tokens}";
      RED.events.emit("flows:change", tab);
    }`);
  const alerts = async () => Number(/\d+/.exec(await count("alert"))?.[0] ?? 0);
  const count = async (kind: string) =>
    (await panel.locator(`.crec-kind[data-kind=${kind}]`).allTextContents()).join("");
  const ended = () => panel.getByRole("button", { name: "Keep as a test" }).waitFor({ timeout: 90_000 });

  it("counts on the wires what an edited flow would have done with a file of events", async () => {
    const { page } = editor();
    await setLimit("1");
    await page.evaluate("RED.actions.invoke('crec:show-tab')");
    await press("Rehearse…", page.locator(".crec-sidebar"));
    await dialog.getByLabel("Events").selectOption("file");
    await dialog.locator("input[type=file]").setInputFiles({
      ...{ name: "drain.json", mimeType: "application/json", buffer: Buffer.from(events) },
    });
    await shot("real-dialog");
    await press("Start", page.locator(".ui-dialog"));
    await ended();
    await shot("real-report");
    should(await alerts()).be.above(0);
    should(await page.locator(".crec-mark-wire").count()).be.above(3);
  });

  it("highlights the path of an alert", async () => {
    await panel.locator(".crec-outcome", { hasText: "Large transfer" }).first().click();
    await panel.locator("pre", { hasText: '"Large transfer"' }).waitFor();
    should(await editor().page.locator("path.crec-mark-path").count()).be.above(1);
    await shot("real-alert");
  });

  it("keeps it as a test, which names the events", async () => {
    const saving = editor().page.waitForEvent("download");
    await press("Keep as a test");
    const saved = await saving;
    const test = JSON.parse(await readFile(await saved.path(), "utf8")) as { format: string };
    should(test.format).equal("crec-expectations");
  });

  it("shows what another limit changes", async () => {
    const before = await alerts();
    await setLimit("100000000");
    await press("Rehearse again");
    await panel.getByRole("button", { name: "Compare with the previous" }).waitFor({ timeout: 90_000 });
    await press("Compare with the previous");
    await panel.getByText(`0 alerts instead of ${before}`).waitFor();
    await shot("real-differences");
  });

  it("shows the last report again after the page was loaded again", async () => {
    const { page } = editor();
    await editor().open();
    await page.evaluate("RED.actions.invoke('crec:rehearse')");
    await press("Show the last rehearsal", dialog);
    await ended();
    await shot("real-again");
  });
});
