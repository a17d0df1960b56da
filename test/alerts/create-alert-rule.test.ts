import should from "should";
import { type CreateAlertRuleOptions, createAlertRule, MemoryAlertStore, parseAbi } from "../../src/index.ts";
import type { ChannelEvent } from "../../src/protocol/index.ts";
import { signedEvent } from "../proofs/fixtures.ts";

const CONTRACT = "0x5b571A50AC6cB524730C8419EBe452703139809A";
const FROM = `0x${"11".repeat(20)}`;
const TIME = 1_780_000_000;
const abi = parseAbi("event Transfer(address indexed from, uint256 value)");

/** A transfer of an amount in the smallest unit, in a block some seconds later. */
function transfer(
  value: string,
  { log = 0, at = 0, confidence = "latest", from = FROM, sender = "from" } = {},
): ChannelEvent {
  const content = {
    name: "Transfer",
    chain_selector: "16015286601757825753",
    chain_event: {
      chain_id: "11155111",
      block_number: 6_500_000,
      block_timestamp: TIME + at,
      confidence,
      tx_hash: `0x${"ab".repeat(32)}`,
      address: CONTRACT.toLowerCase(),
      log_index: log,
      params: { [sender]: from, value },
    },
  };
  const payload = { watcher_id: "w-1", chain_selector: content.chain_selector };
  return signedEvent("watcher.event", JSON.stringify(content), payload) as ChannelEvent;
}

let rules = 0;

function made(options: Partial<CreateAlertRuleOptions>) {
  rules += 1;
  const rule = createAlertRule({ id: `rule ${rules}`, abi, now: () => (TIME + 10_000) * 1000, ...options });
  const fate = async (event: ChannelEvent, more: { redelivered?: boolean } = {}) => {
    const { passed, outcomes } = await rule.accept({ event, ...more });
    return passed ?? outcomes.map(({ kind }) => kind).join();
  };
  return { rule, fate };
}

describe("createAlertRule", () => {
  it("alerts on each event that matches, once over its levels", async () => {
    const { fate, rule } = made({
      conditions: [{ field: "params.value", is: "atLeast", value: "1.5", unit: "token" }],
      decimals: 6,
    });
    should(await fate(transfer("1499999"))).equal("no_match");
    should(await fate(transfer("1500000", { log: 1 }))).equal("alert");
    should(await fate(transfer("1500000", { log: 1, confidence: "finalized" }))).equal("seen");
    should(await fate(transfer("1500000", { log: 1 }), { redelivered: true })).equal("alert");
    await rule.close();
  });

  it("says that an event contradicts another reading of its log, which it does not count", async () => {
    const { rule } = made({ abi: undefined, confirmWithinMs: 60_000 });
    const first = await rule.accept({ event: transfer("5") });
    should(first.outcomes).have.length(1);
    should(first).not.have.property("contradicts");
    const swapped = { event: transfer("5", { sender: "to", confidence: "finalized" }) };
    should(await rule.accept(swapped)).deepEqual({ passed: "seen", outcomes: [], contradicts: true });
  });

  it("takes no alert back for a reading whose conditions cannot be decided", async () => {
    const { rule } = made({ abi: undefined, confirmWithinMs: 3_600_000, slackMs: 0, forEach: "params.from" });
    should((await rule.accept({ event: transfer("5") })).outcomes).have.length(1);
    const swapped = { event: transfer("5", { sender: "to", confidence: "finalized" }) };
    should((await rule.accept(swapped)).passed).equal("undecided");
    should(await rule.readUpTo((TIME + 10_001) * 1000)).be.empty();
  });

  it("counts by the time of the blocks, for each value of a field", async () => {
    const { fate } = made({ when: { kind: "count", times: 2, withinMs: 60_000 }, forEach: "params.from" });
    const other = `0x${"AB".repeat(20)}`;
    should(await fate(transfer("1", { log: 0, at: 0 }))).equal("counted");
    should(await fate(transfer("1", { log: 1, at: 60 }))).equal("counted");
    should(await fate(transfer("1", { log: 2, at: 61, from: other }))).equal("counted");
    const { outcomes } = await made({ forEach: "params.from" }).rule.accept({
      event: transfer("1", { from: other }),
    });
    should(outcomes[0]?.alert).have.properties({ key: other.toLowerCase(), at: TIME * 1000 });
    should(await fate(transfer("1", { log: 3, at: 100 }))).equal("alert");
  });

  it("sums a field up to a limit in tokens", async () => {
    const { rule } = made({
      when: { kind: "sum", field: "params.value", limit: "2.5", unit: "token", withinMs: 60_000 },
      decimals: 6,
      forEach: "contract",
      details: (alert, decoded) => ({ sum: alert.sum, of: (decoded as { name: string }).name }),
    });
    should((await rule.accept({ event: transfer("2000000") })).passed).equal("counted");
    const { outcomes } = await rule.accept({ event: transfer("500000", { log: 1 }) });
    should(outcomes[0]?.alert).have.properties({
      key: `16015286601757825753:${CONTRACT.toLowerCase()}`,
      details: { sum: "2500000", of: "Transfer" },
    });
  });

  const decodedOf = (name: string, params: Record<string, unknown>, more: object = {}) => ({
    ...{ name, params, contract: CONTRACT, chainSelector: "1", blockTime: TIME, ...more },
  });
  const kindsOf = async (rule: ReturnType<typeof createAlertRule>, decoded: unknown, key: string) => {
    const { passed, outcomes } = await rule.accept({ decoded, dedupeKey: key });
    return [passed, ...outcomes.map(({ kind }) => kind)].filter(Boolean).join();
  };

  it("ends an alert by an event of the same name that is known not to match, or by other conditions", async () => {
    const above = { field: "params.value", is: "above", value: "10" } as const;
    const same = createAlertRule({ id: "same", conditions: [above], recovers: true });
    should(await kindsOf(same, decodedOf("Transfer", { value: "11" }), "1:a:0:latest")).equal("alert");
    should(await kindsOf(same, decodedOf("Other", { value: "1" }), "1:a:1:latest")).equal("no_match");
    should(await kindsOf(same, decodedOf("Transfer", { value: null }), "1:a:2:latest")).equal("no_match");
    should(await kindsOf(same, decodedOf("Transfer", { value: "1" }), "1:a:3:latest")).equal(
      "no_match,recovered",
    );
    const named = (value: string) => [{ field: "name", is: "equals", value }] as const;
    for (const [endsWhen, isEnd] of [
      [named("Unpaused"), true],
      [{ match: "any", conditions: named("Unpaused") } as const, true],
      [named("Never"), false],
    ] as const) {
      const other = createAlertRule({ id: "other", conditions: named("Paused"), recovers: true, endsWhen });
      should(await kindsOf(other, decodedOf("Paused", {}), "1:b:0:latest")).equal("alert");
      const end = await kindsOf(other, decodedOf("Unpaused", {}), "1:b:1:latest");
      should(end).equal(isEnd ? "no_match,recovered" : "no_match");
      await other.close();
    }
    // What the conditions cannot decide may still be an end.
    const tokens = { field: "params.value", is: "above", value: "1", unit: "token" } as const;
    const undecided = createAlertRule({
      id: "u",
      conditions: [tokens],
      recovers: true,
      endsWhen: named("End"),
    });
    should(await kindsOf(undecided, decodedOf("End", { value: "5" }), "1:c:0:latest")).equal("no_match");
    should(await kindsOf(undecided, decodedOf("Any", { value: "5" }), "1:c:1:latest")).equal("undecided");
  });

  it("adds up amounts of several contracts by a function for their decimals", async () => {
    const rule = createAlertRule({
      id: "sum",
      when: { kind: "sum", field: "params.value", limit: "3", unit: "token", withinMs: 60_000 },
      decimals: ({ contract }) => ({ [CONTRACT]: 18, other: 6 })[contract],
    });
    const one = decodedOf("Transfer", { value: `2${"0".repeat(18)}` });
    should(await kindsOf(rule, one, "1:a:0:latest")).equal("counted");
    for (const contract of ["unknown", undefined, 5]) {
      const event = decodedOf("Transfer", { value: "9" }, { contract });
      should(await kindsOf(rule, event, `1:a:${contract}:latest`)).equal("undecided");
    }
    const other = decodedOf("Transfer", { value: "1000000" }, { contract: "other" });
    const { outcomes } = await rule.accept({ decoded: other, dedupeKey: "1:a:1:latest" });
    should(outcomes[0]?.alert).have.properties({ decimals: 18, sum: `3${"0".repeat(18)}` });
    should(await rule.open()).be.empty();
  });

  it("ends an open alert when it is opened with other conditions, and with functions as with any", async () => {
    const store = new MemoryAlertStore();
    const settings = { id: "kept", store, recovers: true, quietMs: 60_000, summarizes: false };
    const endsAtOpen = async (more: Partial<CreateAlertRuleOptions>) => {
      const rule = createAlertRule({ ...settings, ...more });
      const ends = await rule.open();
      await rule.close();
      return ends.map(({ kind }) => kind);
    };
    const conditions = [{ field: "name", is: "equals", value: "Paused" }] as const;
    const forEach = () => "key";
    const first = createAlertRule({ ...settings, conditions, forEach });
    should(await kindsOf(first, decodedOf("Paused", {}), "1:a:0:latest")).equal("alert");
    should(await endsAtOpen({ conditions, forEach: () => "other" })).be.empty();
    const others = [...conditions, { field: "params.value", is: "exists" }] as const;
    // While it is open, its id is that of no other one.
    await endsAtOpen({ conditions: others }).should.be.rejectedWith({ code: "INVALID_ARGUMENT", path: "id" });
    await first.close();
    should(await endsAtOpen({ conditions: others })).eql(["ended"]);
    const sum = { kind: "sum", field: "params.value", limit: "1", withinMs: 1 } as const;
    should(await endsAtOpen({ when: sum })).be.empty();
    should(await endsAtOpen({ when: sum, forEach: "contract" })).be.empty();
    const reached = createAlertRule({ ...settings, when: sum });
    should(await kindsOf(reached, decodedOf("Paid", { value: "5" }), "1:b:0:latest")).equal("alert");
    await reached.close();
    should(await endsAtOpen({ when: { ...sum, limit: "9", is: "atLeast" } })).be.empty();
    should(await endsAtOpen({ when: { ...sum, is: "atMost" } })).eql(["ended"]);
  });

  it("says why conditions cannot be decided", async () => {
    const { rule } = made({
      conditions: [{ field: "params.value", is: "above", value: "1", unit: "token" }],
    });
    const { passed, reasons } = await rule.accept({ event: transfer("5") });
    should(passed).equal("undecided");
    should(reasons?.join()).match(/decimals/);
    const keyed = made({ forEach: "params.nothing" });
    should(await keyed.fate(transfer("5"))).equal("undecided");
  });

  it("takes what was decoded, with the key of its event", async () => {
    const { rule } = made({ quietMs: 1_000 });
    const decoded = { name: "Transfer", params: { value: "5" }, blockTime: TIME };
    const given = { decoded, dedupeKey: `1:0x${"ab".repeat(32)}:0:latest` };
    should((await rule.accept(given)).outcomes).have.length(1);
    should((await rule.accept(given)).passed).equal("seen");
    should((await rule.accept({ decoded })).passed).equal("quiet");
  });

  it("waits for the confirmation of an alert on a block that is not final", async () => {
    const { rule, fate } = made({ confirmWithinMs: 3_600_000 });
    should(await fate(transfer("5"))).equal("alert");
    should(rule.nextCheckAt).equal((TIME + 10_000 + 3_600) * 1000);
    should((await rule.readUpTo((TIME + 10_000) * 1000)).length).equal(0);
  });

  it("watches for an absence from the first time it is told of", async () => {
    const { rule } = made({ when: { kind: "absence", forMs: 60_000 }, recovers: true });
    await rule.readUpTo(TIME * 1000);
    should(rule.nextCheckAt).equal((TIME + 60) * 1000);
    should((await rule.readUpTo((TIME + 60) * 1000)).map(({ kind }) => kind)).deepEqual(["alert"]);
    const { outcomes } = await rule.accept({ event: transfer("1", { at: 70 }) });
    should(outcomes.map(({ kind }) => kind)).deepEqual(["recovered"]);
  });

  for (const [path, options] of Object.entries<Partial<CreateAlertRuleOptions>>({
    id: { id: "" },
    forEach: { forEach: "params..value" },
    "when.field": { when: { kind: "sum", field: "[", limit: "1", withinMs: 1 } },
    slackMs: { slackMs: -1 },
    "conditions[0].value": { conditions: [{ field: "params.value", is: "above", value: "much" }] },
  })) {
    it(`refuses a wrong ${path}`, () => {
      should(() => made(options)).throw({ code: "INVALID_ARGUMENT", path });
    });
  }
});
