import type { Page } from "playwright-core";
import should from "should";
import { hasBrowser, sharedBrowser } from "../support/browser.ts";
import { RunningExample } from "../support/example.ts";
import { example, type FlowNode, freshId, idOf, WITH_DASHBOARD } from "../support/node-red.ts";
import { overlapping } from "../support/overlapping.ts";
import { itWide } from "../support/wide.ts";

const SECRET = "a-long-secret of anna";
const RECEIVER = `0x${"0".repeat(37)}D24`;

/** What a flow or a draft of someone else could contain. */
const HOSTILE = `<img src="data:," onerror="globalThis.isTaken = true">{{ globalThis.isTaken = true }}`;

/** Times that a test cannot wait for. */
const QUICK: Readonly<Record<string, object>> = {
  "crec-alert": { slack: "2s" },
  trigger: { duration: "-1" },
};

type Point = { payload: number; topic: string };
type Result = { operation: string; status: string; who: string };

/** The example beside the one that draws its balance in the same chart, and a button that sends hostile texts. */
async function withOthers(wall: readonly FlowNode[]): Promise<FlowNode[]> {
  const known = new Set(wall.map(({ id }) => id));
  const schedule = (await example("06-balance-on-schedule")).filter(({ id }) => !known.has(id));
  const parts = ["keep the alert", "row of the table", "open", "only the point"];
  const hostile = {
    ...{ id: freshId(), type: "inject", z: wall[0]?.id, name: "Hostile", props: [], repeat: "" },
    wires: [parts.map((name) => idOf(wall, "function", name))],
  };
  return [...wall, ...schedule, hostile].map((node) => ({ ...node, ...QUICK[node.type] }));
}

describe("the example alert wall on a dashboard", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  let page: Page;
  const problems: string[] = [];

  /** The deploy of a test may end the reading of a balance, which is read again. */
  const errors = () =>
    flow.values<{ code?: string }>("error").filter(({ code }) => code !== "WAIT_INTERRUPTED");

  before(async function () {
    if (!hasBrowser()) this.skip();
    flow = await RunningExample.start("24-alert-wall", {
      env: { APPROVERS: `anna:${SECRET}, ben:another:long-one, carl:short` },
      define: [WITH_DASHBOARD],
    });
    await flow.deploy(await withOthers(flow.flows));
    page = await (await sharedBrowser()).newPage({ viewport: { width: 1280, height: 900 } });
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    await page.goto(`${flow.nodeRed.url}dashboard/alert-wall`);
    await page.getByText("No alerts.").waitFor();
    await page.getByText("No payments.").waitFor();
    should(await flow.pressed("Set up", "ready")).match(/^0x[0-9a-fA-F]{40}$/);
    await flow.nodeRed.status(flow.id("crec-events-in"), "connected");
    await drawn(0);
  });
  after(async () => {
    await page?.close();
    await flow?.close();
  });

  const alerts = (severity: string) => page.locator(`.wall-${severity} li`);
  const payments = (status: string) => page.locator(`.wall-payment[data-status="${status}"]`);
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const row = (text: string) => page.locator(".nrdb-ui-table tbody tr", { hasText: text });
  /** Waits until the chart has this balance. */
  const drawn = (tokens: number) =>
    flow.nodeRed.showing("drawn", (point) => (point as Point).payload === tokens);
  const inChart = async () => {
    const response = await flow.nodeRed.fetch(`dashboard/_debug/datastore/${flow.id("ui-chart")}`);
    return (await response.json()) as Point[];
  };
  const statusOf = async (operation: string) => {
    const path = `/channels/${await flow.channelId()}/operations/${operation}`;
    return (await flow.call<{ status: string }>("GET", path)).status;
  };
  /** Presses a button of the other flows. */
  const pressOther = async (name: string, message?: Record<string, unknown>) => {
    const flows = (await (await flow.nodeRed.fetch("flows")).json()) as FlowNode[];
    await flow.nodeRed.press(idOf(flows, "inject", name), message);
  };

  /** Has an alert of each severity come, if there is none yet. */
  const received = async () => {
    for (const [tokens, severity] of [
      ["60", "warning"],
      ["120", "critical"],
    ] as const) {
      if ((await alerts(severity).count()) > 0) continue;
      await flow.press(`Receive ${tokens} tokens`);
      await alerts(severity).waitFor();
    }
  };
  const final = async () => {
    for (const tokens of ["60", "120"]) await row("finalized").filter({ hasText: tokens }).waitFor();
  };
  /** Has an alert whose block is undone, if there is none yet. */
  const undone = async () => {
    await received();
    if ((await alerts("critical").locator("del").count()) > 0) return;
    // What is not final yet would be undone with it.
    await final();
    const before = await alerts("critical").count();
    // Only what waits for a block gets one: it is not final yet.
    await flow.call("POST", "/local/speed", { blockTimeMs: 60_000 });
    const isUndone = flow.next("undone");
    await flow.press("Receive 120 tokens, and undo them");
    await alerts("critical").nth(before).waitFor();
    await isUndone;
    await flow.call("POST", "/local/speed", { blockTimeMs: 100 });
    await alerts("critical").locator("del").waitFor();
  };
  /** Gives the results that have come since. */
  const newResults = () => {
    const before = flow.values("result").length;
    return () => flow.values<Result>("result").slice(before);
  };
  /** Has a payment wait for an answer, if none does. */
  const requested = async () => {
    if ((await payments("waiting").count()) > 0) return;
    await flow.press("Request 25 tokens");
    await payments("waiting").waitFor();
  };

  it("shows alerts by severity, the worst first", async () => {
    await received();
    should(await page.locator("body").textContent()).match(
      /Critical 1.*Very large transfer of demo token.*120 tokens went to 0x.*Warning 1.*60 tokens/,
    );
    should(await alerts("critical").locator("del").count()).equal(0);
  });

  it("shows each event once, with tokens, proof and the highest confidence so far", async () => {
    await received();
    await final();
    for (const tokens of ["60", "120"]) {
      should(await row(tokens).count()).equal(1);
      should(await row(tokens).locator("td").allInnerTexts()).containDeep(["Transfer", tokens, "valid"]);
    }
    // More, where a payment came before.
    await flow.nodeRed.showing("drawn", (point) => (point as Point).payload >= 180);
  });

  itWide("strikes an alert through when its block is undone", async () => {
    await undone();
    should(await alerts("critical").first().textContent()).match(/120 tokens went to .*Taken back/);
    should(await page.locator(".wall-list del").count()).equal(1);
    await row("undone").filter({ hasText: "120" }).waitFor();
  });

  it("says in plain words what will be signed, and what others wrote as text", async () => {
    await requested();
    should(await payments("waiting").locator(".wall-ask").textContent()).match(
      new RegExp(`^Pay 25 tokens of demo token \\(0x\\w{40}\\) to ${RECEIVER}$`, "i"),
    );
    should(await payments("waiting").textContent()).containEql("Invoice 4711 of <Garden & Co>");
    await page.getByLabel("Your secret").fill("");
    should(await button("Approve").isDisabled()).be.true();
  });

  itWide("signs nothing for a wrong secret, or one that is too short", async () => {
    const resultsSince = newResults();
    await requested();
    for (const secret of ["wrong", "short", "anna", ` ${SECRET}`]) {
      await page.getByLabel("Your secret").fill(secret);
      await button("Approve").click();
      await page.getByRole("status").filter({ hasText: "not right" }).waitFor();
    }
    should(await payments("waiting").count()).equal(1);
    should(resultsSince()).be.empty();
  });

  itWide("still shows all that after a reload, and after a deploy", async () => {
    await undone();
    await requested();
    await flow.deploy(await withOthers(flow.flows));
    await flow.nodeRed.status(flow.id("crec-events-in"), "connected");
    await page.reload();
    await payments("waiting").waitFor();
    await alerts("critical").locator("del").waitFor();
    await row("60").waitFor();
    should(await page.getByRole("status").count()).equal(0);
  });

  it("signs after Approve, once, and shows each level as it is proven", async () => {
    const resultsSince = newResults();
    await requested();
    await page.getByLabel("Your secret").fill(SECRET);
    await page.evaluate(watchLevels);
    // The page and the debug panel have a socket each: one can be ahead of the other.
    const last = flow.next<Result>("result", ({ status }) => status === "confirmed");
    await button("Approve").evaluate(pressThreeTimes);
    await payments("confirmed").waitFor();
    await last;
    const levels = await page.evaluate("globalThis.levels");
    should(levels).deepEqual(["approved", "signed", "in a block", "safe", "final"]);
    should(await payments("confirmed").textContent()).containEql("Answered by anna");
    const results = resultsSince();
    should(new Set(results.map(({ operation }) => operation)).size).equal(1);
    should(results.map(({ status }) => status)).deepEqual([
      "accepted",
      ...["confirmed_latest", "confirmed_safe", "confirmed"],
    ]);
    should(await statusOf(results[0]?.operation ?? "")).equal("confirmed");
    should(errors()).be.empty();
  });

  itWide("cancels after Decline, and a later Approve changes nothing", async () => {
    await requested();
    const answered = flow.next<Result>("result");
    await page.getByLabel("Your secret").fill(SECRET);
    await page.locator(".wall-payment").first().evaluate(declineThenApprove);
    const { operation, status } = await answered;
    should(status).equal("cancelled");
    await payments("cancelled").first().waitFor();
    await page.getByRole("status").filter({ hasText: "not open any more" }).waitFor();
    should(await statusOf(operation)).equal("cancelled");
  });

  itWide("keeps no secret", async () => {
    await requested();
    await page.getByLabel("Your secret").fill(SECRET);
    await button("Decline").first().click();
    await payments("cancelled").first().waitFor();
    const kept = await flow.nodeRed.fetch(
      `dashboard/_debug/datastore/${flow.id("ui-template", "approve or decline")}`,
    );
    should(await kept.text())
      .containEql("Invoice")
      .and.not.containEql(SECRET);
    should(flow.nodeRed.heard + flow.nodeRed.log).not.containEql(SECRET);
  });

  itWide("draws the balance over time", async () => {
    await received();
    await flow.nodeRed.showing("drawn", (point) => (point as Point).payload >= 180);
    const points = (await inChart()).filter(({ topic }) => topic === "0x0000…0D24");
    should(points[0]?.payload).equal(0);
    should(Math.max(...points.map(({ payload }) => payload))).be.aboveOrEqual(180);
    should(await page.locator(".nrdb-ui-chart canvas").evaluate(pixelsOf, [31, 95, 168])).be.above(100);
  });

  itWide("draws the balance of the example 06, too", async () => {
    const point = flow.next<Point>("drawn", ({ topic }) => topic === "demo token");
    await pressOther("Start");
    await point;
    should(Object.keys((await inChart()).at(-1) ?? {})).not.containEql("crec");
  });

  itWide("fits a phone", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const wide = await page.evaluate(widerThanPage);
    await page.setViewportSize({ width: 1280, height: 900 });
    should(wide).be.empty();
  });

  // What the page of the editor reports is not the wall's.
  for (const [define, what] of [
    [it, "reported no error"],
    [itWide, "reported no error in all that is wide either"],
  ] as const)
    define(what, () => {
      should(errors()).be.empty();
      should(flow.values("rejected")).be.empty();
      should(problems).be.empty();
    });

  itWide("shows texts that are HTML or a template as text", async () => {
    await pressOther("Hostile", {
      payload: {
        ...{ id: "hostile", severity: "critical", title: HOSTILE, text: HOSTILE },
        ...{ name: HOSTILE, params: { to: HOSTILE }, transactionHash: "0x1", confidence: HOSTILE },
        deadline: 4_000_000_000,
      },
      topic: HOSTILE,
      reason: HOSTILE,
      crec: {
        ...{ operationId: HOSTILE, verification: { verified: false, reason: HOSTILE } },
        preview: [{ to: HOSTILE, function: HOSTILE, args: HOSTILE, contract: HOSTILE }],
      },
    });
    await alerts("critical").filter({ hasText: HOSTILE }).waitFor();
    await payments("waiting").filter({ hasText: HOSTILE }).waitFor();
    await row(HOSTILE).waitFor();
    // The box of the chart names its lines.
    await page.locator(".nrdb-ui-chart canvas").hover();
    await page.reload();
    await alerts("critical").filter({ hasText: HOSTILE }).waitFor();
    should(await page.evaluate("globalThis.isTaken")).be.undefined();
  });

  itWide("is valid in the editor, with no node over another", async () => {
    await page.goto(`${flow.nodeRed.url}#flow/${flow.flows[0]?.id}`);
    await page.locator("#red-ui-header-toolbar:not(.hide)").waitFor();
    should(await page.evaluate(invalidNodes)).be.empty();
    should(await page.evaluate(overlapping)).be.empty();
  });
});

// The functions below run in the page.

type Element_ = {
  textContent: string;
  clientWidth: number;
  click(): void;
  querySelector(selector: string): Element_ | null;
  querySelectorAll(selector: string): Iterable<Element_>;
  getBoundingClientRect(): { right: number };
};
type Page_ = {
  document: Element_ & { body: Element_; documentElement: Element_ };
  MutationObserver: new (listener: () => void) => { observe(element: Element_, what: object): void };
  levels: string[];
};
type Pixels = { getContext(kind: "2d"): { getImageData(...box: number[]): { data: Uint8ClampedArray } } };

/** Notes each confirmation level that the page shows. */
function watchLevels(): void {
  const page = globalThis as unknown as Page_;
  page.levels = [];
  const note = () => {
    const level = page.document.querySelector("[aria-current=step]")?.textContent;
    if (level && page.levels.at(-1) !== level) page.levels.push(level);
  };
  const everything = { subtree: true, childList: true, attributes: true };
  new page.MutationObserver(note).observe(page.document.body, everything);
}

function pressThreeTimes(button: unknown): void {
  for (let times = 0; times < 3; times += 1) (button as Element_).click();
}

/** Before the page knows of the first answer. */
function declineThenApprove(payment: unknown): void {
  const [approve, decline] = (payment as Element_).querySelectorAll("button");
  decline?.click();
  approve?.click();
}

/** How many pixels of a drawing have this color. */
function pixelsOf(canvas: unknown, [red, green, blue]: number[]): number {
  const { width, height } = canvas as { width: number; height: number };
  const { data } = (canvas as Pixels).getContext("2d").getImageData(0, 0, width, height);
  let count = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) count += 1;
  }
  return count;
}

/** What a phone would cut off. */
function widerThanPage(): string[] {
  const { document } = globalThis as unknown as Page_;
  const { clientWidth } = document.documentElement;
  const cut = [...document.querySelectorAll(".nrdb-ui-template *, .nrdb-ui-group, .nrdb-ui-chart")];
  return cut.filter((one) => one.getBoundingClientRect().right > clientWidth).map((one) => one.textContent);
}

function invalidNodes(): string[] {
  type Node = { type: string; valid?: boolean; validationErrors?: string[] };
  type Each = (each: (node: Node) => void) => void;
  const { RED } = globalThis as unknown as { RED: { nodes: { eachNode: Each; eachConfig: Each } } };
  const found: string[] = [];
  const note = ({ type, valid, validationErrors }: Node) => {
    if (valid === false) found.push(`${type}: ${validationErrors}`);
  };
  RED.nodes.eachNode(note);
  RED.nodes.eachConfig(note);
  return found;
}
