import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Locator } from "playwright-core";
import should from "should";
import { ACTIVITY_SETTINGS } from "../support/activity.ts";
import { THEMES, useEditor } from "../support/editor.ts";
import * as of from "../support/sidebar.ts";
import { itWide, needsCoreTests } from "../support/wide.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const HOSTILE = `<img src="data:," onerror="globalThis.isTaken = true">`;

/** Two that read with one consumer name. */
const TWINS = ["one", "two"].map((name, index) => ({
  ...{ id: name, name, type: "crec-events-in", z: "alarms", x: 200, y: 400 + index * 60 },
  ...{ channel: "channel", consumer: "twins", wires: [[], []] },
}));
/** Beside two with names. */
const UNNAMED = {
  ...{ id: "unnamed", type: "crec-events-in", z: "payments", x: 200, y: 400 },
  ...{ channel: "channel", wires: [[], []] },
};

type Marked = { focus(): void; matches(selector: string): boolean; isOfTest?: boolean };
type Axe = { run(within: unknown): Promise<{ violations: Array<{ id: string; nodes: unknown[] }> }> };

describe("the sidebar", function () {
  needsCoreTests(this);
  this.timeout(120_000);
  const editor = useEditor({ settings: ACTIVITY_SETTINGS });
  let sidebar: of.Sidebar;
  /** What its panels said before anything had happened. */
  const saidAtFirst = new Map<string, string>();

  before(async () => {
    await editor().openWith([...of.FLOWS, UNNAMED, ...TWINS]);
    sidebar = new of.Sidebar(editor());
    await sidebar.open();
    for (const panel of ["under-way", "ended", "watchers", "wallets", "events"]) {
      const empty = sidebar.panel(panel).locator(".crec-empty");
      if (await empty.isVisible()) saidAtFirst.set(panel, String(await empty.textContent()));
    }
    await of.tell(
      editor(),
      of.connection({
        node: "other",
        label: "staging",
        state: "refused",
        problem: problem("Enter a valid key."),
      }),
      of.reader({ state: "behind", behind: 1_500, behindMs: 190_000, rejected: 2 }),
      of.operation("one"),
      of.operation("two", { status: "failed", outcome: "failed", reason: "The contract refused the call." }),
      of.resource("watcher", "transfers of the token"),
      of.resource("watcher", "limits of the token", { status: "failed" }),
      of.resource("wallet", "treasury"),
      of.event(1),
      of.event(2, { name: "Approval", proof: "rejected", reason: "event_hash_mismatch", tokens: {} }),
    );
    await sidebar.row("events", "Approval").waitFor();
  });

  /** The texts of all rows of a panel. */
  const titles = (panel: string) => sidebar.panel(panel).locator(".crec-row-title").allTextContents();
  const isFocused = (main: Locator) =>
    main.evaluate((element) => (element as unknown as Marked).matches(":focus"));

  it("says what to do where there is nothing yet", () => {
    should(saidAtFirst.get("under-way")).startWith("No operation is under way.");
    should(saidAtFirst).have.keys("under-way", "ended", "watchers", "wallets", "events");
    for (const said of saidAtFirst.values()) should(said.trim()).not.be.empty();
  });

  itWide("keeps its tab where the package is installed again while the page is open", async () => {
    await editor().page.evaluate("RED.plugins.getPlugin('crec-monitor').onadd()");
    should(await sidebar.root.count()).equal(1);
    should(await sidebar.root.locator(".crec-live[data-state=live]").count()).equal(1);
  });

  it("shows what nodes do, in sections", async () => {
    const text = (panel: string, title: string | RegExp) => sidebar.row(panel, title).textContent();
    should(await text("connections", "staging")).match(/refused · 1 h.*12 of 60 calls.*Enter a valid key\./);
    should(await text("readers", "accounting")).match(
      /behind.*position 1,234.*1,500 behind \(3 min\).*2 rej/,
    );
    should(await text("under-way", "pay a supplier")).match(/sent · \d+ sSepolia · wallet 0xababab…abab/);
    should(await text("ended", "pay a supplier")).match(/failed.*The contract refused the call\./);
    should(await text("events", /^Transfer/)).match(/verified · \d+ svalue 12\.5Sepolia · finalized/);
    should(await text("events", "Approval")).containEql("Rejected: changed after signing");
    should(await titles("events")).deepEqual(["Approval", "Transfer"]);
    should(await titles("watchers")).deepEqual(["limits of the token", "transfers of the token"]);
    const summary = sidebar.panel("watchers").locator(".crec-panel-count");
    should(await summary.textContent()).equal("1 failed · 1 active");
  });

  itWide("names a node without a name as its flow does, also in the sentence of an issue", async () => {
    const unnamed = { node: "unnamed", flow: "payments", type: "crec-events-in", label: "crec-events-in" };
    await of.tell(editor(), of.reader({ ...unnamed, consumer: "told" }));
    const reader = sidebar.row("readers", "consumer told").locator(".crec-row-title");
    await reader.waitFor();
    should(await reader.textContent()).equal("events in · main");
    await sidebar.row("issues", /^Events that "events in · main" rejects/).waitFor();
  });

  itWide("changes a row in place when something happens, and leaves the focus where it is", async () => {
    const main = sidebar.main("readers", "accounting");
    await main.evaluate((element) => {
      const row = element as unknown as Marked;
      row.isOfTest = true;
      row.focus();
    });
    await of.tell(editor(), of.reader({ position: 5_678 }), of.event(3, { name: "Deposit" }));
    await sidebar.row("readers", "position 5,678").waitFor();
    await sidebar.row("events", "Deposit").waitFor();
    should(await main.evaluate((element) => (element as unknown as Marked).isOfTest)).be.true();
    should(await isFocused(main)).be.true();
  });

  itWide("keeps the focus in the list when its row goes", async () => {
    await of.tell(editor(), of.operation("three", { label: "pay another" }));
    await sidebar.main("under-way", "pay another").focus();
    await of.tell(editor(), of.operation("three", { label: "pay another", outcome: "reached" }));
    await sidebar.row("ended", "pay another").waitFor();
    should(await isFocused(sidebar.main("under-way", "pay a supplier"))).be.true();
  });

  itWide("lets ages go on without an update", async () => {
    const age = sidebar.row("events", "Deposit").locator(".crec-row-age");
    const before = await age.textContent();
    await sidebar
      .row("events", "Deposit")
      .locator(".crec-row-age", { hasNotText: String(before) })
      .waitFor();
  });

  itWide("shows the rows of a flow, with the config nodes that it uses", async () => {
    await of.tell(editor(), of.event(4, { ...of.ORIGINS.limits, name: "Limit" }));
    await sidebar.row("events", "Limit").waitFor();
    const filter = sidebar.root.locator(".crec-filter");
    await filter.selectOption({ label: "Alarms" });
    should(await titles("events")).deepEqual(["Limit"]);
    should(await titles("connections")).deepEqual(["production"]);
    should(await titles("under-way")).be.empty();
    await filter.selectOption({ label: "Current flow" });
    should(await titles("events")).not.containEql("Limit");
    await editor().page.evaluate("RED.workspaces.show('alarms')");
    should(await titles("events")).deepEqual(["Limit"]);
    await editor().page.evaluate("RED.workspaces.show('payments')");
    await filter.selectOption({ label: "All flows" });
    should(await titles("events"))
      .containEql("Limit")
      .and.containEql("Transfer");
  });

  describe("opens the node of a row", () => {
    const selected = () => editor().page.evaluate("RED.view.selection().nodes?.map(({ id }) => id)");
    const active = () => editor().page.evaluate("RED.workspaces.active()");

    itWide("by a click, in its flow", async () => {
      await sidebar.main("events", "Limit").click();
      should([await active(), await selected()]).deepEqual(["alarms", ["limits"]]);
    });

    itWide("by Enter", async () => {
      await sidebar.main("under-way", "pay a supplier").press("Enter");
      should([await active(), await selected()]).deepEqual(["payments", ["pay"]]);
    });

    itWide("with its form by the second button, and one form at a time", async () => {
      await sidebar.row("under-way", "pay a supplier").hover();
      await sidebar.row("under-way", "pay a supplier").locator(".crec-row-edit").click();
      await editor().page.locator("#node-input-name").waitFor();
      await sidebar.main("connections", "production").click();
      await editor()
        .page.locator(".red-ui-notification", { hasText: "Close the open form first." })
        .waitFor();
      await editor().inPage.leave();
    });

    itWide("of a config node with its form", async () => {
      await sidebar.main("connections", "production").click();
      const form = await editor().formOnTop();
      should(await form.box("name").inputValue()).equal("production");
      await editor().inPage.leave();
    });
  });

  it("lists the issues that are found, and hides one that is ignored", async () => {
    await sidebar.root.getByRole("button", { name: "Check" }).click();
    const issue = sidebar.row("issues", /"production" cannot be used/);
    await issue.getByRole("button", { name: "Ignore:" }).click();
    await issue.getByRole("button", { name: "Stop ignoring:" }).waitFor();
    should(await sidebar.panel("issues").locator(".crec-panel-count").textContent()).endWith("1 ignored");
    should((await titles("issues")).at(-1)).startWith('"production" cannot be used');
    await issue.getByRole("button", { name: "Stop ignoring:" }).click();
    await issue.getByRole("button", { name: "Ignore:" }).waitFor();
    await issue.getByRole("button", { name: "Open the form:" }).click();
    should(await (await editor().formOnTop()).box("name").inputValue()).equal("production");
    await editor().inPage.leave();
  });

  it("names the node that a second button of an issue opens", async () => {
    await sidebar.root.getByRole("button", { name: "Check" }).click();
    const issue = sidebar.row("issues", /have the same consumer name, "twins"/);
    await issue.waitFor();
    const labels = await issue.locator(".crec-row-buttons button").allTextContents();
    should(labels[0]).equal("Open the form");
    should(labels[1]).match(/^Open the form of (?:one|two)$/);
    await issue.getByRole("button", { name: `${labels[1]}:` }).click();
    const box = editor().page.locator("#dialog-form #node-input-name");
    await box.waitFor();
    const name = await box.inputValue();
    should(labels[1]).endWith(name);
    await editor().inPage.leave();
  });

  it("refreshes and copies diagnostics, and says so", async () => {
    const { page } = editor();
    await sidebar.root.locator(".crec-tools").getByRole("button", { name: "Refresh" }).click();
    await page
      .locator(".red-ui-notification", { hasText: "The service has 0 watchers, 0 wallets." })
      .waitFor();
    const copy = sidebar.root.getByRole("button", { name: "Copy diagnostics" });
    await copy.click();
    await page.locator(".red-ui-notification", { hasText: "Copied." }).waitFor();
    should(await isFocused(copy)).be.true();
  });

  itWide("can be walked by keyboard: one stop a list, and arrow keys within and between lists", async () => {
    const { page } = editor();
    const stops = await sidebar
      .panel("events")
      .locator(".crec-row-main")
      .evaluateAll((rows) => rows.map((row) => (row as unknown as { tabIndex: number }).tabIndex));
    should(stops.filter((index) => index === 0)).have.length(1);
    await sidebar.main("watchers", "transfers of the token").focus();
    await page.keyboard.press("ArrowDown");
    should(await isFocused(sidebar.main("wallets", "treasury"))).be.true();
    await page.keyboard.press("ArrowDown");
    should(await isFocused(sidebar.main("events", "Limit"))).be.true();
    await page.keyboard.press("End");
    should(await isFocused(sidebar.main("events", /^Transfer/))).be.true();
    await page.keyboard.press("Home");
    should(await isFocused(sidebar.main("events", "Limit"))).be.true();
  });

  itWide("folds a section, and remembers that", async () => {
    const toggle = sidebar.panel("wallets").getByRole("button", { name: "Wallets" });
    await toggle.click();
    should(await toggle.getAttribute("aria-expanded")).equal("false");
    should(await sidebar.main("wallets", "treasury").isVisible()).be.false();
    should(await editor().page.evaluate("localStorage.getItem('crec-sidebar-closed')")).equal("wallets");
    await toggle.click();
    should(await sidebar.main("wallets", "treasury").isVisible()).be.true();
  });

  itWide("can be read in both themes and by a screen reader", async () => {
    await editor().page.evaluate(axe);
    for (const theme of THEMES) {
      await editor().inPage.showTheme(theme);
      const { violations } = await sidebar.root.evaluate((element) =>
        (globalThis as unknown as { axe: Axe }).axe.run(element),
      );
      should(violations.map(({ id, nodes }) => `${theme} ${id} ${JSON.stringify(nodes)}`)).be.empty();
    }
    await editor().inPage.showTheme("light");
  });

  itWide("cuts no text where it is narrow", async () => {
    for (const width of [250, 300]) {
      const wide = await sidebar.root.evaluate((element, pixels) => {
        type Part = {
          style: { cssText: string };
          scrollWidth: number;
          clientWidth: number;
          className: string;
        };
        type Whole = Part & { querySelectorAll(selector: string): Iterable<Part> };
        const root = element as unknown as Whole;
        root.style.cssText = `width: ${pixels}px`;
        return [root, ...root.querySelectorAll("*")]
          .filter((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0)
          .map(({ className }) => className)
          .filter((name) => name !== "crec-row-title" && name !== "crec-spoken");
      }, width);
      should(wide).be.empty();
    }
    await sidebar.root.evaluate((element) => {
      (element as unknown as { style: { cssText: string } }).style.cssText = "";
    });
  });

  itWide("shows names that are HTML as text", async () => {
    const { page } = editor();
    const label = HOSTILE;
    await of.tell(
      editor(),
      of.connection({ node: "hostile", label, baseUrl: HOSTILE, problem: problem(HOSTILE) }),
      of.reader({ label, consumer: HOSTILE, channel: HOSTILE }),
      of.operation("hostile", { label, status: HOSTILE, reason: HOSTILE, wallet: HOSTILE }),
      of.resource("watcher", HOSTILE, { status: HOSTILE, reason: HOSTILE }),
      of.event(9, {
        label,
        name: HOSTILE,
        tokens: { [HOSTILE]: HOSTILE },
        reason: HOSTILE,
        confidence: HOSTILE,
      }),
    );
    for (const panel of ["connections", "readers", "under-way", "watchers", "events"])
      await sidebar.row(panel, HOSTILE).waitFor();
    should(await sidebar.root.locator("img").count()).equal(0);
    should(await page.evaluate("globalThis.isTaken === true")).be.false();
  });

  itWide("says how many issues there are where it is heard, and nothing else", async () => {
    const live = sidebar.root.locator("[aria-live], [role=status], [role=alert]");
    should(await live.count()).equal(1);
    should(await live.textContent()).match(/^\d+ issues?$/);
  });
});

function problem(message: string): { code: "UNAUTHORIZED"; message: string } {
  return { code: "UNAUTHORIZED", message };
}
