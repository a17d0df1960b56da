import should from "should";
import type { AlertEvidence, AlertOutcome } from "../../../src/alerts/index.ts";
import {
  learn,
  nextSettleAt,
  settle,
  type WatchState,
  watchAlert,
  watchStateOf,
} from "../../../src/alerts/taken-back/index.ts";
import { unlisted } from "../../../src/index.ts";
import { alertOn, CHAIN, hashOf, logAt, seen } from "./logs.ts";

const SLACK = 60_000;
/** The first time that is too late. */
const OVER = SLACK + 1;
const SETTINGS = { slackMs: SLACK, confirmWithinMs: 3_600_000 };
/** When the alert is raised. */
const START = 1_000_000;

/** What becomes of an alert on a log of transaction 1 in block 100, as people are told. */
class Watch {
  state: WatchState;
  now = START;
  readonly told: Array<Omit<Extract<AlertOutcome, { kind: "takenBack" }>, "alert" | "at"> | string> = [];

  constructor(place: Parameters<typeof logAt>[0] = {}, isHighest?: boolean) {
    const alert = alertOn(logAt(place));
    this.state = watchAlert(watchStateOf(undefined), alert, { now: START, isHighest });
  }

  after(ms: number): this {
    this.now += ms;
    return this;
  }

  given(...evidence: AlertEvidence[]): this {
    for (const one of evidence) {
      // It is stored in between.
      const before = watchStateOf(JSON.parse(JSON.stringify(this.state)));
      const { state, outcomes } = learn(before, one, { now: this.now, slackMs: SLACK });
      this.#note(state, outcomes);
    }
    return this;
  }

  /** Everything that arrived by now was given. */
  settled(): this {
    const { state, outcomes } = settle(this.state, SETTINGS, this.now);
    this.#note(state, outcomes);
    return this;
  }

  get isWatched(): boolean {
    return this.state.watched.size > 0;
  }

  #note(state: WatchState, outcomes: readonly AlertOutcome[]): void {
    this.state = state;
    for (const outcome of outcomes) {
      should(outcome.alert.id).equal("a");
      const { kind } = outcome;
      this.told.push(kind === "takenBack" ? { kind, reason: outcome.reason, stands: outcome.stands } : kind);
    }
  }
}

const undone = (reason: string) => ({ kind: "takenBack", reason, stands: false });
const MOVED = { kind: "takenBack", reason: "other_block", stands: true };

describe("an alert whose log may be undone", () => {
  describe("is not watched", () => {
    it("where its log is final, or no higher level is reported, or its place is not known", () => {
      should(new Watch({ confidence: "finalized" }).isWatched).be.false();
      should(new Watch({ confidence: "FINALIZED" }).isWatched).be.false();
      should(new Watch({ confidence: "safe" }, true).isWatched).be.false();
      should(new Watch({ blockNumber: "undefined" }).isWatched).be.false();
      should(new Watch({ transactionHash: "0x1" }).isWatched).be.false();
      should(new Watch({ confidence: "safe" }, false).isWatched).be.true();
      should(new Watch().isWatched).be.true();
      const { log: _log, ...without } = alertOn(logAt());
      should(watchAlert(watchStateOf(undefined), without, { now: 0 }).watched.size).equal(0);
    });

    it("twice", () => {
      const state = watchAlert(watchStateOf(undefined), alertOn(logAt()), { now: START });
      should(watchAlert(state, alertOn(logAt()), { now: START })).equal(state);
    });

    it("by a state of another version", () => {
      for (const odd of [undefined, null, 1, "", [], {}, { version: 2, watched: [1] }])
        should(watchStateOf(odd).watched.size).equal(0);
    });
  });

  describe("stays", () => {
    it("once its log is final", () => {
      const watch = new Watch().given(seen({ confidence: "finalized" }));
      should(watch.isWatched).be.false();
      should(watch.told).be.empty();
    });

    it("once its log has the highest level that is reported, and is watched until then", () => {
      const watch = new Watch().given(seen({ confidence: "safe" }));
      should(watch.isWatched).be.true();
      should(watch.given(seen({ confidence: "safe" }, { isHighest: true })).isWatched).be.false();
      should(watch.told).be.empty();
    });

    it("where its log is confirmed later than others, within the slack", () => {
      const watch = new Watch()
        .given(seen({ tx: 2, blockNumber: "101", confidence: "finalized" }))
        .after(SLACK)
        .settled()
        .given(seen({ confidence: "finalized" }))
        .after(OVER)
        .settled();
      should(watch.told).be.empty();
      should(watch.isWatched).be.false();
    });

    it("while the channel is not read, however long ago the others were", () => {
      const watch = new Watch().given(seen({ tx: 2, blockNumber: "101", confidence: "finalized" }));
      // Nothing is settled during the outage, and then what was waiting is read first.
      watch
        .after(86_400_000)
        .given(seen({ confidence: "finalized" }))
        .settled();
      should(watch.told).be.empty();
    });

    it("whatever is known of another chain, of lower blocks or of the same level", () => {
      const watch = new Watch()
        .given(
          seen({ chainSelector: "1", tx: 2, blockNumber: "999", confidence: "finalized" }),
          seen({ chainSelector: "1", blockNumber: "999", confidence: "finalized" }),
          seen({ tx: 2, blockNumber: "99", confidence: "finalized" }),
          seen({ tx: 2, blockNumber: "999", confidence: "latest" }),
          seen({ tx: 2, blockNumber: "999", confidence: "beyond" }),
          { kind: "block", chainSelector: "1", blockNumber: "999", confidence: "finalized" },
        )
        .after(2 * SLACK)
        .settled();
      should(watch.told).be.empty();
      should(watch.isWatched).be.true();
    });

    it("where only others passed its block: its watcher may be archived, or a filter may hide it", () => {
      const watch = new Watch()
        .given(seen({ tx: 2, blockNumber: "105", source: "approvals", confidence: "finalized" }), {
          kind: "block",
          chainSelector: CHAIN,
          blockNumber: "110",
          confidence: "finalized",
        })
        .after(2 * SLACK)
        .settled();
      should(watch.told).be.empty();
      watch.after(SETTINGS.confirmWithinMs).settled();
      should(watch.told).deepEqual(["notConfirmed"]);
    });

    it("where another watcher reads its log with other parameters, at a higher level", () => {
      const reading = { content: "Transfer 2", source: "x", confidence: "finalized" };
      const watch = new Watch()
        .given(seen(reading, { at: 0 }))
        .after(OVER)
        .settled();
      should(watch.told).be.empty();
      should(watch.isWatched).be.true();
      const moment = { now: START, slackMs: SLACK };
      should(learn(watch.state, seen(reading, { at: 0 }), moment).contradicts).be.true();
      // A block that replaces its block has another time.
      const replaced = new Watch()
        .given(seen(reading, { at: 1 }))
        .after(OVER)
        .settled();
      should(replaced.told).deepEqual([undone("other_outcome")]);
      for (const other of [{}, { tx: 2 }, { logIndex: "4" }, { blockNumber: "101" }])
        should(
          learn(watch.state, seen({ ...reading, content: "Transfer 1", ...other }), moment),
        ).not.have.property("contradicts");
    });

    it("after evidence that is not valid", () => {
      const watch = new Watch();
      const { state } = watch;
      const huge = "9".repeat(1_000);
      watch.given(
        seen({ blockNumber: huge, confidence: "finalized" }),
        seen({ blockNumber: "-1", confidence: "finalized" }),
        seen({ tx: 2, blockNumber: "1e9", confidence: "finalized" }),
        seen({ transactionHash: "__proto__", blockNumber: "101", confidence: "finalized" }),
        { kind: "block", chainSelector: CHAIN, blockNumber: huge, confidence: "finalized" },
        { kind: "block", chainSelector: "", blockNumber: "1", confidence: "finalized" },
        {
          kind: "transaction",
          chainSelector: CHAIN,
          transactionHash: "0x",
          confidence: "finalized",
          failed: true,
        },
      );
      should(watch.state).deepEqual(state);
      should(watch.told).be.empty();
    });
  });

  describe("is taken back", () => {
    it("where what reported its log reports a higher block at a higher level, and not this log", () => {
      const watch = new Watch().given(seen({ tx: 2, blockNumber: "101", confidence: "finalized" }));
      watch.after(SLACK).settled();
      should(watch.told).be.empty();
      watch.after(1).settled();
      should(watch.told).deepEqual([undone("level_passed")]);
      should(watch.isWatched).be.false();
    });

    it("at safe too, and at finalized after it was safe", () => {
      const passed = (confidence: string) => seen({ tx: 2, blockNumber: "101", confidence });
      should(new Watch().given(passed("safe")).after(OVER).settled().told).deepEqual([
        undone("level_passed"),
      ]);
      const watch = new Watch()
        .given(passed("safe"), seen({ confidence: "safe" }))
        .after(OVER)
        .settled();
      should(watch.told).be.empty();
      watch.given(passed("finalized")).after(OVER).settled();
      should(watch.told).deepEqual([undone("level_passed")]);
    });

    it("where the chain passed its block, and its source is known to report the level and to be alive", () => {
      const block = {
        kind: "block",
        chainSelector: CHAIN,
        blockNumber: "100",
        confidence: "finalized",
      } as const;
      const alive = (at: number) => seen({ tx: 3, blockNumber: "130" }, { at });
      const other = seen({ tx: 2, blockNumber: "90", confidence: "finalized" });
      const told = (...evidence: AlertEvidence[]) =>
        new Watch()
          .given(...evidence)
          .after(OVER)
          .settled().told;
      should(told(other, block, alive(START))).deepEqual([undone("level_passed")]);
      // It was alive before; it is not known to report the level; the event came before; the level is another one.
      should(told(other, block, alive(START - 1))).be.empty();
      should(told(block, alive(START))).be.empty();
      should(told(other, alive(START), block)).be.empty();
      should(told(other, { ...block, confidence: "safe" }, alive(START))).be.empty();
      should(
        told(other, block, seen({ tx: 3, blockNumber: "130" }, { at: START, redelivered: true })),
      ).be.empty();
    });

    it("where its transaction is in another block at a higher level, and the log does not follow", () => {
      const elsewhere = seen({ blockNumber: "101", content: "Approval 1", source: "x", confidence: "safe" });
      const watch = new Watch().given(elsewhere).after(OVER).settled();
      should(watch.told).deepEqual([undone("other_block")]);
      const transaction = {
        kind: "transaction",
        chainSelector: CHAIN,
        transactionHash: hashOf(1).toUpperCase().replace("X", "x"),
        blockNumber: "0x65",
        confidence: unlisted("Finalized"),
        failed: false,
      } as const;
      should(new Watch().given(transaction).after(OVER).settled().told).deepEqual([undone("other_block")]);
      should(
        new Watch()
          .given({ ...transaction, blockNumber: "100" })
          .after(OVER)
          .settled().told,
      ).be.empty();
    });

    it("immediately where its transaction failed at a higher level", () => {
      const failed = {
        kind: "transaction",
        chainSelector: CHAIN,
        transactionHash: hashOf(1),
        confidence: "safe",
        failed: true,
      } as const;
      should(new Watch().given(failed).told).deepEqual([undone("other_outcome")]);
      // At the same level it may be older, unless it came later than the slack.
      const same = { ...failed, confidence: "latest" } as const;
      should(new Watch().given(same).after(OVER).settled().told).be.empty();
      const later = new Watch()
        .after(SLACK + 1)
        .given(same)
        .after(OVER)
        .settled();
      should(later.told).deepEqual([undone("other_outcome")]);
    });

    it("where another log has its place in the block, at a higher level", () => {
      const other = (tx: number) => seen({ tx, content: "Approval 1", source: "x", confidence: "finalized" });
      should(new Watch().given(other(1)).after(OVER).settled().told).deepEqual([undone("other_outcome")]);
      should(new Watch().given(other(2)).after(OVER).settled().told).deepEqual([undone("level_passed")]);
    });

    it("at the same level only where the evidence came later than the slack, for the first time", () => {
      const elsewhere = { blockNumber: "101", content: "Approval 1", source: "x" };
      const told = (ms: number, more = {}) =>
        new Watch().after(ms).given(seen(elsewhere, more)).after(OVER).settled().told;
      should(told(SLACK)).be.empty();
      should(told(SLACK + 1, { redelivered: true })).be.empty();
      should(told(SLACK + 1)).deepEqual([undone("other_block")]);
    });

    it("together with the alerts of other readings of its log, and with no other", () => {
      const places = {
        b: { content: "Transfer 2", source: "x" },
        safe: { content: "Transfer 3", source: "x", confidence: "safe" },
        other: { logIndex: "4", source: "x" },
      };
      const told = (confidence: string) => {
        let { state } = new Watch();
        for (const [id, place] of Object.entries(places))
          state = watchAlert(state, alertOn(logAt(place), id), { now: START });
        const passed = seen({ tx: 2, blockNumber: "101", confidence });
        state = learn(state, passed, { now: START, slackMs: SLACK }).state;
        const { outcomes } = settle(state, SETTINGS, START + OVER);
        return outcomes.map(({ kind, alert }) => `${kind} ${alert.id}`).sort();
      };
      should(told("safe")).deepEqual(["takenBack a", "takenBack b"]);
      should(told("finalized")).deepEqual(["takenBack a", "takenBack b", "takenBack safe"]);
    });

    it("not where its log is reported again from its block", () => {
      const elsewhere = seen({ blockNumber: "101", content: "Approval 1", source: "x" });
      const watch = new Watch()
        .after(SLACK + 1)
        .given(elsewhere, seen({}))
        .after(OVER)
        .settled();
      should(watch.told).be.empty();
    });
  });

  describe("whose log is in another block", () => {
    const there = { blockNumber: "101", logIndex: "0" };

    it("stands, and this is told once", () => {
      const watch = new Watch().after(SLACK + 1).given(seen(there));
      should(watch.told).deepEqual([MOVED]);
      watch.given(seen({ blockNumber: "103" }), seen({ blockNumber: "103", confidence: "finalized" }));
      should(watch.told).deepEqual([MOVED]);
      should(watch.isWatched).be.false();
    });

    it("does not raise another one", () => {
      const { state } = new Watch();
      const moment = { now: START, slackMs: SLACK };
      for (const place of [{}, there, { ...there, confidence: "finalized" }])
        should(learn(state, seen(place), moment).belongsTo).equal("a");
      for (const place of [{ logIndex: "4" }, { tx: 2 }, { content: "Transfer 2" }, { contract: "0x" }])
        should(learn(state, seen({ ...there, ...place, blockNumber: "100" }), moment)).not.have.property(
          "belongsTo",
        );
    });

    it("is taken back when it is undone there", () => {
      const watch = new Watch()
        .after(SLACK + 1)
        .given(seen(there), seen({ tx: 2, blockNumber: "102", confidence: "finalized" }))
        .after(OVER)
        .settled();
      should(watch.told).deepEqual([MOVED, undone("level_passed")]);
    });

    it("stands where it follows within the slack", () => {
      const elsewhere = seen({ blockNumber: "101", content: "Approval 1", source: "x", confidence: "safe" });
      const watch = new Watch()
        .given(elsewhere)
        .after(SLACK)
        .settled()
        .given(seen(there))
        .after(OVER)
        .settled();
      should(watch.told).deepEqual([MOVED]);
    });

    it("is not told to have moved by what may be older", () => {
      const lower = { blockNumber: "98" };
      const watch = new Watch().after(SLACK).given(seen(lower), seen(there, { redelivered: true }));
      should(watch.told).be.empty();
      watch.given(seen({ confidence: "finalized" }));
      should(watch.told).be.empty();
      should(watch.isWatched).be.false();
      const older = new Watch().given(seen(lower), seen({ ...lower, confidence: "finalized" }));
      should(older.told).deepEqual([MOVED]);
      should(older.isWatched).be.false();
    });

    it("stands where its transaction is final in a block in which it was reported", () => {
      const other = { content: "Approval 1", source: "x", blockNumber: "98", confidence: "finalized" };
      const watch = new Watch()
        .given(seen({ blockNumber: "98" }), seen(other))
        .after(OVER)
        .settled();
      should(watch.told).deepEqual([MOVED]);
    });

    it("stands where it is in the block of the same number, at another index", () => {
      const watch = new Watch()
        .given(seen({ logIndex: "5", confidence: "finalized" }))
        .after(OVER)
        .settled();
      should(watch.told).deepEqual([{ ...undone("level_passed"), stands: true }]);
    });

    it("stands where it was reported from a block that is above the level that passed its own", () => {
      const watch = new Watch()
        .given(seen({ blockNumber: "105" }), seen({ tx: 2, blockNumber: "101", confidence: "finalized" }))
        .after(OVER)
        .settled();
      should(watch.told).deepEqual([MOVED]);
      should(watch.state.watched.all()[0]?.log.blockNumber).equal("105");
      const below = new Watch()
        .given(seen({ blockNumber: "101" }), seen({ tx: 2, blockNumber: "101", confidence: "finalized" }))
        .after(OVER)
        .settled();
      should(below.told).deepEqual([undone("level_passed")]);
    });

    it("does not stand because of a log that is that of another alert", () => {
      let state = watchStateOf(undefined);
      for (const logIndex of ["3", "4"]) {
        state = watchAlert(state, alertOn(logAt({ logIndex }), logIndex), { now: START });
      }
      const final = seen({ logIndex: "4", confidence: "finalized" });
      state = learn(state, final, { now: START, slackMs: SLACK }).state;
      const [outcome, ...more] = settle(state, SETTINGS, START + OVER).outcomes;
      should(more).be.empty();
      should(outcome?.alert.id).equal("3");
      should(outcome).have.properties(undone("level_passed"));
    });

    it("raises no other alert once it is final, from wherever it comes late", () => {
      const moment = { now: START, slackMs: SLACK };
      const lower = learn(watchStateOf(undefined), seen({ tx: 2 }), moment).state;
      const state = watchAlert(lower, alertOn(logAt({ confidence: "finalized" })), { now: START });
      should(learn(state, seen(there), moment).belongsTo).equal("a");
      // Where only final logs are reported, there is nothing to remember.
      const alone = watchStateOf(undefined);
      should(watchAlert(alone, alertOn(logAt({ confidence: "finalized" })), { now: START })).equal(alone);
    });

    it("is each of several that one transaction emitted alike", () => {
      const twins = ["3", "4"].map((logIndex) => alertOn(logAt({ logIndex }), logIndex));
      const moment = { now: START, slackMs: SLACK };
      let state = watchStateOf(undefined);
      for (const twin of twins) state = watchAlert(state, twin, { now: START });
      for (const [index, owner] of [
        ["0", "3"],
        ["1", "4"],
        ["0", "3"],
      ] as const) {
        const learned = learn(state, seen({ blockNumber: "101", logIndex: index }), moment);
        should(learned.belongsTo).equal(owner);
        state = learned.state;
      }
      state = learn(
        state,
        seen({ blockNumber: "101", logIndex: "1", confidence: "finalized" }),
        moment,
      ).state;
      should(state.watched.all().map(({ alert }) => alert.id)).deepEqual(["3"]);
    });
  });

  it("is reported once where it was not confirmed in time", () => {
    const watch = new Watch();
    should(nextSettleAt(watch.state, SETTINGS)).equal(START + SETTINGS.confirmWithinMs);
    watch.after(SETTINGS.confirmWithinMs - 1).settled();
    should(watch.told).be.empty();
    watch.after(1).settled().after(SETTINGS.confirmWithinMs).settled();
    should(watch.told).deepEqual(["notConfirmed"]);
    should(nextSettleAt(watch.state, SETTINGS)).be.undefined();
  });

  it("is settled in time, and no longer where the setting was removed", () => {
    const watch = new Watch().after(5).given(seen({ tx: 2, blockNumber: "101", confidence: "finalized" }));
    should(nextSettleAt(watch.state, SETTINGS)).equal(START + 5 + OVER);
    const off = { ...SETTINGS, confirmWithinMs: undefined };
    should(nextSettleAt(watch.state, off)).be.undefined();
    const { state, outcomes } = settle(watch.state, off, Number.MAX_SAFE_INTEGER);
    should([state.watched.all(), outcomes]).deepEqual([[], []]);
  });

  it("counts again once it was taken back and its log is reported from elsewhere", () => {
    const watch = new Watch()
      .given(seen({ tx: 2, blockNumber: "101", confidence: "safe" }))
      .after(OVER)
      .settled();
    const again = (place: object) =>
      learn(watch.state, seen(place), { now: watch.now, slackMs: SLACK }).again;
    should(again({})).be.undefined();
    should(again({ tx: 2 })).be.undefined();
    should(again({ blockNumber: "102" })).equal(1);
    should(again({ confidence: "finalized" })).equal(1);
  });

  it("changes nothing where the evidence shows nothing", () => {
    const { state } = new Watch();
    const moment = { now: START, slackMs: SLACK };
    for (const one of [seen({ tx: 2 }), seen({ blockNumber: "99", tx: 3 }), seen({}, { redelivered: true })])
      should(learn(state, one, moment).state).equal(state);
    should(settle(state, SETTINGS, START).state).equal(state);
  });

  it("remembers a bounded number of places, sources and logs", () => {
    const watch = new Watch();
    for (let index = 0; index < 500; index += 1) {
      const tx = index + 2;
      watch.given(seen({ blockNumber: `${200 + index}` }, { redelivered: true }));
      watch.given(seen({ tx, blockNumber: "1", source: `s${index}`, confidence: "finalized" }));
    }
    should(watch.state.watched.all()[0]?.others?.length).be.belowOrEqual(8);
    should(watch.state.sources.length).be.belowOrEqual(100);
    let { state } = new Watch();
    for (let index = 0; index < 500; index += 1) {
      const alert = alertOn(logAt({ tx: 1_000 + index, blockNumber: "10" }), `${index}`);
      state = watchAlert(state, alert, { now: START });
      const passed = seen({ tx: 2, blockNumber: "11", confidence: "finalized" });
      state = learn(state, passed, { now: START, slackMs: 0 }).state;
      state = settle(state, { ...SETTINGS, slackMs: 0 }, START + 1).state;
    }
  });
});
