import should from "should";
import { type CreateAlertRuleOptions, createAlertRule, parseAbi } from "../../src/index.ts";
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

function made(options: Partial<CreateAlertRuleOptions>) {
  const rule = createAlertRule({ id: "rule", abi, now: () => (TIME + 10_000) * 1000, ...options });
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
