import { chromium } from "playwright-core";
import { CHROMIUM_FLAGS, chromiumPath, HOW_TO_GET_CHROMIUM } from "../../scripts/lib/chromium.mjs";
import { shared } from "./shared.ts";

/**
 * Whether there is a browser. Without one, tests that need it skip themselves, and the summary of the run says so.
 *
 * @throws where CI is set: there, a test that does not run is a failure.
 */
export function hasBrowser(): boolean {
  if (chromiumPath() !== undefined) return true;
  if (process.env.CI) throw new Error(`There is no browser. ${HOW_TO_GET_CHROMIUM}`);
  return false;
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
