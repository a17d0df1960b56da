import should from "should";
import { CrecError } from "../../src/errors.ts";
import { ServiceError } from "../../src/http/index.ts";
import { pollWithin } from "../../src/resources/waits/polling.ts";
import { yieldToEventLoop } from "../../src/timing/index.ts";
import { errorOf } from "../http/support.ts";

describe("polling", () => {
  const pollMs = { min: 1, max: 2 };
  const onTimeout = () => new CrecError("LATE", "Late.");
  const isPassing = (error: unknown) => error instanceof ServiceError;
  const temporary = (retryAfterMs?: number) =>
    new ServiceError("SERVICE_ERROR", "Failed.", { status: 503, retryable: true, retryAfterMs });

  it("yields what is new, and nothing for an empty answer or a temporary error", async () => {
    const answers: Array<() => string[]> = [
      () => [],
      () => ["a"],
      () => {
        throw temporary();
      },
      () => ["b", "c"],
    ];
    const look = async () => answers.shift()?.() ?? [];
    const news = pollWithin({ look, isPassing, onTimeout, timeoutMs: 5_000, pollMs, signals: [] });
    should((await news.next()).value).deepEqual(["a"]);
    should((await news.next()).value).deepEqual(["b", "c"]);
  });

  it("ends with an error that cannot pass", async () => {
    const look = () => Promise.reject(new CrecError("BROKEN", "Broken."));
    const news = pollWithin({ look, isPassing, onTimeout, timeoutMs: 5_000, pollMs, signals: [] });
    should((await errorOf(news.next())).code).equal("BROKEN");
  });

  it("ends in time, also while a request is not answered and when a service asks for a longer delay", async () => {
    for (const look of [() => new Promise<never>(() => {}), () => Promise.reject(temporary(3_600_000))]) {
      const news = pollWithin({ look, isPassing, onTimeout, timeoutMs: 50, pollMs, signals: [] });
      should((await errorOf(news.next())).code).equal("LATE");
    }
  });

  it("ends when a signal fires, during a request and during a pause", async () => {
    for (const look of [() => new Promise<never>(() => {}), async () => []]) {
      const controller = new AbortController();
      const slow = { min: 60_000, max: 60_000 };
      const signals = [undefined, controller.signal];
      const news = pollWithin({ look, isPassing, onTimeout, timeoutMs: 120_000, pollMs: slow, signals });
      const ended = errorOf(news.next());
      controller.abort();
      should((await ended).code).equal("ABORTED");
    }
  });

  it("sends no further request after a signal that fires between two requests", async () => {
    const controller = new AbortController();
    let requests = 0;
    const look = async () => {
      requests += 1;
      setImmediate(() => controller.abort());
      return [];
    };
    const slow = { min: 60_000, max: 60_000 };
    const signals = [controller.signal];
    const news = pollWithin({ look, isPassing, onTimeout, timeoutMs: 120_000, pollMs: slow, signals });
    should((await errorOf(news.next())).code).equal("ABORTED");
    await yieldToEventLoop();
    should(requests).equal(1);
  });
});
