// npm run screenshots: takes the pictures of docs/images/ in the real editor: the running quickstart, with the sidebar,
// each example as drawn, the form of each node with the settings of an example, the dashboard of an example, and a
// rehearsal. Needs Chromium or Chrome.
// npm run screenshots -- signer wallet takes only these: names of files in docs/images/, without ".png".

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import type { Page } from "playwright-core";
import { chromium } from "playwright-core";
import { CHROMIUM_FLAGS, chromiumPath, HOW_TO_GET_CHROMIUM } from "./lib/chromium.mjs";
import { root } from "./lib/paths.mjs";
import { REHEARSAL_PICTURES, takeRehearsal } from "./lib/rehearsal-pictures.ts";
import { smallPng } from "./lib/small-png.ts";
import { APPROVERS, takeWall, WALL_PICTURES } from "./lib/wall-pictures.ts";

export type FlowNode = { id: string; type: string; z?: string; name?: string };
type Box = { x: number; y: number; width: number; height: number };

const QUICKSTART = "01-quickstart";
const VIEW = { width: 1580, height: 1070 };
/** High enough for the longest form, wide enough for the widest flow. */
const LARGE_VIEW = { width: 2400, height: 2400 };
const MARGIN = 16;
const BUTTONS = ["Set up", "Send 1 token", "Tamper", "Read balance"];
/** Turns off animations, and hides what a flow shows only while it runs. */
const STILL = `* { transition: none !important; animation: none !important; caret-color: transparent !important }
  .red-ui-flow-node-status-group, .red-ui-notification, .red-ui-popover { display: none !important }`;

/** Node-RED 5 gives it half of the height. */
const WHOLE_SIDEBAR = `.crec-sidebar { position: fixed !important; inset: 0 auto auto 0 !important; width: 440px;
  height: auto !important; z-index: 1000; background: var(--red-ui-secondary-background, #fff) }`;

const images = join(root, "docs/images");
/** All pictures if it is empty. */
const wanted = new Set(process.argv.slice(2));
const made: Set<string> = new Set();
const dataDir = await mkdtemp(join(tmpdir(), "crec-screenshots-"));
const product = spawn(process.execPath, [join(root, "scripts/start.ts")], {
  cwd: root,
  env: {
    ...process.env,
    ...{ PORT: "0", CREC_SERVICE_PORT: "0", CREC_DATA_DIR: dataDir, CREC_PALETTES: "all", APPROVERS },
  },
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  await mkdir(images, { recursive: true });
  const ready = await isReady();
  const url = ready.editor_url;
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error(`There is no browser. ${HOW_TO_GET_CHROMIUM}`);
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
  try {
    const page = await browser.newPage({ viewport: VIEW });
    await takeQuickstart(page, url);
    await page.setViewportSize(LARGE_VIEW);
    await takeExamplesAndForms(page, url);
    const ofWall = WALL_PICTURES.filter(isWanted);
    if (ofWall.length > 0) await takeWall(page, url, deploy);
    for (const name of ofWall) made.add(name);
    const ofRehearsal = REHEARSAL_PICTURES.filter(isWanted);
    if (ofRehearsal.length > 0) await takeRehearsal(page, ready, deploy);
    for (const name of ofRehearsal) made.add(name);
    const unknown = [...wanted].filter((name) => !made.has(name));
    if (unknown.length > 0) throw new Error(`There is no picture with this name: ${unknown.join(", ")}`);
  } finally {
    await browser.close();
  }
} finally {
  const ended = once(product, "exit");
  product.kill("SIGTERM");
  await ended;
  await rm(dataDir, { recursive: true, force: true });
}

async function isReady(): Promise<{ editor_url: string; base_url: string; api_key: string }> {
  for await (const line of createInterface({ input: product.stdout })) {
    if (line.startsWith("ready ")) return JSON.parse(line.slice("ready ".length));
  }
  throw new Error("The product ended before it was ready; see above.");
}

/** @param name of a picture */
function isWanted(name: string) {
  return wanted.size === 0 || wanted.has(name);
}

async function take(page: Page, name: string, clip?: Box) {
  made.add(name);
  await page.evaluate(showFixedData);
  const picture = await page.screenshot(clip ? { clip } : {});
  await writeFile(join(images, `${name}.png`), smallPng(picture));
}

async function load(page: Page, url: string) {
  await page.goto(url);
  await page.locator("#red-ui-header-toolbar:not(.hide)").waitFor();
}

/** Presses the buttons in order, waits for the result of each, and takes the picture. */
async function takeQuickstart(page: Page, url: string) {
  await load(page, url);
  await page.locator('.red-ui-palette-node[data-palette-type="crec-events-in"]').scrollIntoViewIfNeeded();
  const status = (name: string, text: RegExp) =>
    nodeNamed(page, name)
      .locator(".red-ui-flow-node-status-label", { hasText: text })
      .waitFor({ timeout: 60_000 });
  const message = (text: string) =>
    page.locator(".red-ui-debug-msg", { hasText: text }).last().waitFor({ timeout: 60_000 });
  const settled = [
    () => status("watcher", /^active/),
    () => message("watcher.event/Transfer"),
    () => message("event_hash_mismatch"),
    () => message("balance:"),
  ];
  for (const [index, name] of BUTTONS.entries()) {
    await press(page, name);
    await settled[index]?.();
  }
  await status("transfer on demo token", /^final$/);
  await page.locator("#red-ui-notifications .red-ui-notification").first().waitFor({ state: "hidden" });
  if (isWanted("quickstart")) await take(page, "quickstart");
  if (isWanted("sidebar")) await takeSidebar(page);
}

/** The sidebar CRE Connect, with what the quickstart did. */
async function takeSidebar(page: Page) {
  await page.setViewportSize(LARGE_VIEW);
  await page.addStyleTag({ content: WHOLE_SIDEBAR });
  await page.evaluate(showSidebar);
  const sidebar = page.locator(".crec-sidebar");
  await sidebar.locator(".crec-live[data-state=live]").waitFor({ state: "attached" });
  await sidebar.locator('[data-panel="events"] .crec-row').first().waitFor();
  const box = await sidebar.boundingBox();
  if (!box) throw new Error("The sidebar is not visible.");
  await take(page, "sidebar", box);
}

/** @param name of an inject node */
async function press(page: Page, name: string) {
  await nodeNamed(page, name).locator(".red-ui-flow-node-button-button").click();
}

/** @param name as its label shows it */
function nodeNamed(page: Page, name: string) {
  return page.locator(".red-ui-flow-node-group", { has: page.getByText(name, { exact: true }) }).last();
}

/** Takes a picture of each example, and of the form of each node type in the first example that has it. */
async function takeExamplesAndForms(page: Page, url: string) {
  const folder = join(root, "examples");
  const taken: Set<string> = new Set();
  const first = `${QUICKSTART}.json`;
  const others = (await readdir(folder)).filter((name) => name.endsWith(".json") && name !== first).sort();
  // The quickstart is deployed already.
  for (const file of [first, ...others]) {
    const flows: FlowNode[] = JSON.parse(await readFile(join(folder, file), "utf8"));
    const example = basename(file, ".json");
    const isNew = (key: string) => !taken.has(key) && Boolean(taken.add(key));
    const forms = flows.filter(({ type }) => type.startsWith("crec-") && isNew(type));
    const subflows = flows.filter(({ type, id }) => type === "subflow" && isNew(id));
    const pictures = [
      // The quickstart has its picture.
      ...(example === QUICKSTART
        ? []
        : [{ name: example, take: async () => take(page, example, await drawnIn(page)) }]),
      ...forms.map(({ id, type }) => {
        const name = type.slice("crec-".length);
        return { name, take: () => takeForm(page, id, name) };
      }),
      ...subflows.map(({ id, name = id }) => ({
        name,
        take: async () => {
          await page.evaluate(showFlow, id);
          await take(page, name, await drawnIn(page));
        },
      })),
    ].filter(({ name }) => isWanted(name));
    if (pictures.length === 0) continue;
    if (example !== QUICKSTART) await deploy(url, flows);
    await load(page, url);
    const unknown = await page.evaluate(unknownTypes);
    if (unknown.length > 0)
      throw new Error(`Node-RED does not know these types of ${file}: ${unknown.join(", ")}`);
    await page.addStyleTag({ content: STILL });
    for (const picture of pictures) await picture.take();
  }
  const { "node-red": listed } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const missing = Object.keys(listed.nodes).filter((name) => !taken.has(`crec-${name}`));
  if (missing.length > 0) throw new Error(`No example has one of these, so they have no picture: ${missing}`);
}

/** Version 2 of the flows API: only this version accepts the credentials in an example. */
async function deploy(url: string, flows: FlowNode[]) {
  const response = await fetch(new URL("flows", url), {
    method: "POST",
    headers: { "Content-Type": "application/json", "Node-RED-API-Version": "v2" },
    body: JSON.stringify({ flows }),
  });
  if (!response.ok) throw new Error(`Node-RED refused an example: ${await response.text()}`);
}

async function takeForm(page: Page, id: string, name: string) {
  await page.evaluate(openForm, id);
  await page.locator("#node-dialog-ok, #node-config-dialog-ok").click({ trial: true });
  // The form requests lists from the service, such as functions and addresses: they are part of the picture.
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(700);
  const form = page.locator("#dialog-form, #node-config-dialog-edit-form");
  await page.evaluate(leaveField);
  // The header is as wide as the form. The tray also has a handle beside it.
  const tray = await page.locator(".red-ui-tray-header").boundingBox();
  if (!tray) throw new Error(`The form of ${name} is not visible.`);
  const bottom = await form.evaluate(lowestOf);
  await take(page, name, { ...tray, height: bottom + MARGIN - tray.y });
  await page.locator("#node-dialog-cancel, #node-config-dialog-cancel").click();
  await form.waitFor({ state: "detached" });
}

/** The part of the page that has the nodes of the flow. */
async function drawnIn(page: Page): Promise<Box> {
  const chart = await page.locator("#red-ui-workspace-chart").boundingBox();
  const parts = page.locator(".red-ui-flow-node-group, .red-ui-flow-group, .red-ui-flow-subflow-port");
  const boxes = (await Promise.all((await parts.all()).map((part) => part.boundingBox()))).flatMap((box) =>
    box ? [box] : [],
  );
  const left = Math.max(Math.min(...boxes.map(({ x }) => x)) - MARGIN, chart?.x ?? 0);
  const top = Math.max(Math.min(...boxes.map(({ y }) => y)) - MARGIN, chart?.y ?? 0);
  const right = Math.max(...boxes.map(({ x, width }) => x + width)) + MARGIN;
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + MARGIN;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

// The functions below run in the page.

/**
 * Replaces keys, ids, hashes and times: a new picture differs from the last one only where the editor does.
 */
function showFixedData() {
  const HEX = "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
  const fixed = (text: string) =>
    text
      .replace(/0x[0-9a-fA-F]{8,}/g, (hex) => `0x${HEX.repeat(100).slice(0, hex.length - 2)}`)
      .replace(
        /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
        "3b5e0f6a-9c1d-4e2b-8f70-1a2b3c4d5e6f",
      )
      .replace(/0x[0-9a-fA-F]+…[0-9a-fA-F]+/g, "0x5aAeb6…eAed")
      .replace(/· \d+ (?:s|min)\b/g, "· 1 min")
      .replace(/\d{8}…\d{4}/g, "12345678…9012")
      .replace(/\d+ calls in/g, "42 calls in")
      .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:8787")
      .replace(/\b[0-9a-f]{16}\b/g, "3b5e0f6a9c1d4e2b")
      .replace(/\d{1,2}\/\d{1,2}\/\d{4}, \d{1,2}:\d\d:\d\d(?: [AP]M)?/g, "1/31/2026, 12:00:00 PM")
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "2026-01-31T12:00:00Z");
  const { document, NodeFilter } = globalThis as any;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { nodeValue } = texts.currentNode;
    if (fixed(nodeValue) !== nodeValue) texts.currentNode.nodeValue = fixed(nodeValue);
  }
  for (const input of document.querySelectorAll("input[type=text], textarea")) {
    if (fixed(input.value) !== input.value) input.value = fixed(input.value);
  }
}

function unknownTypes(): string[] {
  const { RED } = globalThis as any;
  return RED.nodes.filterNodes({ type: "unknown" }).map((node: any) => node.name);
}

function openForm(id: string) {
  const { RED } = globalThis as any;
  const node = RED.nodes.node(id);
  if (node._def.category === "config") RED.editor.editConfig("", node.type, id);
  else RED.editor.edit(node);
}

function showSidebar() {
  (globalThis as any).RED.actions.invoke("crec:show-tab");
}

/** @param id of a tab or a subflow */
function showFlow(id: string) {
  (globalThis as any).RED.workspaces.show(id);
}

function leaveField() {
  (globalThis as any).document.activeElement?.blur();
}

function lowestOf(form: any) {
  const rows = [...form.children].filter((row) => row.checkVisibility());
  return Math.max(...rows.map((row) => row.getBoundingClientRect().bottom));
}
