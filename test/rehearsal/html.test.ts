import "should";
import { differencesOf } from "../../rehearsal/report/differences.ts";
import { htmlOf } from "../../rehearsal/report/html.ts";
import type { Report } from "../../rehearsal/shared/report.ts";
import { hasBrowser, sharedBrowser } from "../support/browser.ts";
import { sampleReport } from "./sample-report.ts";

const HOSTILE = `</pre></details><img src=x onerror="globalThis.hit=1"><script>globalThis.hit=1</script>\u202e'"&`;

/** All text of others is hostile. */
function hostileReport(): Report {
  const report = sampleReport();
  report.tabs = [{ id: HOSTILE, label: HOSTILE }];
  report.channels = [{ id: HOSTILE, name: HOSTILE, events: 1 }];
  report.notes = [{ kind: "recorded", node: "none", text: HOSTILE }];
  for (const node of report.nodes) {
    node.name = HOSTILE;
    node.type = HOSTILE;
    node.reasons = { [HOSTILE]: 1 };
  }
  for (const outcome of report.outcomes) {
    outcome.text = HOSTILE;
    outcome.why = HOSTILE;
    outcome.message = { payload: { text: HOSTILE, tokens: { [HOSTILE]: HOSTILE } }, [HOSTILE]: HOSTILE };
  }
  return report;
}

describe("a rehearsal as one HTML file", () => {
  it("has counts, reasons, amounts, paths and notes; ids come last", () => {
    const page = htmlOf(sampleReport());
    for (const text of [
      "<h1>Rehearsal of Large transfers</h1>",
      "2026-01-05 09:00 to 2026-01-05 09:30 (Europe/Berlin)",
      "<strong>5</strong> alerts",
      "quiet 5",
      "<dt><bdi>value</bdi></dt><dd><bdi>600</bdi></dd>",
      '<ol class="path"><li><bdi>transfers</bdi></li><li><bdi>large transfer</bdi></li>',
      "It was not run: what it was given is noted.",
    ]) {
      page.should.containEql(text);
    }
    page.indexOf("0f0e").should.be.above(page.indexOf("Settings and ids"));
    page.should.not.match(/<script|https?:|\bon\w+=/);
  });

  it("has what differs from the rehearsal before", () => {
    const report = sampleReport({ every: 2 });
    const page = htmlOf(report, { differences: differencesOf(sampleReport(), report) });
    page.should.containEql("large transfer: 10 alerts more (15 instead of 5).");
    page.should.containEql("<h3>New, <bdi>large transfer</bdi>: 10 alerts</h3>");
  });

  it("names how many there were, where not all are listed", () => {
    const report = sampleReport();
    for (const node of report.nodes) if (node.id === "alert") node.outcomes.alert = 2_400;
    const page = htmlOf(report);
    page.should.containEql('<h2>2,400 alerts</h2><p class="muted">The first 5 are listed.</p>');
  });

  it("shows messages of others as text", () => {
    const page = htmlOf(hostileReport(), { differences: differencesOf(sampleReport(), hostileReport()) });
    page.should.not.match(/<script|<img|\u202e/);
    page.should.containEql("\\u{202e}");
  });

  it("loads, runs and asks for nothing in a browser, and fits a phone", async function () {
    if (!hasBrowser()) return this.skip();
    const browser = await sharedBrowser();
    const page = await browser.newPage({ viewport: { width: 400, height: 800 } });
    try {
      const requests: string[] = [];
      const errors: string[] = [];
      page.on("request", (request) => requests.push(request.url()));
      page.on("console", (message) => errors.push(message.text()));
      page.on("pageerror", (error) => errors.push(error.message));
      const report = hostileReport();
      await page.setContent(htmlOf(report, { differences: differencesOf(sampleReport(), report) }));
      for (const summary of await page.locator("section > details > summary").all()) await summary.click();
      const seen = await page.evaluate(() => ({
        hit: "hit" in globalThis,
        scripts: document.scripts.length,
        images: document.images.length,
        isTooWide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
      }));
      seen.should.deepEqual({ hit: false, scripts: 0, images: 0, isTooWide: false });
      requests.should.deepEqual([]);
      errors.should.deepEqual([]);
    } finally {
      await page.close();
    }
  });
});
