import fc from "fast-check";
import should from "should";
import { MemoryAlertStore } from "../../../src/alerts/index.ts";
import type { AlertSettings, AlertWhen } from "../../../src/alerts/types.ts";
import { itWide } from "../../support/wide.ts";
import { logAt } from "../taken-back/logs.ts";
import { type MadeRule, makeRule, START } from "./make-rule.ts";
import { reachedWindows } from "./naive.ts";

const MINUTE = 60_000;
/** What waits for finality comes so much later than its block. */
const BEHIND = 15 * MINUTE;
const LATE = 2 * MINUTE;

/** A rule with a clock: what comes late is given by it, and what was read is known by it. */
function world(when: AlertWhen, more: Partial<AlertSettings> = {}, behind = BEHIND) {
  const { slackMs = LATE } = more;
  const store = new MemoryAlertStore();
  let now = START;
  let tx = 0;
  let made: MadeRule;
  const start = () => {
    made = makeRule(when, { slackMs, ...more }, { store, forEach: true, now: () => now });
  };
  start();
  return {
    start,
    /** An event of this time, when it comes: the rule is told just before and after how far the channel was read. */
    give: async (at: number, key: string, source = "transfers") => {
      now = START + at + behind;
      const told = [await made.upTo(now - START - slackMs)];
      const id = `${source} ${at} ${key}`;
      tx += 1;
      told.push(await made.at(at, { key, id, log: logAt({ tx, content: id, source }) }));
      told.push(await made.upTo(now - START - slackMs));
      return told.filter((text) => text !== "").join(", ");
    },
    /** The time passes, and the channel was read. */
    until: async (at: number) => {
      now = START + at;
      return made.upTo(at - slackMs);
    },
    /** When the node calls next. */
    nextCheckAt: () => Number(made.rule.nextCheckAt) - START,
  };
}

describe("AlertRule: sources that are far behind the clock", () => {
  it("counts each key, also after a restart", async () => {
    const { give, start } = world({ kind: "count", times: 2, withinMs: 5 * MINUTE });
    const keys = Array.from({ length: 30 }, (_, index) => `key ${index}`);
    for (const key of keys) should(await give(0, key)).equal("counted");
    start();
    for (const key of keys) {
      should(await give(MINUTE, key)).equal(`alert at ${MINUTE} of ${key} count 2`);
    }
  });

  it("counts the first events of a source that is further behind than another one", async () => {
    const { give } = world({ kind: "count", times: 2, withinMs: MINUTE });
    for (let at = 0; at < 30; at += 1) await give(at * MINUTE, `${at}`, "at once");
    should(await give(5 * MINUTE, "a", "final")).equal("counted");
    should(await give(5 * MINUTE + 1, "a", "final")).equal(`alert at ${5 * MINUTE + 1} of a count 2`);
    should(await give(29 * MINUTE, "29", "final")).equal(`alert at ${29 * MINUTE} of 29 count 2`);
  });

  it("counts on for a key when its source falls behind", async () => {
    const { give, until } = world({ kind: "count", times: 2, withinMs: 5 * MINUTE }, {}, 0);
    should(await give(0, "a")).equal("counted");
    // Nothing is reported for an hour, while the channel is read.
    for (let at = 1; at <= 60; at += 1) should(await until(at * MINUTE)).equal("");
    should(await give(MINUTE, "a")).equal(`alert at ${MINUTE} of a count 2`);
  });

  it("keeps the quiet time", async () => {
    const { give } = world({ kind: "count", times: 1, withinMs: MINUTE }, { quietMs: 10 * MINUTE });
    should(await give(0, "a")).equal("alert at 0 of a");
    should(await give(9 * MINUTE, "a")).equal("quiet");
    should(await give(10 * MINUTE, "a")).equal(`alert at ${10 * MINUTE} of a suppressed 1`);
  });

  it("reports the end of a window once its source has come as far", async () => {
    const { give, until, nextCheckAt } = world(
      { kind: "count", times: 1, withinMs: 5 * MINUTE },
      { recovers: true },
    );
    await until(BEHIND - MINUTE);
    should(await give(0, "a")).equal("alert at 0 of a");
    should(await until(BEHIND + 5 * MINUTE - 1)).equal("");
    should(await give(4 * MINUTE, "a")).equal("quiet");
    should(nextCheckAt()).be.within(BEHIND, 50 * MINUTE);
    should(await until(nextCheckAt() + LATE)).equal(`recovered at ${9 * MINUTE} of a`);
  });

  it("takes no event that is to come for an absence", async () => {
    const { give, until, nextCheckAt } = world({ kind: "absence", forMs: 10 * MINUTE });
    await until(BEHIND - MINUTE);
    for (let at = 0; at < 60; at += 9) should(await give(at * MINUTE, "a")).equal("counted");
    should(nextCheckAt()).be.within(60 * MINUTE, 120 * MINUTE);
    should(await until(nextCheckAt() + LATE)).match(/^alert at .* of a count 0$/);
  });

  it("waits for no source whose events say that they were reported at once, however old they are", async () => {
    const { rule, at, upTo } = makeRule({ kind: "absence", forMs: 100 }, {}, { forEach: true });
    await upTo(100_000);
    for (const ms of [0, 1_000, 5_000]) {
      const more = { key: "a", source: "watcher", reportedAt: START + ms };
      should(await at(ms, more)).equal("counted");
    }
    should(rule.nextCheckAt).equal(START + 5_100);
    should(await upTo(100_001)).equal("alert at 100001 of a count 0");
  });

  it("takes the source that an input without a log names", async () => {
    const { at, upTo } = makeRule({ kind: "count", times: 2, withinMs: 100 }, {}, { forEach: true });
    await upTo(1_000);
    should(await at(0, { key: "a", source: "watcher" })).equal("counted");
    await upTo(2_000);
    should(await at(1, { key: "a", source: "watcher" })).equal("alert at 1 of a count 2");
  });

  it("goes by what it is told where no input has a source", async () => {
    const { at, upTo, rule } = makeRule({ kind: "count", times: 2, withinMs: 100 }, {}, { forEach: true });
    await at(0, { key: "a" });
    should(rule.nextCheckAt).equal(START + 101);
    await upTo(1_000);
    should(await at(1, { key: "a" })).equal("too_late");
  });

  const windows = fc.integer({ min: 1, max: 30 });
  const kinds: fc.Arbitrary<AlertWhen> = windows.chain((withinMs) =>
    fc.constantFrom<AlertWhen>(
      { kind: "each" },
      { kind: "count", times: 2, withinMs },
      { kind: "count", times: 1, withinMs },
      { kind: "sum", field: "", limit: "15", withinMs },
      { kind: "rate", factor: 1, least: 2, withinMs, comparedMs: 2 * withinMs },
    ),
  );
  const settings = fc.record({
    quietMs: fc.constantFrom(0, 5, 40),
    slackMs: fc.constantFrom(0, 3, 20),
    // A reminder at the end of a quiet time goes by what was read.
    summarizes: fc.constant(false),
  });
  const reports = fc.array(
    fc.record({ after: fc.nat(20), delay: fc.nat(300), key: fc.constantFrom("a", "b", "c") }),
    { minLength: 5, maxLength: 40 },
  );

  itWide("decides by event times alone, however late a source reports, and whenever time passes", () =>
    fc.assert(
      fc.asyncProperty(
        kinds,
        settings,
        reports,
        fc.infiniteStream(fc.nat(9)),
        async (when, more, all, draws) => {
          let now = START;
          const options = { forEach: true, now: () => now };
          const store = new MemoryAlertStore();
          const [plain, told] = [makeRule(when, more, options), makeRule(when, more, { ...options, store })];
          let passing = told;
          for (const { upTo } of [plain, told]) await upTo(-1_000);
          let [at, comes] = [0, 0];
          for (const [index, { after, delay, key }] of all.entries()) {
            at += after;
            const before = comes;
            comes = Math.max(comes, at + delay);
            for (let time = before; time < comes; time += 1 + draws.next().value * 10) {
              now = START + time;
              should(await passing.upTo(time - more.slackMs)).equal("");
            }
            now = START + comes;
            if (draws.next().value === 0) passing = makeRule(when, more, { ...options, store });
            const log = logAt({ tx: index + 1, content: `${index}` });
            const input = { key, id: `${index}`, amount: "10", log };
            // A key that is over has forgotten how many of its alerts were held back.
            const [one, other] = [await passing.at(at, input), await plain.at(at, input)];
            should(one.replace(/ suppressed .*/, "")).equal(other.replace(/ suppressed .*/, ""));
          }
        },
      ),
      { numRuns: 300 },
    ),
  );

  itWide("counts what sources report in order, however far apart they are", () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({ times: fc.integer({ min: 1, max: 4 }), withinMs: windows, quietMs: fc.constant(0) }),
        fc.constantFrom(0, 3, 20),
        fc.array(fc.record({ at: fc.nat(200), source: fc.nat(2) }), { maxLength: 30 }),
        fc.tuple(fc.nat(5), fc.nat(200), fc.nat(500)),
        async ({ times, withinMs, quietMs }, slackMs, all, delays) => {
          let now = START;
          const { at, upTo } = makeRule(
            { kind: "count", times, withinMs },
            { slackMs },
            { now: () => now, forEach: true },
          );
          // What was never heard of cannot be waited for.
          const first = delays.map((_, source) => ({ at: -1_000, source }));
          const inTime = [...first, ...all]
            .map((one, index) => ({
              ...one,
              id: `${index}`,
              amount: 1,
              comes: one.at + Number(delays[one.source]),
            }))
            .sort((one, other) => one.comes - other.comes || one.at - other.at);
          const answers: string[] = [];
          for (const { at: time, source, id, comes } of inTime) {
            now = START + comes;
            await upTo(comes - 1 - slackMs);
            const log = logAt({ tx: Number(id) + 1, content: id, source: `${source}` });
            answers.push(await at(time, { key: time < 0 ? id : "", id, log }));
          }
          should(answers).not.containEql("too_late");
          const reached = reachedWindows(
            { times, withinMs, quietMs },
            inTime.filter((one) => one.at >= 0),
          );
          should(answers.some((answer) => /^alert at \d/.test(answer))).equal(reached.length > 0);
        },
      ),
      { numRuns: 500 },
    ),
  );

  itWide("raises no absence between events of a source that is always as far behind", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 50 }),
        fc.nat(300),
        fc.constantFrom(0, 10),
        fc.array(fc.nat(), { minLength: 3, maxLength: 20 }),
        async (forMs, delay, slackMs, gaps) => {
          let now = START;
          const { at, upTo } = makeRule(
            { kind: "absence", forMs },
            { slackMs },
            { now: () => now, forEach: true },
          );
          let [time, comes] = [0, delay];
          await upTo(delay - slackMs - 1);
          for (const [index, gap] of gaps.entries()) {
            time += gap % forMs;
            for (; comes < time + delay; comes += 1) {
              now = START + comes;
              should(await upTo(comes - slackMs)).equal("");
            }
            now = START + comes;
            const log = logAt({ tx: index + 1, content: `${index}` });
            should(await at(time, { key: "a", id: `${index}`, log })).equal("counted");
          }
          now = START + time + forMs + 3 * delay + slackMs;
          should(await upTo(now - START - slackMs)).match(/^alert at .* of a count 0$/);
        },
      ),
      { numRuns: 200 },
    ),
  );
});
