// @ts-check
import { existsSync } from "node:fs";
import { inPath } from "./engines.mjs";

/**
 * Commands of Chromium and browsers based on it, as Linux distributions name them. The first one is the same engine
 * without windows, and takes about 15 percent less of a processor.
 */
const COMMANDS = [
  ...["chromium-headless-shell", "chromium", "chromium-browser"],
  ...["google-chrome", "google-chrome-stable", "microsoft-edge"],
];

/** Where they are installed on macOS and Windows, which add no command to the path. */
const PLACES = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];

/** For headless use, without calls to the browser's own services: tests also run without a network. */
export const CHROMIUM_FLAGS = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
];

/** What to do when `chromiumPath` finds nothing. */
export const HOW_TO_GET_CHROMIUM =
  "Install Chromium (Debian and Ubuntu: apt-get install chromium; macOS: brew install --cask chromium) or Chrome, " +
  "or set CHROMIUM to the path of such a browser.";

/**
 * The browser for tests and screenshots: the one in CHROMIUM, else an installed one.
 *
 * @returns {string | undefined} its path, or undefined when there is no browser
 */
export function chromiumPath() {
  const named = process.env.CHROMIUM;
  if (named) return existsSync(named) ? named : undefined;
  return inPath(COMMANDS) ?? PLACES.find((path) => existsSync(path));
}
