import type { Page } from "playwright-core";
import should from "should";
import { ACTIVITY_SETTINGS } from "../support/activity.ts";
import { hasBrowser, sharedBrowser } from "../support/browser.ts";
import { NodeRed, UserDir } from "../support/node-red.ts";
import * as of from "../support/sidebar.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

describe("the sidebar over a connection that breaks", function () {
  this.timeout(120_000);
  let proxy: TcpProxy;
  let userDir: UserDir;
  let nodeRed: NodeRed;
  let page: Page;
  let sidebar: of.Sidebar;

  before(async function () {
    if (!hasBrowser()) return this.skip();
    userDir = await UserDir.make();
    nodeRed = await start();
    proxy = await TcpProxy.before(nodeRed.url);
    await nodeRed.deploy(of.FLOWS);
  });

  beforeEach(async () => {
    page = await (await (await sharedBrowser()).newContext()).newPage();
    sidebar = new of.Sidebar({ page });
  });

  afterEach(async () => {
    await page?.context().close();
    proxy?.resume();
    proxy?.restore();
    if (proxy) proxy.alter = undefined;
  });

  after(async () => {
    await nodeRed?.kill();
    await proxy?.close();
    await userDir?.remove();
  });

  const start = () => NodeRed.start(userDir, {}, { settings: ACTIVITY_SETTINGS });

  const open = async () => {
    await page.goto(proxy.baseUrl);
    await page.locator("#red-ui-header-toolbar:not(.hide)").waitFor();
  };

  const state = async (text: RegExp) => {
    await sidebar.root.locator(".crec-live").getByText(text).waitFor();
  };

  it("is live again by itself after a restart, with what there is then", async () => {
    await open();
    await sidebar.open();
    await of.tell({ nodeRed }, of.event(1, { name: "Before" }));
    await sidebar.row("events", "Before").waitFor();

    proxy.cut();
    await nodeRed.kill();
    nodeRed = await start();
    proxy.target = new URL(nodeRed.url);
    proxy.restore();
    // It listens before its flows run, which a deploy awaits. Other flows than those that it starts by itself: these have
    // the same revision, and may be said to run while they are being replaced.
    await nodeRed.deploy([...of.FLOWS, { id: "more", type: "tab", label: "more" }]);
    await of.tell({ nodeRed }, of.event(1, { name: "After" }));
    await sidebar.row("events", "After").waitFor({ timeout: 60_000 });
    should(await sidebar.row("events", "Before").count()).equal(0);
    await of.tell({ nodeRed }, of.event(2, { name: "Later" }));
    await sidebar.row("events", "Later").waitFor();
  });

  it("shows what came while the connection was cut", async () => {
    await open();
    await sidebar.open();
    proxy.cut();
    await of.tell({ nodeRed }, of.event(11, { name: "Meanwhile" }));
    proxy.restore();
    await sidebar.row("events", "Meanwhile").waitFor();
    await sidebar.open();
  });

  it("says that Node-RED does not answer while nothing gets through, and goes on", async () => {
    await page.clock.install();
    await open();
    await sidebar.open();
    proxy.hang();
    await page.clock.runFor(30_000);
    await state(/^Not live: Node-RED does not answer/);
    await of.tell({ nodeRed }, of.event(12, { name: "Held" }));
    proxy.resume();
    await sidebar.row("events", "Held").waitFor();
    await sidebar.open();
  });

  it("names the web socket where a proxy does not pass it on", async () => {
    await page.clock.install();
    proxy.alter = (sent) => sent.replace(/^Upgrade: websocket/im, "Upgrade: webs0cket");
    await open();
    await page.evaluate("RED.actions.invoke('crec:show-tab')");
    await state(/^Loading/);
    await page.clock.runFor(30_000);
    await state(/^Not live: Node-RED answers, but its web socket/);
    proxy.alter = undefined;
    await page.clock.runFor(5_000);
    await sidebar.open();
  });
});
