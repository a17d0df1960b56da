import should from "should";
import type { AlertInput } from "../../../src/alerts/types.ts";
import { logAt } from "../taken-back/logs.ts";
import { makeRule } from "./make-rule.ts";

/** More than a rule once remembered of one key. */
const MANY = 2_100;

/** The input of a log of one block. */
const inBlock = (index: number, more: Partial<AlertInput> = {}): Partial<AlertInput> => ({
  id: `${index}`,
  log: logAt({ tx: index + 1, logIndex: `${index}`, content: `${index}` }),
  ...more,
});

describe("AlertRule: a full block", () => {
  it("each, with the end: many events that do not match hide none that does", async () => {
    const { at } = makeRule({ kind: "each" }, { recovers: true });
    for (let index = 0; index < MANY; index += 1) {
      should(await at(0, inBlock(index, { matches: false }))).equal("no_match");
    }
    should(await at(0, inBlock(MANY))).equal("alert at 0");
    should(await at(0, inBlock(0, { matches: false }))).equal("no_match");
    should(await at(0, inBlock(MANY))).equal("seen");
    should(await at(0, inBlock(MANY + 1, { matches: false }))).equal("no_match, recovered at 0");
  });

  it("each: every event that matches is an alert, once", async () => {
    const { at } = makeRule({ kind: "each" });
    for (let index = 0; index < MANY; index += 1) should(await at(0, inBlock(index))).equal("alert at 0");
    for (let index = 0; index < MANY; index += 7) should(await at(0, inBlock(index))).equal("seen");
    should(await at(0, inBlock(7, { redelivered: true }))).equal("alert at 0 repeated");
  });

  it("sum: many small amounts hide no large one", async () => {
    const { at } = makeRule({ kind: "sum", field: "", limit: "5000", withinMs: 1_000 }, { maxMarks: 100 });
    for (let index = 0; index < 1_000; index += 1) {
      should(await at(0, inBlock(index, { amount: "1" }))).equal("counted");
    }
    should(await at(0, inBlock(1_000, { amount: "5000" }))).equal("alert at 0 count 1001 sum 6000");
    should(await at(0, inBlock(0, { amount: "1" }))).equal("seen");
  });

  it("count: every event counts once, also those that are late", async () => {
    const { at } = makeRule(
      { kind: "count", times: 100, withinMs: 1_000 },
      { maxMarks: 100, slackMs: 1_000, quietMs: 10 },
    );
    const answers: string[] = [];
    for (let index = 0; index < 300; index += 1) answers.push(await at(index % 2, inBlock(index)));
    should(answers.filter((answer) => answer.startsWith("alert"))).deepEqual(["alert at 1 count 100"]);
    for (let index = 0; index < 300; index += 1) should(await at(index % 2, inBlock(index))).equal("seen");
  });
});
