// npm run screenshots: takes the pictures of docs/images/ in the real editor: the running quickstart, with the sidebar,
// each example as drawn, the form of each node with the settings of an example, the dashboard of an example, and a
// rehearsal. No tool knows what they show. Needs Chromium or Chrome.
// npm run screenshots -- signer wallet takes only these: names of files in docs/images/, without ".png".
import { mkdir, readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { checking, endProgram, readyLine, startProgram } from "./lib/check.ts";
import { CHROMIUM_FLAGS, chromiumPath, HOW_TO_GET_CHROMIUM } from "./lib/chromium.mjs";
import { root } from "./lib/paths.mjs";
import { deploy, type FlowNode, load, type Ready, STILL, save, VIEW } from "./lib/pictures.ts";
import { REHEARSAL_PICTURES, takeRehearsal } from "./lib/rehearsal-pictures.ts";
import { APPROVERS, takeWall, WALL_PICTURES } from "./lib/wall-pictures.ts";

type Box = { x: number; y: number; width: number; height: number };

const QUICKSTART = "01-quickstart";
/** High enough for the longest form, wide enough for the widest flow. */
const LARGE_VIEW = { width: 2400, height: 2400 };
const MARGIN = 16;

/** Node-RED 5 gives it half of the height. */
const WHOLE_SIDEBAR = `.crec-sidebar { position: fixed !important; inset: 0 auto auto 0 !important; width: 440px;
  height: auto !important; z-index: 1000; background: var(--red-ui-secondary-background, #fff) }`;

/** Replaces keys, ids, hashes and times: a new picture differs from the last one only where the editor does. */
const SHOW_FIXED_DATA = String.raw`{
  const HEX = "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
  const fixed = (text) =>
    text
      .replace(/0x[0-9a-fA-F]{8,}/g, (hex) => "0x" + HEX.repeat(100).slice(0, hex.length - 2))
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "3b5e0f6a-9c1d-4e2b-8f70-1a2b3c4d5e6f")
      .replace(/0x[0-9a-fA-F]+…[0-9a-fA-F]+/g, "0x5aAeb6…eAed")
      .replace(/· \d+ (?:s|min)\b/g, "· 1 min")
      .replace(/\d{8}…\d{4}/g, "12345678…9012")
      .replace(/\d+ calls in/g, "42 calls in")
      .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:8787")
      .replace(/\b[0-9a-f]{16}\b/g, "3b5e0f6a9c1d4e2b")
      .replace(/\d{1,2}\/\d{1,2}\/\d{4}, \d{1,2}:\d\d:\d\d(?: [AP]M)?/g, "1/31/2026, 12:00:00 PM")
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "2026-01-31T12:00:00Z");
  const put = (target, property) => {
    if (fixed(target[property]) !== target[property]) target[property] = fixed(target[property]);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) put(texts.currentNode, "nodeValue");
  for (const input of document.querySelectorAll("input[type=text], textarea")) put(input, "value");
}`;

/** All pictures if it is empty. */
const wanted = new Set(process.argv.slice(2));
const made = new Set<string>();

await checking("screenshots", async (dataDir, atEnd) => {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error(`There is no browser. ${HOW_TO_GET_CHROMIUM}`);
  await mkdir(join(root, "docs/images"), { recursive: true });
  const ports = { PORT: "0", CREC_SERVICE_PORT: "0" };
  const env = { ...process.env, ...ports, CREC_DATA_DIR: dataDir, CREC_PALETTES: "all", APPROVERS };
  const product = await startProgram([process.execPath, join(root, "scripts/start.ts")], readyLine, { env });
  atEnd(() => endProgram(product.child));
  const ready = product.ready as unknown as Ready;
  const url = ready.editor_url;
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
  atEnd(() => browser.close());
  const page = await browser.newPage({ viewport: VIEW });
  await takeQuickstart(page, url);
  await page.setViewportSize(LARGE_VIEW);
  await takeExamplesAndForms(page, url);
  for (const [names, takeAll] of [
    [WALL_PICTURES, () => takeWall(page, url)],
    [REHEARSAL_PICTURES, () => takeRehearsal(page, ready)],
  ] as const) {
    const asked = names.filter(isWanted);
    if (asked.length > 0) await takeAll();
    for (const name of asked) made.add(name);
  }
  const unknown = [...wanted].filter((name) => !made.has(name));
  if (unknown.length > 0) throw new Error(`There is no picture with this name: ${unknown.join(", ")}`);
});

/** @param name of a picture */
function isWanted(name: string) {
  return wanted.size === 0 || wanted.has(name);
}

async function take(page: Page, name: string, clip?: Box) {
  made.add(name);
  await page.evaluate(SHOW_FIXED_DATA);
  await save(page, name, clip ? { clip } : {});
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
  const settled = {
    "Set up": () => status("watcher", /^active/),
    "Send 1 token": () => message("watcher.event/Transfer"),
    Tamper: () => message("event_hash_mismatch"),
    "Read balance": () => message("balance:"),
  };
  for (const [name, isSettled] of Object.entries(settled)) {
    await nodeNamed(page, name).locator(".red-ui-flow-node-button-button").click();
    await isSettled();
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
  await page.evaluate("RED.actions.invoke('crec:show-tab')");
  const sidebar = page.locator(".crec-sidebar");
  await sidebar.locator(".crec-live[data-state=live]").waitFor({ state: "attached" });
  await sidebar.locator('[data-panel="events"] .crec-row').first().waitFor();
  const box = await sidebar.boundingBox();
  if (!box) throw new Error("The sidebar is not visible.");
  await take(page, "sidebar", box);
}

/** @param name as its label shows it */
function nodeNamed(page: Page, name: string) {
  return page.locator(".red-ui-flow-node-group", { has: page.getByText(name, { exact: true }) }).last();
}

/** Takes a picture of each example, and of the form of each node type in the first example that has it. */
async function takeExamplesAndForms(page: Page, url: string) {
  const folder = join(root, "examples");
  const taken = new Set<string>();
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
          await page.evaluate(`RED.workspaces.show("${id}")`);
          await take(page, name, await drawnIn(page));
        },
      })),
    ].filter(({ name }) => isWanted(name));
    if (pictures.length === 0) continue;
    if (example !== QUICKSTART) await deploy(url, flows);
    await load(page, url);
    const types = "RED.nodes.filterNodes({ type: 'unknown' }).map(({ name }) => name)";
    const unknown: string[] = await page.evaluate(types);
    if (unknown.length > 0)
      throw new Error(`Node-RED does not know these types of ${file}: ${unknown.join(", ")}`);
    await page.addStyleTag({ content: STILL });
    for (const picture of pictures) await picture.take();
  }
  const { "node-red": listed } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const missing = Object.keys(listed.nodes).filter((name) => !taken.has(`crec-${name}`));
  if (missing.length > 0) throw new Error(`No example has one of these, so they have no picture: ${missing}`);
}

async function takeForm(page: Page, id: string, name: string) {
  await page.evaluate(`{
    const node = RED.nodes.node("${id}");
    if (node._def.category === "config") RED.editor.editConfig("", node.type, node.id);
    else RED.editor.edit(node);
  }`);
  await page.locator("#node-dialog-ok, #node-config-dialog-ok").click({ trial: true });
  // The form requests lists from the service, such as functions and addresses: they are part of the picture.
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(700);
  const form = page.locator("#dialog-form, #node-config-dialog-edit-form");
  await page.evaluate("document.activeElement?.blur()");
  // The header is as wide as the form. The tray also has a handle beside it.
  const tray = await page.locator(".red-ui-tray-header").boundingBox();
  if (!tray) throw new Error(`The form of ${name} is not visible.`);
  const rows = await Promise.all((await form.locator("> *:visible").all()).map((row) => row.boundingBox()));
  const bottom = Math.max(...rows.map((row) => (row ? row.y + row.height : 0)));
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
