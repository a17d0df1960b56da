import should from "should";
import { each, makeRule, START } from "./make-rule.ts";

describe("AlertRule: what raises an alert", () => {
  it("each: every input that matches", async () => {
    const { at } = makeRule({ kind: "each" });
    should(await at(1)).equal("alert at 1");
    should(await at(2, { matches: false })).equal("no_match");
    should(await at(3)).equal("alert at 3");
  });

  it("count: a number within the window, and the same number again for the next alert", async () => {
    const { at } = makeRule({ kind: "count", times: 3, withinMs: 10 });
    should(await each([1, 5, 10, 11, 12, 13, 30, 39, 40], at)).deepEqual([
      ...["counted", "counted", "alert at 10 count 3"],
      ...["counted", "counted", "alert at 13 count 3"],
      ...["counted", "counted", "counted"],
    ]);
  });

  it("sum: exact, for amounts that a floating-point number rounds", async () => {
    const { at } = makeRule({ kind: "sum", field: "params.value", limit: "9007199254740994", withinMs: 10 });
    should(await at(1, { amount: "9007199254740992" })).equal("counted");
    should(await at(2, { amount: "1" })).equal("counted");
    should(await at(3, { amount: "1" })).equal("alert at 3 count 3 sum 9007199254740994");
    should(await at(4, { amount: "1.5" })).equal("undecided");
    should(await at(5, {})).equal("undecided");
  });

  it("sum: a limit in tokens takes the decimals of the rule, or those of the event", async () => {
    const limit = { kind: "sum", field: "params.value", limit: "1.5", unit: "token", withinMs: 10 } as const;
    const ofRule = makeRule({ ...limit, decimals: 6 });
    should(await ofRule.at(1, { amount: "1499999" })).equal("counted");
    should(await ofRule.at(2, { amount: "1" })).equal("alert at 2 count 2 sum 1500000");
    const ofEvent = makeRule(limit);
    should(await ofEvent.at(1, { amount: "15", decimals: 1 })).equal("alert at 1 sum 15");
    should(await ofEvent.at(2, { key: "other", amount: "15" })).equal("undecided");
    should(await ofEvent.at(3, { key: "other", amount: "15", decimals: 99 })).equal("undecided");
  });

  it("sum: at or below a limit, with amounts that are negative", async () => {
    const { at, upTo } = makeRule(
      { kind: "sum", field: "", limit: "-100", is: "atMost", withinMs: 10 },
      { recovers: true },
    );
    should(await at(1, { amount: "-90" })).equal("counted");
    should(await at(2, { amount: "30" })).equal("counted");
    should(await at(3, { amount: "-40" })).equal("alert at 3 count 3 sum -100");
    should(await upTo(30)).match(/^recovered at /);
  });

  it("sum: reaches its limit by what leaves the window, too", async () => {
    const least = { kind: "sum", field: "", limit: "5", withinMs: 10 } as const;
    const rising = makeRule(least, { recovers: true });
    should(await each([0, 4], (ms) => rising.at(ms, { amount: ms === 0 ? "-8" : "9" }))).eql([
      "counted",
      "counted",
    ]);
    should(rising.rule.nextCheckAt).equal(START + 10);
    should(await rising.upTo(20)).equal("alert at 10 sum 9, recovered at 14");
    const most = makeRule({ ...least, is: "atMost" });
    should(await each([0, 4, 5], (ms) => most.at(ms, { amount: ms === 0 ? "8" : "2" }))).eql(
      Array(3).fill("counted"),
    );
    should(await most.upTo(30)).equal("alert at 10 count 2 sum 4");
  });

  it("sum: each amount by the decimals of its own token, whatever came first", async () => {
    const limit = { kind: "sum", field: "params.value", limit: "3", unit: "token", withinMs: 10 } as const;
    const [a, b] = [
      { amount: `1${"0".repeat(18)}`, decimals: 18 },
      { amount: "1000000", decimals: 6 },
    ];
    for (const [first, second] of [
      [a, b],
      [b, a],
    ] as const) {
      const { rule } = makeRule(limit);
      const give = (ms: number, more: object) =>
        rule.accept({ key: "", at: START + ms, id: `${ms}`, matches: true, ...more });
      should(await give(1, first)).have.property("passed", "counted");
      should(await give(2, second)).have.property("passed", "counted");
      const { outcomes } = await give(3, second);
      should(outcomes[0]?.alert).have.properties({ sum: `3${"0".repeat(18)}`, decimals: 18 });
    }
  });

  it("rate: more than usual, once the compared time is known", async () => {
    const { at } = makeRule({ kind: "rate", factor: 2, withinMs: 10, comparedMs: 100, least: 3 });
    // One in each window of the compared time; three in a window before it is known are no alert.
    const usual = [1, 2, 3, ...Array.from({ length: 16 }, (_, index) => 25 + 10 * index)];
    should((await each(usual, at)).every((answer) => answer === "counted")).be.true();
    should(await each([186, 187], at)).deepEqual(["counted", "counted"]);
    should(await at(188)).equal("alert at 188 count 3");
  });

  it("rate: a key that was not there before is compared with nothing", async () => {
    const { at } = makeRule({ kind: "rate", factor: 2, withinMs: 10, comparedMs: 100, least: 2 });
    await at(0, { key: "old" });
    should(await each([200, 201], (ms) => at(ms, { key: "new" }))).deepEqual([
      "counted",
      "alert at 201 of new count 2",
    ]);
  });

  it("absence: only when all was read, and none came", async () => {
    const { at, upTo, rule } = makeRule({ kind: "absence", forMs: 100 }, { recovers: true });
    should(await upTo(0)).equal("");
    should(await upTo(99)).equal("");
    should(await at(90)).equal("counted");
    should(await upTo(189)).equal("");
    should(await upTo(250)).equal("alert at 250 count 0");
    should(await upTo(400)).equal("");
    should(rule.nextCheckAt).be.undefined();
    should(await at(410)).equal("counted, recovered at 410");
    should(await upTo(509)).equal("");
    should(await upTo(510)).equal("alert at 510 count 0");
  });

  it("absence: an event that comes after an outage is not too late", async () => {
    const { at, upTo } = makeRule({ kind: "absence", forMs: 100 });
    await upTo(0);
    // Nothing is said while the channel cannot be read. Then both come at once.
    await each([90, 180, 270, 360], at);
    should(await upTo(400)).equal("");
    should(await upTo(460)).equal("alert at 460 count 0");
  });

  it("absence for each key: those that were seen are watched", async () => {
    const { at, upTo } = makeRule({ kind: "absence", forMs: 100 }, {}, { forEach: true });
    should(await upTo(0)).equal("");
    await at(10, { key: "a" });
    await at(50, { key: "b" });
    should(await upTo(110)).equal("alert at 110 of a count 0");
    should(await upTo(150)).equal("alert at 150 of b count 0");
    should(await upTo(10_000)).equal("");
  });
});

describe("AlertRule: how often", () => {
  it("holds alerts back while it is quiet, and says how many with the next one", async () => {
    const { at } = makeRule({ kind: "each" }, { quietMs: 10 });
    should(await each([1, 2, 10, 11, 12], at)).deepEqual([
      ...["alert at 1", "quiet", "quiet"],
      ...["alert at 11 suppressed 2", "quiet"],
    ]);
  });

  it("counts on while it is quiet", async () => {
    const { at } = makeRule({ kind: "count", times: 2, withinMs: 100 }, { quietMs: 20 });
    should(await each([1, 2, 3, 21, 22], at)).deepEqual([
      ...["counted", "alert at 2 count 2", "quiet", "quiet"],
      "alert at 22 count 5 suppressed 2",
    ]);
  });

  it("each, with the end: one alert while the condition holds", async () => {
    const { at } = makeRule({ kind: "each" }, { recovers: true });
    should(await each([1, 2], at)).deepEqual(["alert at 1", "quiet"]);
    should(await at(3, { matches: false })).equal("no_match, recovered at 3");
    should(await at(4, { matches: false })).equal("no_match");
    should(await at(5)).equal("alert at 5 suppressed 1");
  });

  it("each, with the end: a reminder after each quiet time", async () => {
    const { at } = makeRule({ kind: "each" }, { recovers: true, quietMs: 10 });
    should(await each([1, 5, 11, 12], at)).deepEqual([
      ...["alert at 1", "quiet", "alert at 11 suppressed 1", "quiet"],
    ]);
    const { rule } = makeRule({ kind: "each" }, { recovers: true });
    const input = { key: "", matches: true };
    const [alert] = (await rule.accept({ ...input, at: 1, id: "a" })).outcomes;
    const ended = await rule.accept({ ...input, at: 2, id: "b", matches: false });
    should(ended.outcomes).deepEqual([{ kind: "recovered", alert: alert?.alert, at: 2 }]);
  });

  it("each, with the end: an older input that comes later does not say what is true now", async () => {
    const { at } = makeRule({ kind: "each" }, { recovers: true });
    should(await at(10, { matches: false })).equal("no_match");
    should(await at(9)).equal("alert at 9, recovered at 10");
    should(await at(11)).equal("alert at 11");
    should(await at(8, { matches: false })).equal("no_match");
    should(await at(11, { id: "same time", matches: false })).equal("no_match, recovered at 11");
  });

  it("a window recovers when the time passes, once", async () => {
    const { at, upTo, rule } = makeRule({ kind: "count", times: 2, withinMs: 10 }, { recovers: true });
    should(await each([1, 4, 6], at)).deepEqual(["counted", "alert at 4 count 2", "quiet"]);
    should(Number(rule.nextCheckAt)).equal(Date.UTC(2026, 0, 1) + 14);
    should(await upTo(13)).equal("");
    should(await upTo(20)).equal("recovered at 14");
    should(await upTo(30)).equal("");
  });

  it("a window recovers before the next alert, by the time of the events", async () => {
    const { at } = makeRule({ kind: "count", times: 2, withinMs: 10 }, { recovers: true, slackMs: 5 });
    await each([1, 2], at);
    should(await at(15)).equal("counted");
    should(await at(100)).equal("counted, recovered at 11");
    should(await at(101)).equal("alert at 101 count 2");
  });
});

describe("AlertRule: late events, and events that come again", () => {
  it("counts a late event in the windows that hold it", async () => {
    const { at } = makeRule({ kind: "count", times: 3, withinMs: 10 }, { slackMs: 20 });
    should(await each([1, 3, 20, 2], at)).deepEqual(["counted", "counted", "counted", "alert at 2 count 3"]);
  });

  it("does not count what is later than window and slack", async () => {
    const { at } = makeRule({ kind: "count", times: 2, withinMs: 10 }, { slackMs: 5 });
    should(await each([100, 85, 84], at)).deepEqual(["counted", "counted", "too_late"]);
  });

  it("raises an alert for each late event within a day", async () => {
    const { at } = makeRule({ kind: "each" });
    const day = 24 * 60 * 60_000;
    should(await each([day + 1, 1, 0], at)).deepEqual([`alert at ${day + 1}`, "alert at 1", "too_late"]);
    should(await at(0, { id: "not acknowledged", redelivered: true })).equal("alert at 0");
  });

  it("counts an id once, whatever its level", async () => {
    const { at } = makeRule({ kind: "count", times: 2, withinMs: 10 });
    should(await at(1, { id: "a" })).equal("counted");
    should(await at(1, { id: "a" })).equal("seen");
    should(await at(1, { id: "a", redelivered: true })).equal("seen");
    should(await at(2, { id: "b" })).equal("alert at 2 count 2");
    should(await at(2, { id: "b" })).equal("seen");
    should(await at(2, { id: "b", redelivered: true })).equal("alert at 2 count 2 repeated");
  });

  it("counts an input that matches later, such as at a higher level", async () => {
    const { at } = makeRule({ kind: "each" }, { recovers: true });
    should(await at(1, { id: "a", matches: false })).equal("no_match");
    should(await at(1, { id: "a" })).equal("alert at 1");
  });

  it("repeats the same alert, and a recovery that an input led to", async () => {
    const { rule } = makeRule({ kind: "each" }, { recovers: true });
    const input = { key: "", at: 1, id: "a", matches: true, details: () => ({ text: "low" }) };
    const first = await rule.accept(input);
    should(first.outcomes[0]?.alert.details).deepEqual({ text: "low" });
    const again = await rule.accept({ ...input, redelivered: true });
    should(again).deepEqual({ passed: undefined, outcomes: [{ ...first.outcomes[0], repeated: true }] });
    const end = { key: "", at: 2, id: "b", matches: false };
    const ended = await rule.accept(end);
    should(ended.outcomes[0]?.kind).equal("recovered");
    should((await rule.accept({ ...end, redelivered: true })).outcomes).deepEqual(ended.outcomes);
    should((await rule.accept(end)).outcomes).be.empty();
  });

  it("counts each input without an id", async () => {
    const { rule } = makeRule({ kind: "each" });
    const input = { key: "", at: 1, matches: true };
    const ids = [await rule.accept(input), await rule.accept(input)].map(
      ({ outcomes }) => outcomes[0]?.alert.id,
    );
    should(new Set(ids).size).equal(2);
  });
});
