import { chromium } from "playwright-core";
import { CHROMIUM_FLAGS, chromiumPath, HOW_TO_GET_CHROMIUM } from "../../scripts/lib/chromium.mjs";
import { isInstalled } from "./installed.ts";
import { shared } from "./shared.ts";

/** Whether there is a browser: see `isInstalled`. */
export function hasBrowser(): boolean {
  return isInstalled("browser", chromiumPath(), HOW_TO_GET_CHROMIUM);
}

/** Pages live for seconds: code that is optimized would not run long enough to repay it. */
const FOR_SHORT_PAGES = "--js-flags=--no-opt";

/** One browser a process. */
export const sharedBrowser = shared(
  () => {
    const executablePath = chromiumPath();
    if (executablePath === undefined) throw new Error(`There is no browser. ${HOW_TO_GET_CHROMIUM}`);
    return chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS, FOR_SHORT_PAGES] });
  },
  (browser) => browser.close(),
);
