import should from "should";
import { MemoryAlertStore } from "../../../src/alerts/stores/memory-store.ts";
import type {
  AlertEvidence,
  AlertInput,
  AlertSettings,
  AlertWhen,
  LogPlace,
} from "../../../src/alerts/types.ts";
import { unlisted } from "../../../src/index.ts";
import { makeRule, START } from "./make-rule.ts";

const HASH = `0x${"ab".repeat(32)}`;

function log(more: Partial<LogPlace> = {}): LogPlace {
  return {
    chainSelector: "1",
    transactionHash: HASH,
    blockNumber: "10",
    logIndex: "0",
    confidence: "latest",
    contract: `0x${"cd".repeat(20)}`,
    content: "a transfer",
    source: "watcher",
    ...more,
  };
}

class FailingStore extends MemoryAlertStore {
  readonly #fails: (key: string) => boolean;
  readonly #written = new Set<string>();

  constructor(fails: (key: string) => boolean) {
    super();
    this.#fails = fails;
  }

  hasKey(key: string): boolean {
    return this.#written.has(key);
  }

  override async write(key: string, revision: number, value: unknown): Promise<boolean> {
    if (this.#fails(key)) throw new Error("The store fails");
    this.#written.add(key);
    return super.write(key, revision, value);
  }
}

describe("AlertRule: alerts that are taken back", () => {
  const confirmWithinMs = 1_000;
  const made = (
    store = new MemoryAlertStore(),
    when: AlertWhen = { kind: "each" },
    more: Partial<AlertSettings> = {},
  ) => {
    const clock = { now: START };
    const { rule, at, upTo } = makeRule(
      when,
      { confirmWithinMs, slackMs: 100, ...more },
      { store, now: () => clock.now, keepsPending: true },
    );
    const give = (ms: number, more: Partial<AlertInput> & { log: LogPlace }) => {
      clock.now = START + ms;
      return at(ms, { id: "a", ...more });
    };
    return { rule, give, upTo, clock, store };
  };

  it("says once that a log is in another block, and raises no second alert for it", async () => {
    const { give, rule } = made();
    should(await give(1, { log: log() })).equal("alert at 1");
    // Within the slack, this may be the older one of both blocks.
    should(await give(50, { id: "b", log: log({ blockNumber: "11", logIndex: "3" }) })).equal("seen");
    should(await give(102, { id: "b", log: log({ blockNumber: "11", logIndex: "3" }) })).equal(
      "seen, takenBack at 102",
    );
    should((await rule.pending())[0]).have.properties({ reason: "other_block", stands: true });
    const final = log({ blockNumber: "11", logIndex: "3", confidence: "finalized" });
    should(await give(103, { id: "b", log: final })).equal("seen");
    // Nothing waits any more: the key is forgotten once the source of the log has come a day further.
    should(rule.nextCheckAt).be.undefined();
  });

  it("says that an alert was not confirmed in time, also after a restart", async () => {
    const { give, store, rule } = made();
    should(await give(1, { log: log() })).equal("alert at 1");
    should(rule.nextCheckAt).equal(START + 1 + confirmWithinMs);
    const again = made(store);
    again.clock.now = START + 2_000;
    should(await again.upTo(1_000)).equal("");
    should(await again.upTo(1_001)).equal("notConfirmed at 1001");
    should(await again.upTo(1_002)).equal("");
  });

  it("watches an alert that comes again, where the program ended before that was stored", async () => {
    const ended = new FailingStore((key) => key === "" && ended.hasKey("="));
    await should(made(ended).give(1, { log: log() })).be.rejected();
    const store = new MemoryAlertStore();
    for (const key of await ended.keys()) await store.write(key, 0, (await ended.read(key))?.value);
    const { give, upTo } = made(store);
    const again = (ms: number) => give(ms, { at: START + 1, log: log(), redelivered: true });
    const answers = [
      await again(10),
      await upTo(10 + confirmWithinMs),
      await again(2_000),
      await upTo(9_000),
    ];
    should(answers).deepEqual(["alert at 1 repeated", "notConfirmed at 1010", "alert at 1 repeated", ""]);
  });

  it("raises an alert that is given again after its store failed, and watches it", async () => {
    let isFailing = true;
    const store = new FailingStore((key) => isFailing && key === "" && store.hasKey("="));
    const { give, upTo } = made(store);
    await should(give(1, { log: log() })).be.rejected();
    isFailing = false;
    should(await give(1, { log: log() })).equal("alert at 1 repeated");
    should(await give(1, { log: log() })).equal("seen");
    should(await upTo(1 + confirmWithinMs)).equal("notConfirmed at 1001");
  });

  it("does not wait for a log that is final, or at the highest level", async () => {
    const { give, upTo } = made();
    await give(1, { log: log({ confidence: "finalized" }) });
    await give(2, { id: "b", log: log({ transactionHash: `0x${"12".repeat(32)}` }), isHighest: true });
    should(await upTo(5_000)).equal("");
  });

  it("learns that a transaction failed at a final level", async () => {
    const { give, rule, upTo, clock } = made();
    await give(1, { log: log() });
    clock.now = START + 10;
    const told = await rule.learn({
      kind: "transaction",
      chainSelector: "1",
      transactionHash: HASH,
      blockNumber: "12",
      confidence: "finalized",
      failed: true,
    });
    const outcomes = [...told.map(({ kind }) => kind), ...(await upTo(500)).split(" ")];
    should(outcomes).containEql("takenBack");
    should((await rule.pending()).map(({ kind }) => kind)).deepEqual(["takenBack"]);
  });

  const txHash = (number: number) => `0x${String(number).padStart(64, "0")}`;
  const failed = (number: number): AlertEvidence => ({
    kind: "transaction",
    chainSelector: "1",
    transactionHash: txHash(number),
    blockNumber: "10",
    confidence: "finalized",
    failed: true,
  });

  it("counts a log once that comes from another block, at another index", async () => {
    const { give } = made(undefined, { kind: "count", times: 3, withinMs: 5_000 });
    const from = (blockNumber: string, logIndex: string) =>
      give(Number(blockNumber), { id: logIndex, log: log({ blockNumber, logIndex }) });
    // The transaction emitted the same twice.
    should([await from("10", "0"), await from("10", "1")]).deepEqual(["counted", "counted"]);
    // Its block is replaced, comes back, and is replaced again.
    for (const place of ["11 5", "11 6", "10 0", "10 1", "12 5", "11 5", "12 7", "12 8"]) {
      const [block = "", index = ""] = place.split(" ");
      should(`${place}: ${await from(block, index)}`).equal(`${place}: seen`);
    }
    should(await from("12", "9")).equal("alert at 12 count 3");
  });

  it("raises an alert for each of several logs that are the same, in one final block", async () => {
    const { give } = made();
    const from = (tx: number, logIndex: string, confidence: string) =>
      give(tx, {
        id: logIndex,
        log: log({ transactionHash: txHash(tx), logIndex, confidence: unlisted(confidence) }),
      });
    should(await from(1, "0", "latest")).equal("alert at 1");
    should(await from(2, "1", "finalized")).equal("alert at 2");
    should(await from(2, "2", "finalized")).equal("alert at 2");
    should(await from(2, "1", "finalized")).equal("seen");
  });

  it("counts a log once that is final beside the same log of an alert", async () => {
    const { give } = made(undefined, { kind: "count", times: 2, withinMs: 5_000 });
    const from = (tx: number, logIndex: string, confidence: string) =>
      give(tx, {
        id: logIndex,
        log: log({ transactionHash: txHash(tx), logIndex, confidence: unlisted(confidence) }),
      });
    should(await from(1, "0", "latest")).equal("counted");
    should(await from(2, "0", "latest")).equal("alert at 2 count 2");
    should(await from(2, "1", "latest")).equal("counted");
    should(await from(2, "0", "finalized")).equal("seen");
    should(await from(2, "1", "finalized")).equal("seen");
  });

  for (const quietMs of [0, 900_000]) {
    it(`does not count the log of an alert that was taken back, with a quiet time of ${quietMs} ms`, async () => {
      const { give, rule } = made(undefined, { kind: "count", times: 2, withinMs: 5_000 }, { quietMs });
      const from = (number: number) =>
        give(number, { id: `${number}`, log: log({ transactionHash: txHash(number) }) });
      should([await from(1), await from(2)]).deepEqual(["counted", "alert at 2 count 2"]);
      const outcomes = await rule.learn(failed(2));
      should(outcomes.map(({ kind }) => kind)).deepEqual(["takenBack"]);
      should([await from(2), await from(3)]).deepEqual(["seen", "alert at 3 count 2"]);
    });
  }

  it("does not withdraw another alert that had the same place at the same time", async () => {
    const { give, rule } = made();
    const from = (tx: number, more: Partial<AlertInput> = {}) =>
      give(tx, { id: `${tx}`, at: START, log: log({ transactionHash: txHash(tx) }), ...more });
    should([await from(1), await from(2)]).deepEqual(["alert at 0", "alert at 0"]);
    await rule.learn(failed(1));
    should(await from(1, { redelivered: true })).equal("seen");
    should(await from(2, { redelivered: true })).equal("alert at 0 repeated");
  });

  it("holds no state any longer whose alert was taken back", async () => {
    const { give, rule } = made(undefined, { kind: "each" }, { recovers: true });
    const from = (number: number, matches: boolean) =>
      give(number, { id: `${number}`, matches, log: log({ transactionHash: txHash(number) }) });
    should(await from(1, true)).equal("alert at 1");
    await rule.learn(failed(1));
    should([await from(2, false), await from(3, true)]).deepEqual(["no_match", "alert at 3"]);
  });

  it("watches nothing where that is off", async () => {
    const store = new MemoryAlertStore();
    const { at, upTo } = makeRule({ kind: "each" }, {}, { store });
    await at(1, { log: log() });
    should(await upTo(10_000)).equal("");
    should((await store.read(""))?.value).not.have.property("watch");
  });
});
