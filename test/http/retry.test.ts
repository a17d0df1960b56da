import { readFileSync } from "node:fs";
import should from "should";
import { NetworkError, TimeoutError } from "../../src/http/index.ts";
import { RetryBudget, retryAfterMs, retryCall } from "../../src/http/retry.ts";
import { VERSION } from "../../src/http/version.ts";

/** JavaScript reads it, and HTTP does not allow it. */
const ZONED = "Thu, 01 Jan 2026 12:00:30 GMT+0200";

describe("retry timing", () => {
  it("reads Retry-After as seconds and as an HTTP date", () => {
    const now = "Thu, 01 Jan 2026 12:00:00 GMT";
    should(retryAfterMs("120", now)).equal(120_000);
    should(retryAfterMs(" 0 ", now)).equal(0);
    should(retryAfterMs("Thu, 01 Jan 2026 12:00:30 GMT", now)).equal(30_000);
    should(retryAfterMs("Thu, 01 Jan 2026 11:00:00 GMT", now)).equal(0);
    for (const unknown of [undefined, "now"]) {
      const later = new Date(Date.now() + 60_000).toUTCString();
      should(retryAfterMs(later, unknown)).be.approximately(60_000, 5_000);
    }
  });

  it("takes no Retry-After for longer than a day", () => {
    should(retryAfterMs("999999999999")).equal(86_400_000);
    should(retryAfterMs("Thu, 01 Jan 2099 00:00:00 GMT")).equal(86_400_000);
  });

  it("ignores a Retry-After that is neither", () => {
    for (const text of [undefined, "", "-1", "1.5", "soon", "1e3", "2026-01-01", "0x10", ZONED]) {
      should(retryAfterMs(text)).be.undefined();
    }
  });
});

describe("the budget for repeats", () => {
  const down = new NetworkError("SERVICE_UNREACHABLE", "down", { retryable: true, retryAfterMs: 0 });
  const limits = (budget: RetryBudget) => ({
    maxAttempts: 4,
    countdown: { leftMs: 10_000 },
    signal: new AbortController().signal,
    budget,
  });
  const attemptsOf = async (budget: RetryBudget, failure: Error) => {
    let attempts = 0;
    await retryCall(limits(budget), async () => {
      attempts += 1;
      throw failure;
    }).catch(() => {});
    return attempts;
  };

  it("lets a few calls repeat while the service is down, then none", async () => {
    const budget = new RetryBudget();
    const attempts: number[] = [];
    for (let call = 0; call < 10; call += 1) attempts.push(await attemptsOf(budget, down));
    should(attempts).deepEqual([4, 4, 4, 4, 4, 4, 3, 1, 1, 1]);
  });

  it("is spent twice as fast by time-outs", async () => {
    const budget = new RetryBudget();
    const late = new TimeoutError("TIMEOUT", "late", { retryable: true, retryAfterMs: 0 });
    let repeats = 0;
    for (let call = 0; call < 10; call += 1) repeats += (await attemptsOf(budget, late)) - 1;
    should(repeats).equal(10);
  });

  it("is refilled by every answer of the service, even a refusal", async () => {
    const budget = new RetryBudget();
    for (let call = 0; call < 10; call += 1) await attemptsOf(budget, down);
    for (let call = 0; call < 5; call += 1) await retryCall(limits(budget), async () => "well");
    should(await attemptsOf(budget, down)).equal(2);
    const refused = new NetworkError("NOT_FOUND", "no", {});
    for (let call = 0; call < 5; call += 1) await attemptsOf(budget, refused);
    should(await attemptsOf(budget, down)).equal(2);
  });
});

describe("VERSION", () => {
  it("is the version of the package", () => {
    const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
    should(JSON.parse(text).version).equal(VERSION);
  });
});
