import fc from "fast-check";
import should from "should";
import {
  type AlertOutcome,
  AlertRule,
  MemoryAlertStore,
  type RaisedAlert,
} from "../../../src/alerts/index.ts";
import { sized } from "../../support/variants.ts";
import { ruleIdOf } from "../rule/make-rule.ts";
import { ChainModel, nameOf, type Reported, type Transaction } from "./chain-model.ts";
import { KNOWN_WORLDS } from "./known-worlds.ts";
import { SLACK, type Step, step } from "./steps.ts";

/** With a number of runs in the environment they are random. Otherwise they are the same each time. */
const { REORGANIZATION_RUNS } = process.env;
const CHOSEN =
  REORGANIZATION_RUNS === undefined
    ? { numRuns: sized(100, 300), seed: 20 }
    : { numRuns: Number(REORGANIZATION_RUNS) };

function transaction(number: number, bits: number): Transaction {
  const contents = [
    ["a", false],
    ["b", false],
    ["other", true],
    ["a", false],
  ] as const;
  const emitted = contents.filter((_content, bit) => bits & (1 << bit));
  return { number, emits: emitted.map(([content, isOther]) => ({ content, isOther })) };
}

/** A rule that reads what a service reports, in the order in which it arrives. */
class World {
  readonly chain = new ChainModel();
  readonly told: AlertOutcome[] = [];
  /** Of the log of each alert, by the alert's id: its block. */
  readonly #hashes = new Map<string, number>();
  readonly #store = new MemoryAlertStore();
  #rule = this.#opened();
  #now = 1_000_000_000;
  #transactions = 0;
  #pending: Array<{ arrivesAt: number; reported: Reported }> = [];
  readonly #arrived: Reported[] = [];

  #opened(): AlertRule {
    const settings = {
      when: { kind: "each" },
      quietMs: 0,
      recovers: false,
      slackMs: SLACK,
      confirmWithinMs: 1_000 * SLACK,
      maxKeys: 10,
      maxMarks: 1_000,
    } as const;
    return new AlertRule({ id: ruleIdOf(settings), settings, store: this.#store, now: () => this.#now });
  }

  /** A service that reports two levels is not known as such before its first event. */
  async begin(): Promise<void> {
    this.#send(this.chain.mine([this.#fresh(1)], this.#now), [0]);
    await this.#wait(SLACK);
  }

  async run(step: Step): Promise<void> {
    switch (step.does) {
      case "mine":
        return this.#send(
          this.chain.mine(
            step.emits.map((bits) => this.#fresh(bits)),
            this.#now,
          ),
          step.late,
        );
      case "reorganize":
        return this.#send(this.#reorganized(step), step.late);
      case "wait":
        return this.#wait(step.ms);
      case "redeliver": {
        const again = this.#arrived[step.which % Math.max(1, this.#arrived.length)];
        if (again !== undefined) await this.#accept(again, true);
        return;
      }
      case "restart":
        this.#rule = this.#opened();
    }
  }

  /** Until the blocks before are final, however short the chain became, and all is known. */
  async end(): Promise<void> {
    for (let block = 0; block < 12; block += 1) {
      this.#send(this.chain.mine([this.#fresh(1)], this.#now), [0]);
      await this.#wait(2 * SLACK);
    }
  }

  #reorganized({ depth, blocks, keeps, emits }: Step & { does: "reorganize" }): Reported[] {
    const again = (undone: Transaction[]): Transaction[][] => {
      const kept: Transaction[][] = Array.from({ length: blocks }, () => []);
      for (const [index, { number, emits: before }] of undone.entries()) {
        const bits = emits[index % emits.length] ?? 0;
        // 0: it does the same again.
        const next = bits === 0 ? { number, emits: before } : transaction(number, bits);
        kept[keeps[index % keeps.length] ?? 0]?.push(next);
      }
      return kept;
    };
    return this.chain.reorganize(depth, again, this.#now);
  }

  #fresh(bits: number): Transaction {
    this.#transactions += 1;
    return transaction(this.#transactions, bits);
  }

  #send(reported: readonly Reported[], late: readonly number[]): void {
    for (const [index, one] of reported.entries()) {
      const arrivesAt = this.#now + (late[index % late.length] ?? 0);
      this.#pending.push({ arrivesAt, reported: one });
    }
  }

  async #wait(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      this.#pending.sort((one, other) => one.arrivesAt - other.arrivesAt);
      const [next] = this.#pending;
      if (next === undefined || next.arrivesAt > until) break;
      this.#pending.shift();
      this.#now = next.arrivesAt;
      await this.#readUpTo();
      this.#arrived.push(next.reported);
      await this.#accept(next.reported, false);
    }
    this.#now = until;
    await this.#readUpTo();
  }

  async #readUpTo(): Promise<void> {
    this.told.push(...(await this.#rule.readUpTo(this.#now)));
  }

  async #accept({ log, at, hash }: Reported, redelivered: boolean): Promise<void> {
    const { outcomes } = await this.#rule.accept({
      id: `${log.transactionHash}:${log.logIndex}`,
      key: "",
      at,
      matches: log.source === "alerts",
      redelivered,
      log,
    });
    for (const outcome of outcomes) {
      if (outcome.kind === "alert" && !outcome.repeated) this.#hashes.set(outcome.alert.id, hash);
      if (outcome.kind !== "alert" || !outcome.repeated) this.told.push(outcome);
    }
  }

  hashOf({ id }: RaisedAlert): number | undefined {
    return this.#hashes.get(id);
  }
}

/** How often each name is there. */
function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

describe("alerts on a chain that is reorganized", function () {
  this.timeout(120_000);

  it("are those on logs that are in the chain, when all is known; others were taken back", () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30, size: "max" }), async (steps) => {
        const world = new World();
        await world.begin();
        for (const one of steps) await world.run(one);
        await world.end();
        const alive = new Map<string, RaisedAlert>();
        for (const outcome of world.told) {
          const { alert } = outcome;
          if (alert.log === undefined) throw new Error("An alert has no log.");
          if (outcome.kind === "alert") {
            should(alive.has(alert.id)).be.false();
            alive.set(alert.id, alert);
          } else if (outcome.kind === "takenBack") {
            should(alive.has(alert.id)).be.true();
            // Its block was replaced: never for a log that stayed where it was.
            should(world.chain.replaced.has(world.hashOf(alert) ?? -1)).be.true();
            if (!outcome.stands) alive.delete(alert.id);
          } else throw new Error(`Nobody should hear of ${outcome.kind}.`);
        }
        const standing = countsOf([...alive.values()].flatMap(({ log }) => (log ? nameOf(log) : [])));
        const expected = countsOf(world.chain.names.filter((name) => !name.endsWith("other")));
        should([...standing.keys()].sort()).deepEqual([...expected.keys()].sort());
        for (const [name, count] of expected) should(standing.get(name)).be.aboveOrEqual(count);
      }),
      {
        ...CHOSEN,
        examples: KNOWN_WORLDS.map((steps): [Step[]] => [[...steps]]),
        endOnFailure: false,
        interruptAfterTimeLimit: 100_000,
        markInterruptAsFailure: true,
      },
    ));
});
