// @ts-check
// npm run check:site: builds the documentation and checks it as it is served: that links, anchors and pictures lead
// somewhere, that nothing is loaded from another host, that the search finds what is written, and that pages open
// without an error in both themes. Its pictures are in site/.cache/pictures. Needs the registry the first time.

import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { site } from "../site/lib/places.mjs";
import { fail, messageOf } from "./lib/check.mjs";
import { CHROMIUM_FLAGS, chromiumPath, HOW_TO_GET_CHROMIUM } from "./lib/chromium.mjs";
import { buildSite } from "./lib/site.mjs";
import { brokenLinks } from "./lib/site-links.mjs";
import { servePages } from "./lib/static-server.mjs";

/** @typedef {import("playwright-core").Page} Page */

const THEMES = /** @type {const} */ (["light", "dark"]);
/** One page of each kind. */
const PAGES = [
  "index",
  "first-flow",
  "benchmarks",
  "verification",
  "errors",
  "nodes/alert",
  "examples/24-alert-wall",
  "reference/index",
  "reference/classes/CrecClient",
];
/** What people look for, and a page that the search must offer for it. */
const SEARCHES = [
  { words: "createVerifier", page: "reference/functions/createVerifier" },
  { words: "CURSOR_BEYOND_END", page: "errors" },
  { words: "large transfer", page: "examples/02-large-transfer-alert" },
  { words: "prometheus", page: "metrics" },
];

const started = performance.now();
try {
  const { folder, base, pages } = await buildSite();
  const { checked, problems } = await brokenLinks(folder, base);
  for (const problem of problems) fail(problem);
  await inBrowser(folder, base);
  const seconds = Math.round((performance.now() - started) / 1000);
  if (!process.exitCode)
    process.stdout.write(`${pages} pages, ${checked} links and pictures, ${seconds} s: all is well\n`);
} catch (error) {
  fail(messageOf(error));
}

/** @param {string} folder @param {string} base */
async function inBrowser(folder, base) {
  const executablePath = chromiumPath();
  if (executablePath === undefined) return fail(`The pages were not opened. ${HOW_TO_GET_CHROMIUM}`);
  const { chromium } = await import("playwright-core");
  const pictures = join(site, ".cache/pictures");
  await rm(pictures, { recursive: true, force: true });
  await mkdir(pictures, { recursive: true });
  const { url, close } = await servePages(folder, { base });
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
  try {
    for (const colorScheme of THEMES) {
      const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 900 } });
      watch(page, new URL(url).host);
      for (const name of PAGES) {
        await page.goto(`${url}${name}.html`, { waitUntil: "networkidle" });
        await page.screenshot({ path: join(pictures, `${name.replaceAll("/", "-")}-${colorScheme}.png`) });
      }
      await searchIn(page);
      await page.screenshot({ path: join(pictures, `search-${colorScheme}.png`) });
      await page.close();
    }
  } finally {
    await browser.close();
    await close();
  }
}

/** Reports errors of the page, and what it requests from another host. @param {Page} page @param {string} host */
function watch(page, host) {
  page.on("console", (message) => {
    if (message.type() === "error") fail(`${page.url()} prints an error: ${message.text()}`);
  });
  page.on("pageerror", (error) => fail(`${page.url()} throws: ${error.message}`));
  // A page that is left aborts what it fetched ahead. What the server does not have is an error of the console.
  page.on("requestfailed", (request) => {
    const why = request.failure()?.errorText ?? "";
    if (why !== "net::ERR_ABORTED") fail(`${page.url()} cannot load ${request.url()}: ${why}`);
  });
  page.on("request", (request) => {
    const { protocol, host: asked } = new URL(request.url());
    if (protocol.startsWith("http") && asked !== host) fail(`${page.url()} requests ${request.url()}`);
  });
}

/** @param {Page} page */
async function searchIn(page) {
  await page.locator("button.DocSearch-Button").first().click();
  for (const { words, page: wanted } of SEARCHES) {
    await page.locator(".VPLocalSearchBox input").fill(words);
    const found = page.locator(`.VPLocalSearchBox .result[href*="${wanted}.html"]`).first();
    const isFound = await found.waitFor({ timeout: 30_000 }).then(
      () => true,
      () => false,
    );
    if (!isFound) fail(`A search for "${words}" does not find the page ${wanted}.`);
  }
}
