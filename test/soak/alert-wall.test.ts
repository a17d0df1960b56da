import type { Page } from "playwright-core";
import should from "should";
import { hasBrowser, sharedBrowser } from "../support/browser.ts";
import { RunningExample } from "../support/example.ts";
import { type FlowNode, freshId, idOf, WITH_DASHBOARD } from "../support/node-red.ts";
import { HOSTILE, plantedIn } from "./hostile-markup.ts";

const SEVERITIES = ["critical", "warning", "info"] as const;
/** The wall shows twenty payments, and a hundred alerts. */
const BATCH = 18;
/** Buttons, each with the functions of the wall that keep what events, alerts, drafts and errors say. */
const BUTTONS = {
  happens: ["row of the table", "open", "only the point"],
  alerts: ["keep the alert"],
  fails: ["progress"],
} as const;

/** The wall with these buttons, and all rows of its table on one page. */
function withButtons(wall: readonly FlowNode[]): FlowNode[] {
  const buttons = Object.entries(BUTTONS).map(([id, names]) => ({
    ...{ id, type: "inject", z: wall[0]?.id, props: [], repeat: "" },
    wires: [names.map((name) => idOf(wall, "function", name))],
  }));
  const long = wall.map((node) => (node.type === "ui-table" ? { ...node, maxrows: "100" } : node));
  return [...long, ...buttons];
}

/** The planted fault: texts become markup. */
function withMarkup(wall: readonly FlowNode[]): FlowNode[] {
  return wall.map((node) => {
    if (node.type !== "ui-template" || typeof node.format !== "string") return node;
    const format = node.format
      .replace("<b>{{ alert.title }}</b>", '<b v-html="alert.title"></b>')
      .replace('class="wall-ask">{{ ask }}', 'class="wall-ask" v-html="ask">');
    return { ...node, format };
  });
}

describe("the example alert wall with markup in every field", function () {
  this.timeout(600_000);

  let flow: RunningExample;
  let page: Page;

  before(async function () {
    if (!hasBrowser()) this.skip();
    flow = await RunningExample.start("24-alert-wall", {
      env: { APPROVERS: "anna:a-long-secret of anna" },
      define: [WITH_DASHBOARD],
    });
    page = await (await sharedBrowser()).newPage({ viewport: { width: 1280, height: 900 } });
  });
  after(async () => {
    await page?.close();
    await flow?.close();
  });

  const deploy = async (wall: readonly FlowNode[]) => {
    await flow.deploy(withButtons(wall));
    await page.goto(`${flow.nodeRed.url}dashboard/alert-wall`);
    await page.locator(".wall-empty, .wall-list").first().waitFor();
  };

  /** What an event, a contract, a draft and an error can say, all with this text. */
  const send = async (text: string, severity: string) => {
    const id = `${freshId()} ${text}`;
    const operation = `${freshId()} ${text}`;
    const payload = {
      ...{ id, severity, title: text, text, at: text, confidence: text, reason: text },
      ...{ name: text, params: { to: text, from: text, value: text, [text]: text } },
      ...{ tokens: { value: text, [text]: text }, contract: text, blockTime: 1, logIndex: text },
      ...{ transactionHash: `${freshId()} ${text}`, deadline: 4_000_000_000, [text]: text },
    };
    const crec = {
      ...{ operationId: operation, walletOperationId: text, digest: text, eventId: text },
      event: { type: text },
      verification: { verified: false, reason: text },
      preview: [
        { to: text, function: text, args: { [text]: text }, contract: text, ether: text },
        { to: text, function: "transfer(address,uint256)", args: { to: text }, tokens: { value: text } },
        { to: text, data: text, contract: text },
      ],
    };
    const more = { topic: text, reason: text, template: text, class: text, ui_update: { label: text } };
    await flow.nodeRed.press("happens", { payload, crec, ...more });
    await flow.nodeRed.press("alerts", { payload: { ...payload, kind: text }, crec, ...more });
    const error = { message: text, code: text };
    const about = { operationId: operation };
    await flow.nodeRed.press("fails", { crec: about, payload: { status: text } });
    await flow.nodeRed.press("fails", { crec: about, error });
  };

  /** Sends these texts, and gives what the page made of them: at once, under the mouse, and after a reload. */
  const madeOf = async (texts: readonly string[]) => {
    for (const [at, text] of texts.entries()) await send(text, SEVERITIES[at % SEVERITIES.length] ?? "info");
    const last = `last ${freshId()}`;
    await send(last, "info");
    const found: string[] = [];
    const look = async () => {
      await page.locator(".wall-info li", { hasText: last }).waitFor();
      await page.locator(".wall-payment", { hasText: last }).first().waitFor();
      await page.locator(".nrdb-ui-table tbody tr", { hasText: last }).first().waitFor();
      for (const one of await page.locator(".wall-list li, .wall-payment").all())
        await one.hover({ timeout: 1_000 }).catch(() => undefined);
      await page.locator(".nrdb-ui-chart canvas").hover();
      const { isTaken, planted } = await page.evaluate(plantedIn);
      if (isTaken !== undefined) found.push(`${isTaken} scripts ran`);
      found.push(...planted);
    };
    await look();
    await page.reload();
    await look();
    return found;
  };

  const batches = Array.from({ length: Math.ceil(HOSTILE.length / BATCH) }, (_, index) =>
    HOSTILE.slice(index * BATCH, (index + 1) * BATCH),
  );

  it("shows it as text", async () => {
    await deploy(flow.flows);
    for (const texts of batches) should(await madeOf(texts)).be.empty();
    process.stdout.write(`    ${HOSTILE.length} texts\n`);
  });

  it("shows the name of a contract as text, in alerts on real events", async () => {
    const name = HOSTILE.filter((text) => text.length < 500).join(" ");
    const named = flow.flows.map((node) => (node.type === "crec-contract" ? { ...node, name } : node));
    await deploy(named);
    should(await flow.pressed("Set up", "ready")).match(/^0x[0-9a-fA-F]{40}$/);
    await flow.nodeRed.status(flow.id("crec-events-in"), "connected");
    await flow.press("Receive 120 tokens");
    await page.locator(".wall-critical li", { hasText: "Very large transfer of" }).first().waitFor();
    await flow.press("Request 25 tokens");
    await page.locator('.wall-payment[data-status="waiting"]', { hasText: "Pay 25 tokens" }).waitFor();
    should(await page.evaluate(plantedIn)).deepEqual({ isTaken: undefined, planted: [] });
  });

  it("is found out where the wall makes markup of it", async () => {
    await deploy(withMarkup(flow.flows));
    const found = await madeOf(batches[0] ?? []);
    should(found.some((one) => /scripts ran/.test(one))).be.true();
    should(found.some((one) => one.startsWith("<img"))).be.true();
    should(found.some((one) => one.startsWith("<svg"))).be.true();
    process.stdout.write(`    ${found.length} findings where texts become markup\n`);
  });
});
