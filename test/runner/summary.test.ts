import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { promtoolPath, redisPath } from "../../scripts/lib/engines.mjs";
import { lateFiles, summary } from "../../scripts/test/summary.mjs";

const outcome = (file: string, title: string) => ({ file, title });
const BROWSER = outcome("test/editor/help.test.ts", "the help of each node reads well");
const OTHER = outcome("test/launcher/start.test.ts", "npm start ends everything");
const REDIS = outcome("test/fleet/shared-state-redis.test.ts", "Redis keeps the epoch");
const AWS = outcome("test/e2e/aws-kms-moto.test.ts", "a key in an emulator has an address");
const SCRAPE = outcome("test/monitor/metrics/scrape.test.ts", "a scrape counts what the flows did");
const RULES = outcome("test/monitor/metrics/alert-rules.test.ts", "alert rules fire when they should");
const run = {
  passed: [outcome("test/json.test.ts", "reads")],
  failed: [],
  skipped: [BROWSER, OTHER],
  durations: {},
};

describe("the end of a test run", () => {
  const named = process.env.CHROMIUM;
  afterEach(() => {
    if (named === undefined) delete process.env.CHROMIUM;
    else process.env.CHROMIUM = named;
  });

  it("names what was skipped for want of a browser, and says how to get one", () => {
    process.env.CHROMIUM = "/no/such/browser";
    const text = summary([run], 61_400);
    should(text).match(/^ {2}1 passing \(1 min 1 s\)\n {2}2 skipped$/m);
    should(text).match(/1 tests? needs? a browser.*apt-get install chromium.*CHROMIUM/);
    should(text).containEql(`${BROWSER.file}: ${BROWSER.title}`);
    should(text).containEql(`${OTHER.file}: ${OTHER.title}`);
    should(text.indexOf(BROWSER.title)).be.below(text.indexOf("skipped itself"));
    should(text.indexOf(OTHER.title)).be.above(text.indexOf("skipped itself"));
  });

  it("names what was skipped for want of a server, and says how to get one", () => {
    const path = process.env.PATH;
    process.env.PATH = "/no/such/folder";
    try {
      const text = summary([{ ...run, skipped: [OTHER, REDIS, AWS, SCRAPE, RULES] }], 0);
      should(text).match(/1 test needs Redis or Valkey, which was not found.*apt-get install redis-server/);
      should(text).match(/1 test needs moto, which was not found.*pip install moto flask flask-cors/);
      should(text).match(
        /1 test needs prometheus-client, which was not found.*pip install prometheus-client/,
      );
      should(text).match(/1 test needs promtool, which was not found.*apt-get install prometheus/);
      should(text.indexOf(AWS.title)).be.below(text.indexOf("skipped itself"));
      should(text.indexOf(REDIS.title)).be.below(text.indexOf("skipped itself"));
      should(text.indexOf(OTHER.title)).be.above(text.indexOf("skipped itself"));
    } finally {
      process.env.PATH = path;
    }
  });

  it("counts a program that does not start as missing", function () {
    if (process.platform === "win32") return this.skip();
    const [path, folder] = [process.env.PATH, mkdtempSync(join(tmpdir(), "crec-shims-"))];
    for (const [name, status] of [
      ["redis-server", 127],
      ["promtool", 0],
    ] as const) {
      writeFileSync(join(folder, name), `#!/bin/sh\nexit ${status}\n`);
      chmodSync(join(folder, name), 0o755);
    }
    process.env.PATH = folder;
    try {
      should(redisPath()).be.undefined();
      should(promtoolPath()).equal(join(folder, "promtool"));
    } finally {
      process.env.PATH = path;
      rmSync(folder, { recursive: true });
    }
  });

  it("names the files that take long and start late", () => {
    const durations = {
      "test/nodes/account.test.ts": 30_400,
      "test/json.test.ts": 30_000,
      "test/nodes/api.test.ts": 900,
    };
    should(lateFiles([{ ...run, durations }])).match(
      /longest-first\.json\.\n {4}30 s {2}test\/nodes\/account\.test\.ts\n$/,
    );
    should(lateFiles([run])).equal("");
  });

  it("counts over all runs, and names what failed", () => {
    const failed = {
      passed: run.passed,
      failed: [{ ...OTHER, reason: "no port" }],
      skipped: [],
      durations: {},
    };
    const text = summary([run, failed], 5_000);
    should(text).containEql(`    ${OTHER.file}: ${OTHER.title}\n      no port`);
    should(text).match(/^ {2}2 passing \(5 s\)$/m);
    should(text).match(/^ {2}1 failing$/m);
    should(text).containEql(`    ${OTHER.file}: ${OTHER.title}`);
    should(summary([{ ...run, skipped: [] }], 0)).equal("\n  1 passing (0 s)");
  });
});
