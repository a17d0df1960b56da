import { readFileSync } from "node:fs";
import { request } from "node:http";
import { createRequire } from "node:module";
import type { Browser } from "playwright-core";
import should from "should";
import { hasBrowser, sharedBrowser } from "../../test/support/browser.ts";
import { itWide } from "../../test/support/wide.ts";
import { type Api, startTestService } from "./support.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

describe("the start page of the local service", function () {
  this.timeout(120_000);
  let api: Api;
  let dispose: () => Promise<void>;

  before(async () => {
    ({ api, dispose } = await startTestService());
  });
  after(() => dispose());

  const page = async () => {
    const response = await fetch(`${api.ready.base_url}/`);
    return { response, text: await response.text() };
  };

  it("shows a browser, without a key, what runs and how to verify proofs", async () => {
    const { response, text } = await page();
    should(response.status).equal(200);
    should(response.headers.get("content-type")).equal("text/html; charset=utf-8");
    should(response.headers.get("content-security-policy")).match(/default-src 'none'/);
    const { ready } = api;
    const shown = [
      ...[ready.base_url, ready.graphql_url, ready.api_key, ready.org_id, ready.workflow_owner],
      ...[ready.chain_selector, ready.rpc_url, ...ready.valid_signers, ...Object.values(ready.contracts)],
      ...["3 of 7", '<noscript><meta http-equiv="refresh"'],
    ];
    should(shown.filter((what) => !text.includes(what))).be.empty();
    should(text.match(/<script/gi)).have.length(1);
  });

  it("counts all resources", async () => {
    const channelId = await api.channel();
    await api.transferWatcher(channelId);
    const { text } = await page();
    should(text).match(/<strong>1<\/strong> watcher\s*<span>1 active<\/span>/);
    const before = Number(/<strong>(\d+)<\/strong> events/.exec(text)?.[1]);
    await api.ok("POST", "/local/faucet", {});
    await api.eventsUntil(channelId, (all) => all.length > 2);
    const after = Number(/<strong>(\d+)<\/strong> events/.exec((await page()).text)?.[1]);
    should(after).be.above(before);
  });

  it("is not shown to web pages from elsewhere, under any name, and uses up no fault", async () => {
    const { hostname, port } = new URL(api.ready.base_url);
    const status = await new Promise((resolve) => {
      request({ hostname, port, path: "/", headers: { host: `elsewhere.example:${port}` } }, (answer) =>
        resolve(answer.resume().statusCode),
      ).end();
    });
    should(status).equal(403);
    await api.ok("POST", "/local/faults", { action: "status", status: 503 });
    should((await page()).response.status).equal(200);
    should((await api.call("GET", "/networks")).status).equal(503);
  });

  it("does not show a key that is not the default", async () => {
    const own = await startTestService({ apiKey: ["my-own-key", "another"] });
    try {
      const text = await (await fetch(`${own.api.ready.base_url}/`)).text();
      should(text).not.match(/my-own-key|another/);
      for (const key of ["my-own-key", "another", "third"]) {
        const headers = { authorization: `Apikey ${key}` };
        const { status } = await own.api.call("GET", "/networks", undefined, headers);
        should(status).equal(key === "third" ? 401 : 200);
      }
    } finally {
      await own.dispose();
    }
  });

  describe("in a browser", () => {
    let browser: Browser;

    before(async function () {
      if (!hasBrowser()) this.skip();
      browser = await sharedBrowser();
    });

    for (const colorScheme of ["light", "dark"] as const) {
      itWide(`is accessible in a ${colorScheme} theme and on a small screen`, async () => {
        const tab = await browser.newPage({ colorScheme, viewport: { width: 380, height: 700 } });
        const complaints: string[] = [];
        tab.on("console", (message) => complaints.push(message.text()));
        await tab.goto(`${api.ready.base_url}/`);
        await tab.evaluate(axe);
        const violations = await tab.evaluate(async () => {
          type Axe = { run(of: unknown): Promise<{ violations: Array<{ id: string }> }> };
          const checker = (globalThis as unknown as { axe: Axe }).axe;
          return (await checker.run("html")).violations.map(({ id }) => id);
        });
        should(violations).be.empty();
        const width = await tab.evaluate("document.documentElement.scrollWidth");
        should(width).equal(380);
        should(complaints).be.empty();
        await tab.close();
      });
    }
  });
});
