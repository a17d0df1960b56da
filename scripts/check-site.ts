// npm run check:site: builds the documentation, which fails for a link to a page that is not there, and looks at it as it is
// served. No tool does that: that nothing is loaded from another host, that the search finds what is written, and that pages
// open without an error in both themes. Its pictures are in site/.cache/pictures. Needs the registry the first time.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { site } from "../site/lib/places.mjs";
import { checking, fail, say } from "./lib/check.ts";
import { CHROMIUM_FLAGS, chromiumPath, HOW_TO_GET_CHROMIUM } from "./lib/chromium.mjs";
import { buildSite, servePages } from "./lib/site.ts";

/** One page of each kind. */
const PAGES = [
  ...["index", "first-flow", "benchmarks", "verification", "errors", "nodes/alert", "examples/24-alert-wall"],
  ...["reference/index", "reference/classes/CrecClient"],
];
/** What people look for, and a page that the search must offer for it. */
const SEARCHES = {
  createVerifier: "reference/functions/createVerifier",
  CURSOR_BEYOND_END: "errors",
  "large transfer": "examples/02-large-transfer-alert",
  prometheus: "metrics",
};

await checking("site", async (_, atEnd) => {
  const pages = await buildSite();
  const executablePath = chromiumPath();
  if (executablePath === undefined) return fail(`The pages were not opened. ${HOW_TO_GET_CHROMIUM}`);
  const { chromium } = await import("playwright-core");
  const pictures = join(site, ".cache/pictures");
  await rm(pictures, { recursive: true, force: true });
  await mkdir(pictures, { recursive: true });
  const { url, close } = await servePages(0);
  atEnd(close);
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
  atEnd(() => browser.close());
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 900 } });
    const take = (name: string) =>
      page.screenshot({ path: join(pictures, `${name.replaceAll("/", "-")}-${colorScheme}.png`) });
    watch(page, new URL(url).host);
    for (const name of PAGES) {
      await page.goto(`${url}${name}.html`, { waitUntil: "networkidle" });
      await take(name);
    }
    await page.locator("button.DocSearch-Button").first().click();
    for (const [words, wanted] of Object.entries(SEARCHES)) {
      await page.locator(".VPLocalSearchBox input").fill(words);
      const found = page.locator(`.VPLocalSearchBox .result[href*="${wanted}.html"]`).first();
      const notFound = () => fail(`A search for "${words}" does not find the page ${wanted}.`);
      await found.waitFor({ timeout: 30_000 }).catch(notFound);
    }
    await take("search");
    await page.close();
  }
  if (!process.exitCode) say(`${pages} pages: all is well`);
});

/** Reports errors of the page, and what it requests from another host. */
function watch(page: Page, host: string) {
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
