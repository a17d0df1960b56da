import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Locator } from "playwright-core";
import should from "should";
import type { RehearsalState, ShownReport, StartQuestion } from "../../plugins/rehearsal/types.ts";
import type { Outcome, OutcomeKind } from "../../rehearsal/shared/report.ts";
import { hasChosen, markChosen } from "../support/chosen-rehearsal.ts";
import { THEMES, type Theme, useEditor } from "../support/editor.ts";
import { eventually } from "../support/eventually.ts";
import type { FlowNode } from "../support/node-red.ts";
import { TRANSFER_ABI } from "../support/nodes.ts";
import { SCENARIO_VARIABLES, scenarioOf } from "../support/scenario-files.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const HOSTILE = `<img src="data:," onerror="globalThis.isTaken = true">`;
/** Transfers of a scenario: half of them are of a newest block, which events in does not send. */
const EVENTS = 120;
/** In tokens: all transfers are as large. */
const SMALL = "1";
const LARGE = "50";
/** A rehearsal leaves the processor to others, such as the tests beside this one. */
const REPORT_MS = 150_000;
/** Rows of the list that are made at a time. */
const ROWS = 100;

const FLOWS: readonly FlowNode[] = [
  { id: "alarms", type: "tab", label: "Alarms" },
  { id: "tell", type: "tab", label: `Tell ${HOSTILE}` },
  { id: "other", type: "tab", label: "Other" },
  // What these variables stand for is in the file of events.
  {
    ...{
      id: "connection",
      type: "crec-connection",
      name: HOSTILE,
      baseUrl: "${RECORDED_URL}",
      timeout: "10",
    },
    ...{ orgId: "${RECORDED_ORG}", workflowOwner: "", creTenantId: "${RECORDED_TENANT}" },
    ...{ validSigners: "${RECORDED_SIGNERS}", minRequiredSignatures: "${RECORDED_LEAST}" },
  },
  { id: "channel", type: "crec-channel", connection: "connection", channel: "main" },
  {
    ...{ id: "contract", type: "crec-contract", connection: "connection", abi: TRANSFER_ABI, decimals: "18" },
    chainSelector: SCENARIO_VARIABLES.CREC_CHAIN_SELECTOR,
    address: SCENARIO_VARIABLES.CREC_TOKEN_ADDRESS,
  },
  node("transfers", "crec-events-in", {
    ...{ x: 140, y: 160, name: "transfers", channel: "channel", contract: "contract" },
    ...{ contractEvent: "Transfer", consumer: "rehearsed", start: "beginning", types: ["watcher.event"] },
    ...{ confidence: "highest", verify: true, unverified: "port", commit: "on-ack", inFlight: "1" },
    ...{ ackTimeout: "60", attempts: "3", wires: [["large"], [], []] },
  }),
  node("large", "crec-alert", {
    ...{ x: 400, y: 160, name: "large transfers", contract: "contract", match: "all" },
    conditions: [condition(SMALL)],
    ...{ when: "each", quiet: "10m", within: "10m", slack: "2m", maxKeys: "10000", severity: "warning" },
    // Each alert has an event.
    ...{ version: 2, summarizes: false },
    ...{ title: "Large transfer", text: `{{params.value}} tokens ${HOSTILE}` },
    wires: [["out", "mail", "done"], [], ["fail", "done"]],
  }),
  node("out", "link out", { x: 640, y: 60, links: ["in"], wires: [] }),
  node("mail", "http request", { x: 680, y: 120, name: "mail", method: "POST", url: "", wires: [[]] }),
  node("done", "crec-ack", { x: 680, y: 240, name: HOSTILE, action: "ack", wires: [[]] }),
  node("fail", "function", {
    ...{ x: 680, y: 320, name: "fail", outputs: 0, wires: [] },
    func: `if (msg.crec.offset === 40) node.error(${JSON.stringify(HOSTILE)}, msg);`,
  }),
  node("asked", "http in", { x: 140, y: 320, name: "asked", method: "get", url: "/asked", wires: [[]] }),
  { ...node("in", "link in", { x: 100, y: 100, links: ["out"], wires: [["http"]] }), z: "tell" },
  {
    ...node("http", "http request", { x: 300, y: 100, method: "POST", url: "https://chat.example" }),
    ...{ z: "tell", wires: [["answered"]] },
  },
  { ...node("answered", "debug", { x: 500, y: 100, name: "answered", wires: [] }), z: "tell" },
];
const REPLIES = { http: [[{ payload: 1 }]] };

function node(id: string, type: string, properties: Partial<FlowNode>): FlowNode {
  return { id, type, z: "alarms", ...properties };
}

function condition(tokens: string) {
  return { kind: "field", field: "params.value", is: "atLeast", value: tokens, type: "str", unit: "token" };
}

type Axe = { run(within: unknown): Promise<{ violations: Array<{ id: string; nodes: unknown[] }> }> };

/** The dialog and the panel, on rehearsals by the real run time. Each test begins with the flows and without a panel. */
describe("the rehearsal in the editor", function () {
  this.timeout(180_000);
  const editor = useEditor();
  let panel: Locator;
  let dialog: Locator;
  let events: string;
  /** What the editor has of them when they are loaded. */
  let flows: string | undefined;
  /** Of the flows as they are, over the file, while it is the last one. */
  let kept: { number: number; report: ShownReport } | undefined;

  before(async () => {
    const { page } = editor();
    await page.setViewportSize({ width: 1280, height: 800 });
    panel = page.locator(".crec-rehearsal");
    dialog = page.locator(".crec-rehearse-form");
    const file = await scenarioOf("drain", 1);
    const named = JSON.stringify({ ...file, events: file.events.slice(0, EVENTS) });
    events = named.replaceAll(JSON.stringify(file.channel.name), JSON.stringify(`main ${HOSTILE}`));
  });
  beforeEach(async () => {
    if (editor().isOpen && (await panel.isVisible())) await press("Clear the rehearsal");
    const { inPage, page } = editor();
    // Most tests change nothing.
    if (flows !== undefined && (await inPage.completeFlow()) === flows) {
      await page.evaluate("RED.workspaces.show('alarms')");
      return;
    }
    await editor().openWith(FLOWS);
    flows = await inPage.completeFlow();
  });
  after(() => editor().page.setViewportSize({ width: 1500, height: 1200 }));

  const press = (name: string | RegExp, within = panel) => within.getByRole("button", { name }).click();
  const start = async () => {
    await markChosen(editor());
    await press("Start", editor().page.locator(".ui-dialog"));
  };
  const rows = () => panel.locator(".crec-outcome");
  const outcomes = (count: number) =>
    panel.getByText(count === 1 ? "1 outcome" : `${count} outcomes`, { exact: true }).waitFor();
  const shot = async (name: string) => {
    if (process.env.SHOTS) await editor().page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
  };

  async function asked<T>(path: string, body?: unknown): Promise<T> {
    const init = { method: "POST", headers: { "content-type": "application/json" } };
    const { nodeRed } = editor();
    const url = `crec/rehearsal/${path}`;
    const answer = await nodeRed.fetch(url, body ? { ...init, body: JSON.stringify(body) } : {});
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  /** The number and the report of the rehearsal that has just ended. */
  async function last(): Promise<{ number: number; report: ShownReport }> {
    const state = await eventually(
      "a report",
      () => asked<RehearsalState>("progress"),
      (seen) => seen.state === "done" || seen.state === "failed",
      { pauseMs: 100 },
    );
    if (state.state !== "done") throw new Error(JSON.stringify(state));
    return { number: state.number, report: await asked(`report?number=${state.number}`) };
  }

  /** The report of the flows as they are: the run time keeps it for pages that are opened later. */
  async function report(): Promise<ShownReport> {
    if (kept) return kept.report;
    const { inPage } = editor();
    await asked("upload", { upload: "events", index: 0, text: events });
    const question: StartQuestion = {
      flows: JSON.parse(await inPage.completeFlow()) as StartQuestion["flows"],
      ...{ tabs: ["alarms"], span: { upload: "events" }, replies: REPLIES, seed: 1, goOn: 60 },
      ...{ copyContext: false, askQueries: false, modules: [] },
    };
    await asked("start", question);
    kept = await last();
    return kept.report;
  }

  const invoke = (action: string) => editor().page.evaluate(`RED.actions.invoke('${action}')`);
  const ask = async () => {
    await invoke("crec:rehearse");
    await dialog.waitFor();
  };

  /** Opens the panel with this report. */
  async function shown(): Promise<ShownReport> {
    const current = await report();
    await ask();
    await press("Show the last rehearsal", dialog);
    await outcomes(listed(current).length);
    return current;
  }

  /** Those that are listed at first. */
  const listed = (current: ShownReport) => current.outcomes.filter(({ kind }) => kind !== "ack");
  const countOf = (current: ShownReport, kind: OutcomeKind, id?: string) =>
    current.outcomes.filter((one) => one.kind === kind && (id === undefined || one.node === id)).length;

  /** Counts that are drawn. */
  const chips = (title: string) =>
    editor().page.locator(".crec-mark-chip", {
      has: editor().page.locator("title", { hasText: new RegExp(`^${title}$`) }),
    });
  const wireChips = () => editor().page.locator(".crec-mark-wire");
  const onWires = async () => (await wireChips().allTextContents()).sort();
  /** What is to be drawn on the wires of a tab. */
  const wiresOf = ({ wires }: ShownReport, tab: string) => {
    const within = new Set(FLOWS.filter(({ z }) => z === tab).map(({ id }) => id));
    const seen = wires.filter(({ from, to }) => within.has(from) && within.has(to));
    return seen.map(({ count }) => String(count)).sort();
  };
  const drawn = (wanted: string[]) =>
    eventually("other counts on the wires", onWires, (seen) => String(seen) === String(wanted));

  /** A bar of the time line, and how many outcomes it says it has. */
  async function bar(kind: OutcomeKind, index: number): Promise<{ element: Locator; count: number }> {
    const { page } = editor();
    const element = panel.locator(".crec-bar", { has: page.locator(`[data-kind="${kind}"]`) }).nth(index);
    return { element, count: Number.parseInt((await element.getAttribute("aria-label")) ?? "", 10) };
  }

  async function setLimit(tokens: string): Promise<void> {
    const conditions = JSON.stringify([condition(tokens)]);
    await editor().page.evaluate(
      `{ const node = RED.nodes.node('large'); node.conditions = ${conditions}; RED.events.emit('nodes:change', node); }`,
    );
  }

  it("asks what to rehearse, with the current tab chosen, and says what it cannot take", async () => {
    const { page } = editor();
    if (await hasChosen(editor())) await editor().open();
    await page.evaluate("RED.workspaces.show('alarms')");
    await invoke("crec:show-tab");
    await shot("sidebar");
    // What it shows of its state moves its buttons.
    await page.locator('.crec-live[data-state="live"]').waitFor({ state: "attached" });
    // Two presses, and a third one while it is open.
    await page.locator(".crec-sidebar").getByRole("button", { name: "Rehearse…" }).dblclick();
    await dialog.waitFor();
    await invoke("crec:rehearse");
    should(await dialog.getByLabel("Alarms").isChecked()).be.true();
    should(await dialog.getByLabel("Other").isChecked()).be.false();
    should(await dialog.locator(".crec-hint", { hasText: "Also rehearsed" }).textContent()).endWith(HOSTILE);
    await shot("dialog");
    await dialog.getByText("More options").click();
    await dialog.getByText("Test replies").click();
    await shot("dialog-options");
    const reply = dialog.getByLabel("http request");
    await reply.fill("[1]");
    await start();
    should(await dialog.getByRole("alert").textContent()).startWith("The test reply of http request");
    await reply.fill('{"payload": 1}');
    await dialog.getByLabel("Events").selectOption("offsets");
    await start();
    should(await dialog.getByRole("alert").textContent()).startWith("Enter two whole numbers");
    await press("Cancel", page.locator(".ui-dialog"));
    await dialog.waitFor({ state: "detached" });
  });

  it("rehearses what was chosen; when the flow changes, takes the counts away, rehearses again, and compares", async () => {
    kept = undefined;
    const { page } = editor();
    await setLimit(LARGE);
    await ask();
    await dialog.getByText("More options").click();
    await dialog.getByText("Test replies").click();
    await dialog.getByLabel("http request").fill('{"payload": 1}');
    await dialog.getByLabel("Events").selectOption("file");
    const file = { name: "events.json", mimeType: "application/json", buffer: Buffer.from(events) };
    await dialog.locator('input[type="file"]').setInputFiles(file);
    await start();
    await panel.locator("progress").waitFor();
    await shot("running");
    await panel.getByRole("button", { name: "Rehearse again" }).waitFor({ timeout: REPORT_MS });
    const { report: before } = await last();
    const few = countOf(before, "alert");
    await outcomes(listed(before).length);
    await shot("report");
    should(few).be.above(1);
    // The reply went on.
    should(before.nodes.find(({ id }) => id === "http")?.handling).equal("replied");
    should(before.nodes.find(({ id }) => id === "answered")?.received).equal(few);
    await drawn(wiresOf(before, "alarms"));

    await setLimit(SMALL);
    await panel.getByText("The flow has changed").waitFor();
    should(await page.locator(".crec-rehearsal-marks").count()).equal(0);

    await press("Rehearse again");
    await panel.getByRole("button", { name: "Compare with the previous" }).waitFor({ timeout: REPORT_MS });
    kept = await last();
    const many = countOf(kept.report, "alert");
    should(many).be.above(few);
    // With the same choices.
    should(kept.report.events).deepEqual(before.events);
    should(kept.report.nodes.find(({ id }) => id === "answered")?.received).equal(many);
    await drawn(wiresOf(kept.report, "alarms"));

    // Nobody has to ask what differs.
    const details = panel.locator(".crec-rehearsal-details");
    await details.getByRole("heading", { name: `${many} alerts instead of ${few}`, exact: true }).waitFor();
    await details.getByText(`large transfers: ${many} alerts instead of ${few}`).waitFor();
    await details.getByText("New:").first().waitFor();
    should(await details.textContent()).containEql(`answered: ${many} instead of ${few}`);
    await shot("differences");
  });

  it("shows how far it is", async () => {
    const { page } = editor();
    const span = { from: Date.UTC(2026, 0, 1, 8), to: Date.UTC(2026, 0, 2, 8) };
    const running = { state: "running", number: 1, span, events: 1_600, alerts: 3 } as const;
    let state: RehearsalState = running;
    // A real one is never halfway for certain.
    await page.route("**/crec/rehearsal/start", (route) => route.fulfill({ json: state }));
    await page.route("**/crec/rehearsal/progress*", (route) => route.fulfill({ json: state }));
    state = { state: "none" };
    await ask();
    await dialog.getByLabel("Events").selectOption("last");
    state = running;
    await start();
    await panel.getByText("Starts the process and reads the events…").waitFor();
    state = { ...running, at: (span.from + span.to) / 2 };
    await panel.getByText("1,600 events · 3 alerts").waitFor();
    const value = panel.locator("progress").evaluate((one) => (one as unknown as { value: number }).value);
    should(await value).equal(0.5);
    state = { state: "none" };
    await panel.waitFor({ state: "detached" });
  });

  it("draws counts on nodes and wires, also after another tab was shown, and when a node moves", async () => {
    const current = await shown();
    const { page } = editor();
    await drawn(wiresOf(current, "alarms"));
    const suppressed = countOf(current, "suppressed");
    should(await chips(`${suppressed} without alert`).textContent()).startWith(String(suppressed));
    await page.evaluate("RED.workspaces.show('tell')");
    await drawn(wiresOf(current, "tell"));
    await page.evaluate("RED.workspaces.show('alarms')");
    await drawn(wiresOf(current, "alarms"));
    const places = () => wireChips().evaluateAll((all) => all.map((one) => one.getAttribute("transform")));
    const before = await places();
    await page.evaluate(
      "{ const node = RED.nodes.node('done'); node.y += 40; node.dirty = true; RED.view.redraw(); }",
    );
    const areMoved = (now: typeof before) => now.filter((place) => !before.includes(place)).length === 2;
    await eventually("other places of two counts", places, areMoved);
    should(await onWires()).deepEqual(wiresOf(current, "alarms"));
  });

  it("lists what happened by kind, node and time", async () => {
    const current = await shown();
    const { page } = editor();
    const all = listed(current).length;
    const suppressed = countOf(current, "suppressed");
    await press(`${suppressed} without alert`);
    await outcomes(all - suppressed);
    await panel.getByLabel("Outcomes of which node").selectOption("http");
    await outcomes(countOf(current, "sent", "http"));
    await panel.getByLabel("Outcomes of which node").selectOption("");
    await press(`${suppressed} without alert`);
    await (await bar("alert", 0)).element.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await outcomes((await bar("alert", 1)).count);
    await page.keyboard.press("Enter");
    await outcomes(all);
    await chips(`${suppressed} without alert`).click();
    await outcomes(suppressed);
    should(await rows().first().textContent()).containEql("(quiet time)");
  });

  it("lists acknowledgements when they are asked for, and a hundred outcomes at a time", async () => {
    const current = await shown();
    const name = `${countOf(current, "ack")} acknowledgements`;
    const acks = panel.getByRole("button", { name, exact: true });
    should(await acks.getAttribute("aria-pressed")).equal("false");
    // Chosen in the time line.
    const { element, count } = await bar("ack", 0);
    await element.click();
    await outcomes(count);
    should(await acks.getAttribute("aria-pressed")).equal("true");
    await editor().page.keyboard.press("Enter");
    const { length } = current.outcomes;
    await outcomes(length);
    should(await rows().count()).equal(ROWS);
    await press(`Show ${length - ROWS} more`);
    should(await rows().count()).equal(length);
    await acks.click();
    await outcomes(listed(current).length);
  });

  it("shows a message, and the way that it took", async () => {
    const current = await shown();
    const { page } = editor();
    const marks = (shape: string) => page.locator(`${shape}.crec-mark-path`).count();
    await chips(`${countOf(current, "alert")} alerts`).click();
    await rows().first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const index = indexes(current, "alert")[1];
    const { message } = await asked<Pick<Outcome, "message">>(
      `message?number=${kept?.number}&outcome=${index}`,
    );
    const text = JSON.stringify(message, undefined, 2);
    should(text).containEql(HOSTILE.replaceAll('"', '\\"'));
    await eventually(
      "the message",
      () => panel.locator("pre").textContent(),
      (seen) => seen === text,
    );
    const { event } = current.outcomes[index ?? 0] ?? {};
    should(await panel.locator(".crec-facts").textContent()).containEql(
      `${event?.offset}, channel main ${HOSTILE}`,
    );
    should(await panel.locator(".crec-path li").allTextContents()).deepEqual([
      ...["transfers", "large transfers"],
    ]);
    should([await marks("path"), await marks("rect")]).deepEqual([1, 2]);
    await shot("message");

    // Another one goes on to a tab that is not shown yet.
    await press(`${countOf(current, "alert")} alerts`);
    await press(`${countOf(current, "sent")} sent messages`);
    await panel.getByLabel("Outcomes of which node").selectOption("http");
    await rows().first().click();
    await panel.locator("h4", { hasText: "https://chat.example" }).waitFor();
    should(await panel.locator(".crec-path li").allTextContents()).deepEqual([
      ...["transfers", "large transfers", "link out", "link in", "http request"],
    ]);
    await eventually("the tab of the node", () => page.evaluate("RED.workspaces.active() === 'tell'"));
    await eventually(
      "its wire",
      () => marks("path"),
      (count) => count === 1,
    );
    await press("Notes");
    should(await panel.locator(".crec-notes").allTextContents()).matchAny(/Sent nothing: asked/);
    should(await panel.locator(".crec-notes").allTextContents()).matchAny(/Not run: mail/);
    should(await page.locator(".crec-mark-path").count()).equal(0);
  });

  it("saves the rehearsal as a test, as a page and as JSON", async () => {
    await shown();
    for (const [button, name] of [
      ["Keep as a test", "expect.json"],
      ["Save as HTML", "rehearsal.html"],
      ["Save as JSON", "rehearsal.json"],
    ] as const) {
      const saved = editor().page.waitForEvent("download");
      await press(button);
      should((await saved).suggestedFilename()).equal(name);
      await panel.getByText(`Saved as ${name}.`).waitFor();
    }
  });

  it("takes names and messages as texts", async () => {
    const current = await shown();
    const { page } = editor();
    await chips(`${countOf(current, "alert")} alerts`).click();
    await rows().first().click();
    await panel.locator("pre", { hasText: "onerror" }).waitFor();
    await chips("1 error").click();
    await rows().first().click();
    await panel.locator("pre", { hasText: "{" }).waitFor();
    should(await panel.locator("h4").textContent()).equal(HOSTILE);
    await press("Notes");
    await panel.locator("li", { hasText: `main ${HOSTILE}: ${current.events.read} events` }).waitFor();
    await press("Change choices…");
    await dialog.locator(".crec-hint", { hasText: HOSTILE }).waitFor();
    should(await panel.locator("img").count()).equal(0);
    should(await dialog.locator("img").count()).equal(0);
    should(await page.evaluate("globalThis.isTaken")).be.undefined();
    await press("Cancel", page.locator(".ui-dialog"));
  });

  it("can be used with a screen reader, in both themes", async () => {
    await shown();
    const { page, inPage } = editor();
    await rows().first().click();
    await panel.locator("pre", { hasText: "{" }).waitFor();
    await page.evaluate(axe);
    const found: Array<[Theme, string, string]> = [];
    for (const theme of THEMES) {
      await inPage.showTheme(theme);
      const violations = await page.evaluate(() =>
        (globalThis as unknown as { axe: Axe }).axe.run(".crec-rehearsal").then((all) => all.violations),
      );
      for (const { id, nodes } of violations) found.push([theme, id, JSON.stringify(nodes).slice(0, 300)]);
      await shot(theme);
    }
    await inPage.showTheme("light");
    should(found).be.empty();
  });

  it("is closed by a button, and leaves the flow its room", async () => {
    await shown();
    should(await editor().page.locator(".crec-with-rehearsal").count()).equal(1);
    await press("Clear the rehearsal");
    await panel.waitFor({ state: "detached" });
    should(await editor().page.locator(".crec-with-rehearsal").count()).equal(0);
  });

  it("says why it did not rehearse: a connection that is not deployed, a Node-RED that does not answer", async () => {
    kept = undefined;
    const { page } = editor();
    await page.evaluate("RED.nodes.node('connection').baseUrl = 'http://127.0.0.1:9/v1'");
    const problem = async () => {
      await panel.getByRole("alert").waitFor();
      return panel.getByRole("alert").textContent();
    };
    await ask();
    await dialog.getByLabel("Events").selectOption("last");
    await start();
    should(await problem()).startWith(
      `Events are read through the connection "${HOSTILE}" as it is deployed`,
    );
    await shot("failed");
    await page.route("**/crec/rehearsal/start", (route) => route.abort());
    await press("Rehearse…");
    await start();
    await panel.getByText("Node-RED does not answer. Try again.").waitFor();
  });

  /** Where the outcomes of a kind are in the report. */
  function indexes({ outcomes: all }: ShownReport, kind: OutcomeKind): number[] {
    return all.flatMap((outcome, index) => (outcome.kind === kind ? [index] : []));
  }
});
