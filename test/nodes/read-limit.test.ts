import { EventEmitter } from "node:events";
import { mock } from "node:test";
import type { NodeAPI } from "node-red";
import should from "should";
import { sharedAnswers } from "../../nodes/common/admin/shared-answers.ts";
import { sharedLookUp } from "../../nodes/common/fields/config-nodes.ts";
import { toCodedError } from "../../nodes/common/shared/errors.ts";
import { asReadOnlyUser, readLimit, retryAfterOf } from "../../nodes/common/status/read-limit.ts";
import { deferred } from "../../src/deferred.ts";

describe("what users who may only read ask of a connection", () => {
  let now = 0;
  beforeEach(() => {
    now = 0;
  });
  const limited = (perMinute?: number) => {
    const { admit, onRequest } = readLimit("Main", perMinute, () => now);
    return {
      sent: () => onRequest(),
      /** Undefined where it is let through, else after how many seconds to ask again. */
      refused: () => {
        try {
          should(admit()).equal("last");
          return undefined;
        } catch (thrown) {
          should(toCodedError(thrown).code).equal("READ_LIMIT");
          return retryAfterOf(thrown);
        }
      },
    };
  };
  for (const [perMinute, most, seconds] of [
    [60, 15, 60],
    [undefined, 15, 60],
    [600, 150, 60],
    [7, 1, 60],
    [1, 1, 240],
  ] as const) {
    it(`is ${most} in ${seconds} s where ${perMinute ?? "any number"} a minute may be sent`, () =>
      asReadOnlyUser(() => {
        const { refused } = limited(perMinute);
        const first = Array.from({ length: most + 5 }, refused);
        should(first.filter((wait) => wait === undefined)).have.length(most);
        should(first.at(-1)).equal(seconds);
        now = seconds * 1000 - 1;
        should(refused()).equal(1);
        now += 1;
        const next = Array.from({ length: most + 5 }, refused);
        should(next.filter((wait) => wait === undefined)).have.length(most);
      }));
  }

  it("counts from when it was sent, which may be later", () =>
    asReadOnlyUser(() => {
      const { refused, sent } = limited(8);
      refused();
      refused();
      now = 50_000;
      sent();
      sent();
      now = 70_000;
      should(refused()).equal(40);
      now = 110_000;
      should(refused()).be.undefined();
    }));

  it("is the same part in each minute where each is sent at once, or never", () =>
    asReadOnlyUser(() => {
      const { refused, sent } = limited(16);
      const throughNow = (isSent: boolean) =>
        Array.from({ length: 8 }, () => {
          const isThrough = refused() === undefined;
          if (isThrough && isSent) sent();
          return isThrough;
        }).filter(Boolean).length;
      for (const [minute, isSent] of [true, true, false, true, true].entries()) {
        now = minute * 60_000;
        should(throughNow(isSent)).equal(4);
      }
    }));

  it("is not limited, nor counted, for anyone else", () => {
    const { admit, onRequest } = readLimit("Main", 4, () => now);
    for (let asked = 0; asked < 100; asked += 1) should(admit()).be.undefined();
    onRequest();
    asReadOnlyUser(() => should(admit()).equal("last"));
  });
});

describe("answers that users share", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
  afterEach(() => mock.timers.reset());

  const make = (isWhole?: (answer: string) => boolean) => {
    const events = new EventEmitter();
    let count = 0;
    const ask = sharedAnswers<string>({ events } as unknown as Pick<NodeAPI, "events">, isWhole);
    const answer = async () => {
      count += 1;
      return `answer ${count}`;
    };
    return { events, ask, answer, asked: () => ask("question", answer) };
  };

  it("are kept for five seconds, or until the next deploy", async () => {
    const { asked, ask, answer, events } = make();
    should(await asked()).equal("answer 1");
    should(await asReadOnlyUser(asked)).equal("answer 1");
    should(await ask("another", answer)).equal("answer 2");
    mock.timers.tick(4_999);
    should(await asked()).equal("answer 1");
    mock.timers.tick(1);
    should(await asReadOnlyUser(asked)).equal("answer 3");
    should(await asked()).equal("answer 3");
    events.emit("flows:started");
    should(await asked()).equal("answer 4");
  });

  it("are not kept where they failed, or tell of a failure", async () => {
    const { asked, ask } = make((answer) => answer !== "answer 1");
    const fails = () => ask("question", () => Promise.reject(new Error("No.")));
    await should(fails()).be.rejectedWith("No.");
    should(await asked()).equal("answer 1");
    should(await asked()).equal("answer 2");
    should(await asked()).equal("answer 2");
  });

  it("are joined while they are asked for, but not by others where a user who may only read began", async () => {
    const { ask, answer, asked } = make();
    const { promise, resolve } = deferred<string>();
    const first = asReadOnlyUser(() => ask("question", () => promise));
    const joined = asReadOnlyUser(asked);
    should(await asked()).equal("answer 1");
    resolve("late");
    should(await Promise.all([first, joined])).deepEqual(["late", "late"]);
    should(await asReadOnlyUser(asked)).equal("answer 1");
    const running = ask("another", answer);
    should(await asReadOnlyUser(() => ask("another", answer))).equal(await running);
  });

  it("are refused where the work hid that a request was", async () => {
    const { ask } = make();
    const { admit } = readLimit("Main", 4, () => 0);
    const hides = async () => {
      try {
        admit();
        admit();
      } catch {
        // As a list that is only shorter.
      }
      return "less";
    };
    const error = await asReadOnlyUser(() => ask("question", hides)).then(unexpected, toCodedError);
    should(error.code).equal("READ_LIMIT");
    should(error.message).equal(
      'Users without the permission crec.write have used up their part of the requests of the connection "Main": 1 in 60 s. Wait 60 s, then try again.',
    );
    should(await ask("question", hides)).equal("less");
  });

  it("make no flow wait for, or fail with, what a user who may only read looks up", async () => {
    const { promise, reject } = deferred<string>();
    const answers = [promise, Promise.resolve("found")];
    const find = sharedLookUp(() => answers.shift() ?? unexpected());
    const { signal } = new AbortController();
    const limited = asReadOnlyUser(() => find(signal));
    should(await find(signal)).equal("found");
    reject(new Error("Refused."));
    await should(limited).be.rejectedWith("Refused.");
    should(await asReadOnlyUser(() => find(signal))).equal("found");
  });
});

function unexpected(): never {
  throw new Error("This must not happen.");
}
