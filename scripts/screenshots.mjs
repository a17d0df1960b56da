// @ts-check
// npm run screenshots: the README's picture, taken of the real editor while the quickstart runs. Needs Chromium
// (CHROMIUM, else /usr/bin/chromium).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";
import { root } from "./lib/paths.mjs";

const VIEW = { width: 1580, height: 1070 };
const BUTTONS = ["Set up", "Send 1 token", "Tamper", "Read balance"];
/** Chromium must not call home: this picture is also taken where there is no network. */
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"];

const dataDir = await mkdtemp(join(tmpdir(), "crec-screenshots-"));
const product = spawn(process.execPath, [join(root, "scripts/start.mjs")], {
  cwd: root,
  env: { ...process.env, PORT: "0", CREC_SERVICE_PORT: "0", CREC_DATA_DIR: dataDir },
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const images = join(root, "docs/images");
  await mkdir(images, { recursive: true });
  await takeQuickstart(await editorUrl(), join(images, "quickstart.png"));
} finally {
  const ended = once(product, "exit");
  product.kill("SIGTERM");
  await ended;
  await rm(dataDir, { recursive: true, force: true });
}

/** @returns {Promise<string>} */
async function editorUrl() {
  for await (const line of createInterface({ input: product.stdout })) {
    if (line.startsWith("ready ")) return JSON.parse(line.slice("ready ".length)).editor_url;
  }
  throw new Error("The product ended before it was ready; see above.");
}

/**
 * Presses the buttons in order, each time waiting for what it leads to, and takes the picture.
 *
 * @param {string} url
 * @param {string} file
 */
async function takeQuickstart(url, file) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: FLAGS,
  });
  try {
    const page = await browser.newPage({ viewport: VIEW });
    await page.goto(url);
    await page.locator('.red-ui-palette-node[data-palette-type="crec-events-in"]').waitFor();
    await page.locator('.red-ui-palette-node[data-palette-type="crec-events-in"]').scrollIntoViewIfNeeded();
    const settled = ["ready", "confirmed", "event_hash_mismatch", "balance:"];
    for (const [index, name] of BUTTONS.entries()) {
      await press(page, name);
      await page
        .locator(".red-ui-debug-msg", { hasText: settled[index] ?? "" })
        .last()
        .waitFor({ timeout: 60_000 });
    }
    await page
      .locator(".red-ui-flow-node-status-label", { hasText: /^confirmed$/ })
      .waitFor({ timeout: 60_000 });
    await page.locator("#red-ui-notifications .red-ui-notification").first().waitFor({ state: "hidden" });
    await page.screenshot({ path: file });
  } finally {
    await browser.close();
  }
}

/**
 * @param {import("playwright-core").Page} page
 * @param {string} name of an inject node
 */
async function press(page, name) {
  const node = page.locator(".red-ui-flow-node-group", { has: page.getByText(name, { exact: true }) }).last();
  await node.locator(".red-ui-flow-node-button-button").click();
}
