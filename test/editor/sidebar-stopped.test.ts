import type { Page } from "playwright-core";
import should from "should";
import { ACTIVITY_SETTINGS } from "../support/activity.ts";
import { hasBrowser, sharedBrowser } from "../support/browser.ts";
import { NodeRed, UserDir } from "../support/node-red.ts";
import * as of from "../support/sidebar.ts";

const STOPPED = "The flows are stopped.";
/** Notes what the editor is told until the flows run, and what the sidebar shows then. */
const SEEN = `globalThis.seen = new Promise((resolve) => {
  const seen = [];
  RED.events.on("runtime-state", ({ state }) => {
    seen.push(state + " " + document.querySelector(".crec-live").dataset.state);
    if (state === "start") resolve(seen);
  });
}), undefined`;

describe("the sidebar while the flows are stopped", function () {
  this.timeout(120_000);
  let userDir: UserDir;
  let nodeRed: NodeRed | undefined;
  let page: Page | undefined;

  before(async function () {
    if (!hasBrowser()) return this.skip();
    userDir = await UserDir.make();
  });
  afterEach(async () => {
    await page?.context().close();
    await nodeRed?.kill();
  });
  after(() => userDir?.remove());

  /** Nothing is told to the sidebar: the sections are as empty as without a flow. */
  const open = async (...define: string[]) => {
    const started = await NodeRed.start(userDir, {}, { settings: ACTIVITY_SETTINGS, define });
    nodeRed = started;
    const opened = await (await (await sharedBrowser()).newContext()).newPage();
    page = opened;
    const sidebar = new of.Sidebar({ page: opened });
    const show = async () => {
      await opened.goto(started.url);
      await opened.locator("#red-ui-header-toolbar:not(.hide)").waitFor();
      await opened.evaluate("RED.actions.invoke('crec:show-tab')");
    };
    const says = (state: "live" | "stopped") =>
      sidebar.root.locator(`.crec-live[data-state=${state}]`).waitFor({ state: "attached" });
    const empty = (panel: string) => sidebar.panel(panel).locator(".crec-empty").textContent();
    return { nodeRed: started, sidebar, show, says, empty };
  };

  it("says so when a person stops them, and not during a deploy", async () => {
    const { nodeRed, sidebar, show, says, empty } = await open("runtimeState.enabled=true");
    await nodeRed.deploy([]);
    await show();
    await says("live");
    const before = await empty("connections");
    should(before).startWith("No connection is deployed.");
    const state = async (wanted: string) => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ state: wanted });
      should((await nodeRed.fetch("flows/state", { method: "POST", headers, body })).status).equal(200);
    };
    await state("stop");
    await says("stopped");
    should(await sidebar.root.locator(".crec-live").textContent()).equal(STOPPED);
    for (const panel of ["issues", "connections", "readers"]) should(await empty(panel)).equal(STOPPED);
    await state("start");
    await says("live");
    should(await empty("connections")).equal(before);
    await page?.evaluate(SEEN);
    await nodeRed.deploy([{ id: "more", type: "tab", label: "more" }]);
    should(await page?.evaluate("globalThis.seen")).deepEqual(["stop live", "start live"]);
  });

  it("says so in safe mode", async () => {
    const { show, says, empty } = await open("safeMode=true");
    await show();
    await says("stopped");
    should(await empty("connections")).equal(STOPPED);
  });
});
