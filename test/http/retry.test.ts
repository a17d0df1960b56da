import { readFileSync } from "node:fs";
import fc from "fast-check";
import should from "should";
import { backoffMs, retryAfterMs } from "../../src/http/retry.ts";
import { VERSION } from "../../src/http/version.ts";

describe("retry timing", () => {
  it("reads Retry-After as seconds and as an HTTP date", () => {
    const now = Date.UTC(2026, 0, 1, 12, 0, 0);
    should(retryAfterMs("120", now)).equal(120_000);
    should(retryAfterMs(" 0 ", now)).equal(0);
    should(retryAfterMs("Thu, 01 Jan 2026 12:00:30 GMT", now)).equal(30_000);
    should(retryAfterMs("Thu, 01 Jan 2026 11:00:00 GMT", now)).equal(0);
  });

  it("ignores a Retry-After that is neither", () => {
    for (const text of [undefined, "", "-1", "1.5", "soon", "1e3", "2026-01-01", "0x10"]) {
      should(retryAfterMs(text)).be.undefined();
    }
  });

  it("backs off within a bound that doubles up to 5 s", () => {
    should(backoffMs(1, () => 1)).equal(200);
    should(backoffMs(3, () => 1)).equal(800);
    should(backoffMs(1, () => 0)).equal(0);
    fc.assert(fc.property(fc.integer({ min: 1, max: 5000 }), (attempt) => backoffMs(attempt) <= 5000));
  });
});

describe("VERSION", () => {
  it("is the version of the package", () => {
    const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
    should(JSON.parse(text).version).equal(VERSION);
  });
});
