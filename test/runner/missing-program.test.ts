import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { chromiumPath } from "../../scripts/lib/chromium.mjs";
import { promtoolPath, redisPath } from "../../scripts/lib/engines.mjs";

describe("a program that tests need", () => {
  const { PATH: path, CHROMIUM: browser } = process.env;
  const folder = mkdtempSync(join(tmpdir(), "crec-shims-"));

  after(() => {
    process.env.PATH = path;
    if (browser !== undefined) process.env.CHROMIUM = browser;
    rmSync(folder, { recursive: true });
  });

  it("counts as missing where it is in the path but does not start", function () {
    if (process.platform === "win32") return this.skip();
    for (const [name, status] of [
      ["redis-server", 127],
      ["chromium", 127],
      ["promtool", 0],
    ] as const) {
      writeFileSync(join(folder, name), `#!/bin/sh\nexit ${status}\n`);
      chmodSync(join(folder, name), 0o755);
    }
    process.env.PATH = folder;
    delete process.env.CHROMIUM;
    should(redisPath()).be.undefined();
    should(chromiumPath()).not.equal(join(folder, "chromium"));
    should(promtoolPath()).equal(join(folder, "promtool"));
  });
});
