import should from "should";
import type { AlertEvidence } from "../../../src/alerts/types.ts";
import { unlisted } from "../../../src/index.ts";
import { CHAIN, hashOf, logAt } from "../taken-back/logs.ts";
import { makeRule, START } from "./make-rule.ts";

const DAY = 24 * 60 * 60_000;

const failed = (tx: number): AlertEvidence => ({
  kind: "transaction",
  chainSelector: CHAIN,
  transactionHash: hashOf(tx),
  blockNumber: "100",
  confidence: unlisted("finalized"),
  failed: true,
});

describe("AlertRule: what is awaited is never dropped", () => {
  it("watches each alert whose block is not final", async () => {
    const { at, rule } = makeRule({ kind: "each" }, { confirmWithinMs: DAY, slackMs: 1_000 });
    const txs = Array.from({ length: 450 }, (_, index) => index + 1);
    for (const tx of txs) {
      const log = logAt({ tx, logIndex: `${tx}` });
      should(await at(0, { id: `${tx}`, log })).equal("alert at 0");
    }
    const kinds: string[] = [];
    for (const tx of txs) kinds.push(...(await rule.learn(failed(tx))).map(({ kind }) => kind));
    should(kinds.filter((kind) => kind === "takenBack")).have.length(txs.length);
    // Each of them is in a block again, and counts.
    for (const tx of txs) {
      const log = logAt({ tx, blockNumber: "101", logIndex: `${tx}` });
      should(await at(1, { id: `${tx} again`, log })).equal("alert at 1");
    }
  });

  it("keeps each outcome until it is acknowledged", async () => {
    const { at, rule } = makeRule({ kind: "each" }, { recovers: true }, { keepsPending: true });
    for (let ms = 0; ms < 100; ms += 2) {
      await at(ms);
      should(await at(ms + 1, { matches: false })).equal(`no_match, recovered at ${ms + 1}`);
    }
    const pending = await rule.pending();
    should(pending.map((one) => one.kind === "recovered" && one.at - START)).deepEqual(
      Array.from({ length: 50 }, (_, index) => 2 * index + 1),
    );
    for (const outcome of pending) await rule.acknowledge(outcome);
    should(await rule.pending()).be.empty();
  });

  it("keeps each outcome of a log that was undone until it is acknowledged", async () => {
    const { at, rule } = makeRule({ kind: "each" }, { confirmWithinMs: DAY }, { keepsPending: true });
    for (let tx = 1; tx <= 520; tx += 1) await at(0, { id: `${tx}`, log: logAt({ tx, logIndex: `${tx}` }) });
    for (let tx = 1; tx <= 520; tx += 1) await rule.learn(failed(tx));
    should(await rule.pending()).have.length(520);
  });
});
