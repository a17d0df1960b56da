import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Locator, Route } from "playwright-core";
import should from "should";
import type { RehearsalState, ShownReport, StartQuestion } from "../../plugins/rehearsal/types.ts";
import { THEMES, useEditor } from "../support/editor.ts";
import type { FlowNode } from "../support/node-red.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const HOSTILE = `<img src="data:," onerror="globalThis.isTaken = true">`;
const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1, 8);

const FLOWS: readonly FlowNode[] = [
  { id: "alarms", type: "tab", label: "Alarms" },
  { id: "tell", type: "tab", label: `Tell ${HOSTILE}` },
  { id: "other", type: "tab", label: "Other" },
  node("transfers", "inject", { x: 160, y: 160, wires: [["large"]] }),
  node("large", "function", {
    x: 400,
    y: 160,
    name: "large transfers",
    func: "return msg;",
    outputs: 2,
    wires: [["out"], ["mail"]],
  }),
  node("out", "link out", { x: 640, y: 100, links: ["in"], wires: [] }),
  node("mail", "debug", { x: 680, y: 240, name: HOSTILE, wires: [] }),
  { ...node("in", "link in", { x: 100, y: 100, links: ["out"], wires: [["http"]] }), z: "tell" },
  { ...node("http", "http request", { x: 300, y: 100, wires: [[]] }), z: "tell" },
];

function node(id: string, type: string, properties: Partial<FlowNode>): FlowNode {
  return { id, type, z: "alarms", ...properties };
}

const outcome = (kind: "alert" | "suppressed" | "sent" | "ack" | "error", hour: number, text: string) => ({
  ...{ kind, at: START + hour * HOUR, text, node: kind === "sent" ? "http" : "large", path: 0 },
  ...{ event: { channelId: "c", offset: 40 + Math.floor(hour) } },
  ...(kind === "suppressed" ? { why: "quiet" } : {}),
});

const REPORT: ShownReport = {
  format: "crec-rehearsal",
  version: 1,
  span: { from: START, to: START + 24 * HOUR },
  seed: 1,
  timeZone: "UTC",
  tabs: [{ id: "alarms", label: "Alarms" }],
  channels: [{ id: "c", name: `main ${HOSTILE}`, events: 1_234 }],
  events: { read: 1_234, delivered: 1_200 },
  nodes: [
    of("transfers", "inject", 0, [1_200], {}),
    of("large", "function", 1_200, [31, 1_169], { alert: 31, suppressed: 120, error: 1 }),
    of("out", "link out", 31, [31], {}),
    of("mail", "debug", 1_169, [], { ack: 5 }),
    { ...of("http", "http request", 31, [0], { sent: 31 }), tab: "tell" },
  ],
  wires: [
    { from: "transfers", port: 0, to: "large", count: 1_200 },
    { from: "large", port: 0, to: "out", count: 31 },
    { from: "large", port: 1, to: "mail", count: 1_169 },
  ],
  outcomes: [
    ...Array.from({ length: 31 }, (_, index) => outcome("alert", index / 4, `Large transfer ${index}`)),
    ...Array.from({ length: 120 }, (_, index) => outcome("suppressed", index / 6, "held back")),
    outcome("error", 12, HOSTILE),
    ...Array.from({ length: 31 }, (_, index) => outcome("sent", index / 4, "POST https://chat.example")),
    ...Array.from({ length: 5 }, (_, index) => outcome("ack", index, "no alert")),
  ],
  paths: [
    [
      { from: "transfers", port: 0, to: "large" },
      { from: "large", port: 0, to: "out" },
    ],
  ],
  notes: [
    { kind: "silent-source", node: "transfers", text: "This node sends nothing in a rehearsal." },
    { kind: "recorded", node: "http", text: `It would have sent to ${HOSTILE}` },
  ],
};

function of(id: string, type: string, received: number, sent: number[], outcomes: object) {
  return {
    id,
    type,
    name: "",
    tab: "alarms",
    handling: "runs",
    received,
    sent,
    outcomes,
    reasons: {},
  } as const;
}

type Axe = { run(within: unknown): Promise<{ violations: Array<{ id: string; nodes: unknown[] }> }> };

describe("the rehearsal in the editor", function () {
  this.timeout(120_000);
  // Each test continues where the one before ended.
  this.bail(true);
  const editor = useEditor();
  const asked: StartQuestion[] = [];
  let states: RehearsalState[] = [];
  let panel: Locator;
  let dialog: Locator;

  /** Answers in the place of the run time, whose own tests are in test/rehearsal. */
  async function answer(route: Route): Promise<void> {
    const { pathname, searchParams } = new URL(route.request().url());
    const answers: Record<string, () => unknown> = {
      progress: () => (states.length > 1 ? states.shift() : (states[0] ?? { state: "none" })),
      start: () => {
        asked.push(route.request().postDataJSON() as StartQuestion);
        return states.shift();
      },
      report: () => REPORT,
      message: () => ({ message: { payload: HOSTILE, outcome: searchParams.get("outcome") } }),
      file: () => ({ name: `expect.${searchParams.get("kind")}`, type: "application/json", text: "{}" }),
      differences: () => ({
        inputs: ["The seeds differ: 1 before, 2 after."],
        outcomes: [
          {
            kind: "alert",
            node: "large",
            before: 9,
            after: 31,
            appeared: REPORT.outcomes.slice(0, 22),
            gone: [],
            changed: [],
          },
        ],
        nodes: [{ node: "mail", name: "", before: 1_000, after: 1_169 }],
      }),
      cancel: () => ({}),
    };
    await route.fulfill({ json: answers[pathname.split("/").at(-1) ?? ""]?.() ?? {} });
  }

  before(async () => {
    const { page } = editor();
    await page.route("**/crec/rehearsal/**", answer);
    await page.setViewportSize({ width: 1280, height: 800 });
    await editor().nodeRed.deploy(FLOWS);
    // Anew: the page remembers what another test rehearsed last.
    await editor().open("light");
    panel = page.locator(".crec-rehearsal");
    dialog = page.locator(".crec-rehearse-form");
  });

  after(() => editor().page.setViewportSize({ width: 1500, height: 1200 }));

  const press = (name: string | RegExp, within = panel) => within.getByRole("button", { name }).click();
  const shot = async (name: string) => {
    if (process.env.SHOTS) await editor().page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
  };

  it("asks what to rehearse, with the current tab chosen", async () => {
    const { page } = editor();
    // Another test may have left another tab.
    await page.evaluate("RED.workspaces.show('alarms')");
    await page.evaluate("RED.actions.invoke('crec:show-tab')");
    await shot("sidebar");
    // Two presses, and a third one while it is open.
    await page.locator(".crec-sidebar").getByRole("button", { name: "Rehearse…" }).dblclick();
    await dialog.waitFor();
    await page.evaluate("RED.actions.invoke('crec:rehearse')");
    should(await dialog.getByLabel("Alarms").isChecked()).be.true();
    should(await dialog.locator(".crec-hint", { hasText: "Also rehearsed" }).textContent()).endWith(HOSTILE);
    await shot("dialog");
    await dialog.getByText("More options").click();
    await dialog.getByText("Test replies").click();
    await shot("dialog-options");
    const reply = dialog.getByLabel("http request");
    await reply.fill("[1]");
    await press("Start", editor().page.locator(".ui-dialog"));
    should(await dialog.getByRole("alert").textContent()).startWith("The test reply of http request");
    await reply.fill('{"payload": 1}');
    await dialog.getByLabel("Events").selectOption("offsets");
    await press("Start", editor().page.locator(".ui-dialog"));
    should(await dialog.getByRole("alert").textContent()).startWith("Enter two whole numbers");
    await dialog.getByLabel("Events").selectOption("last");
  });

  it("starts it with the flows of the editor, and shows how far it is", async () => {
    const running = { state: "running", number: 1, span: REPORT.span, events: 600, alerts: 3 } as const;
    states = [running, { ...running, at: START + 12 * HOUR }];
    await press("Start", editor().page.locator(".ui-dialog"));
    await panel.getByText("600 events · 3 alerts").waitFor();
    const [question] = asked;
    should(question).containDeep({ tabs: ["alarms"], span: { last: 24 }, seed: 1, copyContext: false });
    should(question?.replies).deepEqual({ http: [[{ payload: 1 }]] });
    should(question?.flows.map(({ id }) => id)).containDeep(["alarms", "large", "http"]);
    should(
      await panel.locator("progress").evaluate((bar) => (bar as unknown as { value: number }).value),
    ).equal(0.5);
    await shot("running");
    states = [{ state: "done", number: 1, hasBefore: true }];
    await panel.getByText("183 outcomes").waitFor();
    await shot("report");
  });

  const chips = (text: string) => editor().page.locator(".crec-mark-chip", { hasText: text });
  const rows = () => panel.locator(".crec-outcome");

  it("draws counts on nodes and wires, also after another tab was shown, and when a node moves", async () => {
    should(await chips("1,200").count()).equal(3);
    should(await chips("120").locator("title").allTextContents()).containEql("120 without alert");
    const { page } = editor();
    await page.evaluate("RED.workspaces.show('tell')");
    await chips("1,200").first().waitFor({ state: "detached" });
    await chips("31").first().waitFor();
    await page.evaluate("RED.workspaces.show('alarms')");
    await chips("1,169").first().waitFor();
    const before = await chips("1,169").first().getAttribute("transform");
    await page.evaluate(
      "{ const node = RED.nodes.node('mail'); node.y += 40; node.dirty = true; RED.view.redraw(); }",
    );
    await page.waitForFunction(
      `document.querySelectorAll(".crec-mark-wire")[2].getAttribute("transform") !== ${JSON.stringify(before)}`,
    );
    should(await chips("1,169").count()).equal(2);
  });

  it("lists what happened by kind, node and time", async () => {
    await press("120 without alert");
    await panel.getByText("63 outcomes").waitFor();
    await panel.getByLabel("Outcomes of which node").selectOption("http");
    await panel.getByText("31 outcomes").waitFor();
    await panel.getByLabel("Outcomes of which node").selectOption("");
    await press("120 without alert");
    await panel.locator(".crec-bar").first().focus();
    await editor().page.keyboard.press("ArrowRight");
    await editor().page.keyboard.press("Enter");
    await panel.getByText("2 outcomes", { exact: true }).waitFor();
    await editor().page.keyboard.press("Enter");
    await panel.getByText("183 outcomes").waitFor();
    should(await rows().count()).equal(100);
    await press("Show 83 more");
    should(await rows().count()).equal(183);
    await chips("120").click();
    await panel.getByText("120 outcomes").waitFor();
    should(await rows().first().textContent()).containEql("held back (quiet time)");
    await press("31 alerts");
    await panel.getByLabel("Outcomes of which node").selectOption("");
  });

  it("lists acknowledgements when they are asked for", async () => {
    const acks = panel.getByRole("button", { name: "5 acknowledgements", exact: true });
    should(await acks.getAttribute("aria-pressed")).equal("false");
    // Chosen in the time line.
    await panel
      .locator(".crec-bar", { has: editor().page.locator('[data-kind="ack"]') })
      .first()
      .click();
    await panel.getByText("1 outcome", { exact: true }).waitFor();
    should(await acks.getAttribute("aria-pressed")).equal("true");
    await editor().page.keyboard.press("Enter");
    await panel.getByText("156 outcomes").waitFor();
    await acks.click();
    await panel.getByText("151 outcomes").waitFor();
  });

  it("shows a message, and the way that it took", async () => {
    await rows().first().focus();
    await editor().page.keyboard.press("ArrowDown");
    await editor().page.keyboard.press("Enter");
    await panel.locator("pre", { hasText: HOSTILE.replaceAll('"', '\\"') }).waitFor();
    should(await panel.locator(".crec-facts").textContent()).containEql(`40, channel main ${HOSTILE}`);
    should(await panel.locator(".crec-path li").allTextContents()).deepEqual([
      "inject",
      "large transfers",
      "link out",
    ]);
    should(await editor().page.locator("path.crec-mark-path").count()).equal(2);
    should(await editor().page.locator("rect.crec-mark-path").count()).equal(3);
    await shot("message");
    await press("Notes");
    should(await panel.locator(".crec-notes").textContent()).match(
      /Sent nothing: inject.*Not run: http request/,
    );
    should(await editor().page.locator(".crec-mark-path").count()).equal(0);
  });

  it("says what is other than in the rehearsal before", async () => {
    await press("Compare with the previous");
    await panel.getByText("31 alerts instead of 9").waitFor();
    await panel.getByText("New:").first().waitFor();
    should(await panel.locator(".crec-rehearsal-details").textContent()).match(/1,169 instead of 1,000/);
    await shot("differences");
  });

  it("saves the rehearsal as a test", async () => {
    const saved = editor().page.waitForEvent("download");
    await press("Keep as a test");
    should((await saved).suggestedFilename()).equal("expect.test");
  });

  it("takes names and messages as texts", async () => {
    should(await editor().page.evaluate("globalThis.isTaken")).be.undefined();
  });

  for (const theme of THEMES)
    it(`can be used with a screen reader, in the ${theme} theme`, async () => {
      const { page, inPage } = editor();
      await inPage.showTheme(theme);
      await page.evaluate(axe);
      const found = await page.evaluate(() =>
        (globalThis as unknown as { axe: Axe }).axe
          .run(".crec-rehearsal")
          .then(({ violations }) => violations),
      );
      await shot(theme);
      should(found.map(({ id, nodes }) => [id, JSON.stringify(nodes).slice(0, 300)])).deepEqual([]);
    });

  it("takes the counts away when the flow changes", async () => {
    await editor().page.evaluate(
      "{ const node = RED.nodes.node('large'); node.func = 'return null;'; RED.events.emit('nodes:change', node); }",
    );
    await panel.getByText("The flow has changed").waitFor();
    should(await editor().page.locator(".crec-rehearsal-marks").count()).equal(0);
  });

  it("rehearses again with the same choices", async () => {
    states = [{ state: "failed", number: 2, why: `Deploy ${HOSTILE} first.`, code: "DEPLOY_FIRST" }];
    await press("Rehearse again");
    await panel.getByRole("alert").waitFor();
    should(await panel.getByRole("alert").textContent()).equal(`Deploy ${HOSTILE} first.`);
    should(asked.length).equal(2);
    should(asked[1]?.flows.find(({ id }) => id === "large")?.func).equal("return null;");
    await shot("failed");
  });

  it("is closed by a button, and leaves the flow its room", async () => {
    await press("Clear the rehearsal");
    await panel.waitFor({ state: "detached" });
    should(await editor().page.locator(".crec-with-rehearsal").count()).equal(0);
  });
});
