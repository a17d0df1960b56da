import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

let isSaid = false;

/** Whether there is a browser here; where there is none, what needs one is skipped, and one line says so. */
export function hasBrowser(): boolean {
  if (existsSync(CHROMIUM)) return true;
  // CI installs one: there, a test that does not run is a failure.
  if (process.env.CI) throw new Error(`There is no Chromium at ${CHROMIUM}.`);
  if (!isSaid) process.stdout.write(`  Skipped what needs a browser: there is no Chromium at ${CHROMIUM}.\n`);
  isSaid = true;
  return false;
}

/** Headless, and without any call of its own to the outside. */
export function startBrowser(): Promise<Browser> {
  const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"];
  return chromium.launch({ executablePath: CHROMIUM, args });
}
