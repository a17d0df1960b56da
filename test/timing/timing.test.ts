import fc from "fast-check";
import should from "should";
import { REDELIVERY, RETRIES } from "../../src/retry/policies.ts";
import { backoffMs } from "../../src/retry/retry.ts";
import { sleep, yieldToEventLoop } from "../../src/timing/index.ts";

describe("sleep", () => {
  it("resolves after the time", async () => {
    const begun = performance.now();
    // biome-ignore lint/plugin: this tests a sleep
    await sleep(20);
    should(performance.now() - begun).be.above(18);
  });

  it("resolves as soon as one of its signals fires", async () => {
    const controller = new AbortController();
    const slept = sleep(60_000, undefined, controller.signal);
    controller.abort();
    await slept;
  });

  it("resolves immediately when a signal has fired before", async () => {
    await sleep(60_000, AbortSignal.abort());
  });

  it("does not end early when the time is longer than a timer holds", async () => {
    const controller = new AbortController();
    let isOver = false;
    const slept = sleep(2 ** 40, controller.signal).then(() => {
      isOver = true;
    });
    // biome-ignore lint/plugin: this tests a sleep
    await sleep(5);
    should(isOver).be.false();
    controller.abort();
    await slept;
  });
});

describe("yieldToEventLoop", () => {
  it("resolves after immediates that were set before", async () => {
    let ran = false;
    setImmediate(() => {
      ran = true;
    });
    await yieldToEventLoop();
    should(ran).be.true();
  });
});

describe("backoffMs", () => {
  it("grows with each attempt up to the maximum", () => {
    should(backoffMs(RETRIES.request, 1, () => 1)).equal(200);
    should(backoffMs(RETRIES.request, 3, () => 1)).equal(800);
    should(backoffMs(REDELIVERY, 9)).equal(60_000);
  });

  it("waits anything between nothing and the whole time with full jitter", () => {
    should(backoffMs(RETRIES.request, 1, () => 0)).equal(0);
    const attempts = fc.integer({ min: 1, max: 5000 });
    fc.assert(fc.property(attempts, (attempt) => backoffMs(RETRIES.request, attempt) <= 5_000));
  });

  it("waits at least half the time with a jitter of a half", () => {
    should(backoffMs(RETRIES.read, 1, () => 0)).equal(500);
    should(backoffMs(RETRIES.read, 2, () => 1)).equal(2_000);
  });
});
