import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import should from "should";
import { hasBrowser, sharedBrowser } from "../../test/support/browser.ts";
import { itWide } from "../../test/support/wide.ts";
import { type Api, spawnService, startTestService, temporaryFolder } from "./support.ts";
import { useOperations } from "./use-operations.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const HOSTILE = `<img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script>`;

describe("the time line on the start page", function () {
  this.timeout(120_000);
  const { call, draft, submit, started } = useOperations();
  let api: Api;
  let browser: Browser;
  let tab: Page;
  let complaints: string[];

  before(async function () {
    if (!hasBrowser()) this.skip();
    ({ api } = started());
    browser = await sharedBrowser();
  });
  beforeEach(async () => {
    tab = await openTab(api.ready.base_url);
  });
  afterEach(async () => {
    await tab?.close();
    should(complaints).be.empty();
  });

  async function openTab(baseUrl: string, options: Parameters<Browser["newPage"]>[0] = {}): Promise<Page> {
    complaints = [];
    const page = await browser.newPage(options);
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(baseUrl);
    return page;
  }
  const group = (text: string) => tab.locator("#groups > li", { has: tab.locator("h3", { hasText: text }) });
  const status = (text: string, value: string) =>
    group(text)
      .first()
      .locator(".status", { hasText: new RegExp(`^${value}$`) })
      .waitFor();

  it("follows an operation and its event without being loaded again", async () => {
    const { channelId, wallet } = started();
    await api.transferWatcher(channelId);
    await api.ok("POST", "/local/faucet", { to: wallet.address, amount: "5000000000000000000" });
    await tab.evaluate("window.isSame = true");
    await submit(draft([call("DemoToken", "transfer", [wallet.address, 2_000_000_000_000_000_000n])]));
    await status("Operation: transfer 2 DEMO (DemoToken)", "confirmed");
    const shown = await group("Operation: transfer 2 DEMO").textContent();
    should(shown).match(/The transaction is final\. Proof: 3 signatures, 3 needed\./);
    const steps = await group("Operation: transfer 2 DEMO").locator(".path li").allInnerTexts();
    should(steps).eql([
      ...["accepted", "sending", "sent", "broadcasting", "confirmed_latest", "confirmed_safe", "confirmed"],
    ]);
    await status("Event: Transfer of 2 DEMO", "finalized");
    should(await group("Event: Transfer of 2 DEMO").textContent()).match(
      /caused by “Operation: transfer 2 DEMO/,
    );
    should(await tab.evaluate("window.isSame")).be.true();
  });

  itWide("shows hostile names as text, and a tampered proof", async () => {
    const channelId = await api.channel(HOSTILE);
    await api.ok("POST", "/local/proofs", { action: "corrupt", match: { channel_id: channelId } });
    await api.transferWatcher(channelId, HOSTILE);
    await api.ok("POST", "/local/faucet", { amount: "3000000000000000000" });
    await tab.locator("#groups p", { hasText: "tampered with, as a tester asked" }).first().waitFor();
    await api.ok("DELETE", "/local/proofs");
    should(await group(`Channel: ${HOSTILE}`).count()).equal(1);
    should(await tab.locator("#channel option", { hasText: HOSTILE }).count()).equal(1);
    should(await tab.locator("#groups img, #groups script").count()).equal(0);
    should(await tab.title()).equal("Local channel service");
  });

  itWide("shows one channel, or all", async () => {
    const names = ["one channel", "another channel"];
    for (const name of names) await api.channel(name);
    await group("Channel: another channel").waitFor();
    await tab.locator("#channel").selectOption({ label: "one channel" });
    await group("Channel: another channel").waitFor({ state: "hidden" });
    should(await group("Channel: one channel").isVisible()).be.true();
    await tab.locator("#channel").selectOption({ label: "all" });
    await group("Channel: another channel").waitFor();
  });

  itWide("can be paused, and then shows what has happened meanwhile", async () => {
    await tab.locator("#connection", { hasText: "Connected" }).waitFor();
    await tab.locator("#pause").press("Enter");
    await tab.locator("#connection", { hasText: "Paused" }).waitFor();
    await api.channel("made in the pause");
    await tab.locator("#pause").press("Enter");
    await group("made in the pause").waitFor();
    should(await group("made in the pause").count()).equal(1);
  });

  itWide("keeps the focus and opened details while it changes", async () => {
    const channelId = await api.channel("kept");
    const summary = group("kept").locator("summary");
    await summary.press("Enter");
    await api.ok("PATCH", `/channels/${channelId}`, { name: "kept, renamed" });
    await group("kept, renamed").waitFor();
    should(await group("kept, renamed").locator("details").getAttribute("open")).equal("");
    should(await summary.evaluate((element) => element === document.activeElement)).be.true();
    should(await group("kept, renamed").locator(".entries").textContent()).match(
      new RegExp(`id ${channelId}`),
    );
  });

  itWide("says what to press while nothing has happened", async () => {
    const own = await startTestService();
    await tab.close();
    tab = await openTab(own.api.ready.base_url);
    await tab.getByText("Nothing has happened yet. In Node-RED").waitFor();
    await own.api.channel("first");
    await group("Channel: first").waitFor();
    should(await tab.locator("#empty").isVisible()).be.false();
    await tab.close();
    await own.dispose();
  });

  itWide("says that the connection is lost, and continues when the service is back", async () => {
    const folder = temporaryFolder();
    const first = await spawnService(folder.path);
    await tab.close();
    tab = await openTab(first.ready.base_url);
    await first.api.channel("before");
    await group("Channel: before").waitFor();
    first.child.kill("SIGKILL");
    await tab.locator('#connection[data-state="lost"]').waitFor();
    await first.exited;
    const again = await spawnService(folder.path, { args: ["--port", new URL(first.ready.base_url).port] });
    await tab.locator('#connection[data-state="connected"]').waitFor();
    await again.api.channel("after");
    await group("Channel: after").waitFor();
    should(await group("Channel: before").count()).equal(1);
    await tab.close();
    // The browser reports each attempt that the dead service did not answer.
    complaints = complaints.filter((text) => !text.includes("ERR_"));
    again.child.kill();
    await again.exited;
    folder.dispose();
  });

  for (const colorScheme of ["light", "dark"] as const) {
    itWide(`is accessible in a ${colorScheme} theme and on a small screen`, async () => {
      await api.ok("POST", "/local/failures", { kind: "query" });
      await api.ok("DELETE", "/local/failures");
      await tab.close();
      tab = await openTab(api.ready.base_url, { colorScheme, viewport: { width: 380, height: 700 } });
      await group("Injected failure").first().waitFor();
      await group("Injected failure").first().locator("summary").press("Enter");
      await tab.evaluate(axe);
      const violations = await tab.evaluate(async () => {
        type Axe = { run(of: unknown): Promise<{ violations: Array<{ id: string }> }> };
        const checker = (globalThis as unknown as { axe: Axe }).axe;
        return (await checker.run("html")).violations.map(({ id }) => id);
      });
      should(violations).be.empty();
      should(await tab.evaluate("document.documentElement.scrollWidth")).equal(380);
    });
  }
});
