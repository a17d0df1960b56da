import should from "should";
import { executionOf, type Reported } from "../../nodes/common/messages/after-failure.ts";
import type { CrecClient, FollowOptions, Operation } from "../../src/index.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long it looks on after a deadline. */
const LATER_MS = 20 * MINUTE_MS;

/** How long a node looks for an execution that the service has denied, by the clock of the service. */
describe("the look after a failure without proof", () => {
  /** Of a service whose clock differs by so much from this one. It is known at once, or from the first look on. */
  const looksFor = async (
    { deadline, reportedAt }: { deadline?: number; reportedAt?: number },
    { offMs = 0, isKnown = true, isExecuted = false } = {},
  ): Promise<number[]> => {
    const now = Date.now() + offMs;
    const at = (ms: number | undefined) => (ms === undefined ? undefined : now + ms);
    const looks: number[] = [];
    const client = {
      serviceTime: () => (isKnown || looks.length > 0 ? now : undefined),
      operations: {
        follow: async function* (
          _channelId: string,
          _operation: Operation,
          { timeoutMs = 0 }: FollowOptions,
        ) {
          looks.push(Math.round(timeoutMs / 1000) * 1000);
          if (isExecuted) yield { status: "confirmed" };
          throw Object.assign(new Error("It is late."), { code: "WAIT_TIMEOUT" });
        },
      },
    } as unknown as CrecClient;
    const seconds = Math.floor((at(deadline) ?? 0) / 1000);
    const operation = { deadline: seconds } as Operation;
    const reported: Reported = {
      ...{ client, channelId: "channel", operation, timeoutMs: 5 * MINUTE_MS, reportedAt: at(reportedAt) },
      ...{ verify: undefined, signal: undefined },
    };
    const change = await executionOf(reported);
    should(change?.status).equal(isExecuted ? "confirmed" : undefined);
    return looks;
  };
  const close = (looks: readonly number[], expected: readonly number[]) => {
    should(looks).have.length(expected.length);
    for (const [index, ms] of expected.entries()) should(looks[index]).be.approximately(ms, 1_000);
  };

  for (const offMs of [0, HOUR_MS, -HOUR_MS, 3 * HOUR_MS, -3 * HOUR_MS]) {
    const hours = offMs / HOUR_MS;
    it(`ends with the deadline where the clock of the service differs by ${hours} h`, async () => {
      close(await looksFor({ deadline: 15 * MINUTE_MS }, { offMs }), [15 * MINUTE_MS + LATER_MS]);
      close(await looksFor({ deadline: -HOUR_MS }, { offMs }), [10_000]);
    });
    it(`does so after a restart where it differs by ${hours} h: it is known with the first answer`, async () => {
      const looks = await looksFor({ deadline: 15 * MINUTE_MS }, { offMs, isKnown: false });
      close(looks, [MINUTE_MS, 15 * MINUTE_MS + LATER_MS]);
    });
    it(`ends with the timeout where there is no deadline and it differs by ${hours} h`, async () => {
      close(await looksFor({ reportedAt: 0 }, { offMs }), [5 * MINUTE_MS]);
      close(await looksFor({ reportedAt: -3 * MINUTE_MS }, { offMs, isKnown: false }), [
        MINUTE_MS,
        2 * MINUTE_MS,
      ]);
    });
  }

  it("does not look longer than the timeout for a report of the future, nor without its time", async () => {
    close(await looksFor({ reportedAt: HOUR_MS }), [5 * MINUTE_MS]);
    close(await looksFor({}), [5 * MINUTE_MS]);
  });

  it("ends with the execution", async () => {
    should(await looksFor({ deadline: HOUR_MS }, { isKnown: false, isExecuted: true })).have.length(1);
  });
});
