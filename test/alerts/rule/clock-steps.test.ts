import should from "should";
import { MemoryAlertStore } from "../../../src/alerts/index.ts";
import type {
  AlertInput,
  AlertOutcome,
  AlertSettings,
  AlertWhen,
  LogPlace,
} from "../../../src/alerts/types.ts";
import { SimulatedClock } from "../../support/simulated-clock.ts";
import { makeRule } from "./make-rule.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const JUMP = 3 * HOUR;
const SOURCE = "watcher Transfer";

const KINDS: AlertWhen[] = [
  { kind: "each" },
  { kind: "count", times: 2, withinMs: 10 * MINUTE },
  { kind: "sum", field: "amount", limit: "2", withinMs: 10 * MINUTE },
  { kind: "rate", factor: 2, withinMs: 10 * MINUTE, comparedMs: 10 * MINUTE, least: 2 },
  { kind: "absence", forMs: 10 * MINUTE },
];

/** Nothing but the clock of the machine is wrong: blocks are dated by true time. */
class Run {
  readonly clock = new SimulatedClock();
  readonly store = new MemoryAlertStore();
  readonly told: string[] = [];
  readonly #open: () => ReturnType<typeof makeRule>;
  readonly #hasChannel: boolean;
  #made: ReturnType<typeof makeRule>;
  #events = 0;

  constructor(when: AlertWhen, hasChannel: boolean, more: Partial<AlertSettings> = {}) {
    this.#hasChannel = hasChannel;
    const now = () => this.clock.now();
    const onClockStep = (message: string) => this.told.push(message);
    const options = { store: this.store, now, elapsed: () => this.clock.elapsed(), onClockStep };
    this.#open = () => makeRule(when, { slackMs: MINUTE, ...more }, { ...options, forEach: true });
    this.#made = this.#open();
  }

  /** What time leads to, in small steps. */
  async pass(ms: number): Promise<AlertOutcome[]> {
    const outcomes: AlertOutcome[] = [];
    for (let passed = 0; passed < ms; passed += 30_000) {
      outcomes.push(...(await this.look()));
      await this.clock.pass(30_000);
    }
    return [...outcomes, ...(await this.look())];
  }

  look(): Promise<AlertOutcome[]> {
    return this.#made.rule.readUpTo(this.clock.now());
  }

  /** An event of a block that was made just now; without a channel, a message that no block dates. */
  async event(key = "a", more: Partial<AlertInput> = {}): Promise<string> {
    this.#events += 1;
    const at = this.#hasChannel ? this.clock.elapsed() - 2_000 : Number.NaN;
    const dated = { at, ...(this.#hasChannel ? { log: this.#log() } : {}) };
    const input = { id: `${this.#events}`, key, matches: true, amount: "1", ...dated, ...more };
    const { passed, outcomes } = await this.#made.rule.accept(input);
    return [passed, ...outcomes.map(({ kind }) => kind)].filter((text) => text !== undefined).join(", ");
  }

  async restart(): Promise<void> {
    await this.#made.rule.close();
    this.#made = this.#open();
  }

  get nextCheckAt(): number | undefined {
    return this.#made.rule.nextCheckAt;
  }

  close(): Promise<void> {
    return this.#made.rule.close();
  }

  #log(): LogPlace {
    return {
      ...{ chainSelector: "1", transactionHash: `0x${this.#events}`, blockNumber: `${this.#events}` },
      ...{ logIndex: "0", confidence: "finalized", contract: "0x01", source: SOURCE },
      content: `0x${this.#events}`,
    };
  }
}

/** What the clock does after the first event, with what passes in between. */
const STEPS: Array<[name: string, step: (run: Run) => Promise<AlertOutcome[]>]> = [
  ["ahead", async (run) => stepped(run, JUMP)],
  ["back", async (run) => stepped(run, -JUMP)],
  ["ahead and right again", async (run) => [...(await stepped(run, JUMP)), ...(await stepped(run, -JUMP))]],
  ["back and right again", async (run) => [...(await stepped(run, -JUMP)), ...(await stepped(run, JUMP))]],
];

async function stepped(run: Run, ms: number): Promise<AlertOutcome[]> {
  run.clock.set(ms);
  return run.pass(MINUTE);
}

describe("the clock of the machine is set by three hours", () => {
  for (const when of KINDS) {
    for (const hasChannel of [true, false]) {
      describe(`${when.kind}, ${hasChannel ? "with" : "without"} a channel`, () => {
        for (const [name, step] of STEPS) {
          it(`${name}: nothing is over before its time, and events count as before`, async () => {
            const run = new Run(when, hasChannel, { recovers: when.kind !== "each" });
            await run.look();
            await run.pass(when.kind === "rate" ? 25 * MINUTE : 0);
            const first = await run.event();
            should(first).equal(when.kind === "each" ? "alert" : "counted");
            should(await step(run)).be.empty();
            // What no block dates is dated by the clock that was set back: its windows begin again.
            if (name === "back" && "withinMs" in when && !hasChannel) {
              if (when.kind === "rate") await run.pass(25 * MINUTE);
              await run.event();
            }
            const second = await run.event();
            should(second).equal(when.kind === "absence" ? "counted" : "alert");
            // Of a key that is new.
            should(await run.event("b")).equal(first);
            await run.close();
          });

          it(`${name}: a restart afterwards`, async () => {
            const run = new Run(when, hasChannel);
            await run.look();
            await run.event();
            await step(run);
            await run.restart();
            await run.look();
            should(await run.event("b")).equal(when.kind === "each" ? "alert" : "counted");
            await run.close();
          });
        }

        it("ahead, with a restart before it is right again: nothing is over before its time", async () => {
          for (const isRightAtStart of [true, false]) {
            const run = new Run(when, hasChannel, { recovers: when.kind !== "each" });
            await run.look();
            await run.pass(when.kind === "rate" ? 25 * MINUTE : 0);
            const first = await run.event();
            should(await stepped(run, JUMP)).be.empty();
            if (isRightAtStart) run.clock.set(-JUMP);
            await run.restart();
            should(await run.pass(MINUTE)).be.empty();
            if (!isRightAtStart) should(await stepped(run, -JUMP)).be.empty();
            should(await run.event()).equal(when.kind === "absence" ? "counted" : "alert");
            should(await run.event("b")).equal(first);
            await run.close();
          }
        });

        it("ahead for one look, with a restart before it is right again", async () => {
          const run = new Run(when, hasChannel);
          run.clock.set(JUMP);
          await run.look();
          await run.event("a");
          await run.look();
          run.clock.set(-JUMP);
          await run.restart();
          await run.look();
          should(await run.event("b")).equal(when.kind === "each" ? "alert" : "counted");
          await run.close();
        });
      });
    }
  }

  it("after a start without a clock, keys that are new count", async () => {
    const run = new Run({ kind: "count", times: 2, withinMs: MINUTE }, false);
    run.clock.set(JUMP);
    await run.event("a");
    await run.pass(10 * MINUTE);
    run.clock.set(-JUMP);
    await run.look();
    should(await run.event("b")).equal("counted");
    should(await run.event("b")).equal("alert");
    await run.close();
  });

  for (const hasChannel of [true, false]) {
    for (const ms of [JUMP, -JUMP]) {
      it(`an absence waits again, and tells why once: ${ms > 0 ? "ahead" : "back"}, ${hasChannel ? "with" : "without"} a channel`, async () => {
        const run = new Run({ kind: "absence", forMs: 10 * MINUTE }, hasChannel);
        await run.event();
        await run.pass(8 * MINUTE);
        run.clock.set(ms);
        should(await run.pass(9 * MINUTE)).be.empty();
        should((await run.pass(4 * MINUTE)).map(({ kind }) => kind)).deepEqual(["alert"]);
        should(run.told).have.length(1);
        should(run.told[0]).match(/the clock and the time that has passed differ by more than a minute/);
        await run.close();
      });
    }
  }

  it("a machine that slept is believed with the first event, and at the latest after an hour", async () => {
    for (const isQuiet of [true, false]) {
      const run = new Run({ kind: "count", times: 1, withinMs: 10 * MINUTE }, true, { recovers: true });
      should(await run.event()).equal("alert");
      run.clock.set(JUMP);
      should(await run.pass(MINUTE)).be.empty();
      if (!isQuiet) await run.event("b", { at: run.clock.now(), matches: false });
      const outcomes = await run.pass(isQuiet ? HOUR : MINUTE);
      should(outcomes.map(({ kind }) => kind)).deepEqual(["recovered"]);
      await run.close();
    }
  });

  it("a date that is ahead of every clock proves nothing", async () => {
    const run = new Run({ kind: "absence", forMs: 10 * MINUTE }, true);
    await run.event("a");
    await run.event("a", { at: run.clock.now() + 100 * HOUR });
    run.clock.set(JUMP);
    should(await run.pass(9 * MINUTE)).be.empty();
    const [outcome] = await run.pass(2 * MINUTE);
    should(outcome?.alert.at).be.belowOrEqual(run.clock.elapsed());
    await run.close();
  });

  it("an absence waits again where the store fails meanwhile", async () => {
    const run = new Run({ kind: "absence", forMs: 10 * MINUTE }, true);
    await run.event();
    await run.pass(8 * MINUTE);
    run.clock.set(JUMP);
    const { write } = run.store;
    run.store.write = async () => {
      throw new Error("The disk is full.");
    };
    await should(run.look()).be.rejected();
    run.store.write = write;
    should(await run.pass(9 * MINUTE)).be.empty();
    await run.close();
  });

  it("says by the clock of the machine when it is to be asked next", async () => {
    const run = new Run({ kind: "absence", forMs: 10 * MINUTE }, false);
    await run.event();
    run.clock.set(JUMP);
    await run.look();
    should(run.nextCheckAt).equal(run.clock.now() + 10 * MINUTE);
    await run.close();
  });

  it("an absence waits again after a restart, while the clock is not believed", async () => {
    const run = new Run({ kind: "absence", forMs: 10 * MINUTE }, true);
    await run.event();
    run.clock.set(JUMP);
    await run.look();
    await run.restart();
    should(await run.pass(9 * MINUTE)).be.empty();
    should((await run.pass(2 * MINUTE)).map(({ kind }) => kind)).deepEqual(["alert"]);
    await run.close();
  });

  it("does not doubt the clock at later starts, once it was right at one", async () => {
    const run = new Run({ kind: "count", times: 1, withinMs: 10 * MINUTE }, true, { recovers: true });
    await run.event();
    await stepped(run, JUMP);
    run.clock.set(-JUMP);
    await run.restart();
    await run.look();
    await run.restart();
    await run.clock.pass(4 * HOUR);
    await run.restart();
    should((await run.look()).map(({ kind }) => kind)).deepEqual(["recovered"]);
    await run.close();
  });

  it("cuts back what was stored ahead", async () => {
    const run = new Run({ kind: "absence", forMs: 10 * MINUTE }, false);
    run.clock.set(JUMP);
    await run.event();
    run.clock.set(-JUMP);
    await run.restart();
    const outcomes = await run.pass(11 * MINUTE);
    should(outcomes.map(({ kind }) => kind)).deepEqual(["alert"]);
    const { value } = (await run.store.read("")) ?? {};
    should((value as { since: number }).since).be.belowOrEqual(run.clock.now());
    await run.close();
  });
});
