import should from "should";
import {
  type Expectations,
  type SignedFacts,
  signedFacts,
  unmetExpectation,
} from "../../src/proofs/index.ts";
import { signedEvent } from "./fixtures.ts";

const NOW = 1_780_000_000;
const TOKEN = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const facts: SignedFacts = {
  contract: TOKEN,
  chainSelector: "7759470850252068959",
  name: "Transfer",
  signature: "Transfer(address,address,uint256)",
  confidence: "safe",
  time: NOW - 100,
};
const contract = { address: TOKEN, chainSelector: "7759470850252068959" };

/** What is expected of a verified event. Only signed facts count. */
describe("unmetExpectation", () => {
  const reasonFor = (
    expected: Expectations,
    changes: { [K in keyof SignedFacts]?: SignedFacts[K] | undefined } = {},
  ) => {
    const unmet = unmetExpectation({ ...facts, ...changes } as SignedFacts, expected, { now: NOW });
    if (unmet) should(unmet.message).match(/^[A-Z].*[.]$/);
    if (unmet) should(unmet.verified).be.false();
    return unmet?.reason;
  };

  it("accepts any event where nothing is expected", () => {
    should(reasonFor({})).be.undefined();
    should(unmetExpectation({}, {}, { now: NOW })).be.undefined();
  });

  it("compares the contract: the address without case, the network as a number", () => {
    should(reasonFor({ contract })).be.undefined();
    should(reasonFor({ contract: { ...contract, address: TOKEN.toLowerCase() } })).be.undefined();
    should(reasonFor({ contract: { ...contract, chainSelector: "007759470850252068959" } })).be.undefined();
    should(reasonFor({ contract: { ...contract, chainSelector: "1" } })).equal("unexpected_contract");
    should(reasonFor({ contract: { ...contract, address: TOKEN.replace("5F", "6F") } })).equal(
      "unexpected_contract",
    );
    should(reasonFor({ contract }, { contract: undefined })).equal("unexpected_contract");
    should(reasonFor({ contract }, { chainSelector: undefined })).equal("unexpected_contract");
  });

  it("rejects a network that is not signed, and says so", () => {
    const payload = { watcher_id: "w", chain_selector: contract.chainSelector };
    const signed = { name: "Transfer", chain_event: { chain_id: "424242", address: TOKEN } };
    const unsigned = signedFacts(signedEvent("watcher.event", signed, payload));
    const unmet = unmetExpectation(unsigned, { contract }, { now: NOW });
    should(unmet).have.property("reason", "unexpected_contract");
    should(unmet?.message).match(/on a network that is not signed/);
  });

  it("takes one of several events, by name or signature", () => {
    should(reasonFor({ events: ["Approval", "Transfer"] })).be.undefined();
    should(reasonFor({ events: ["Transfer(address,address,uint256)"] })).be.undefined();
    for (const other of ["transfer", "Trans", "Transfer(address,uint256)", ""]) {
      should(reasonFor({ events: [other] })).equal("unexpected_event");
    }
    should(reasonFor({ events: ["Transfer"] }, { name: undefined, signature: undefined })).equal(
      "unexpected_event",
    );
  });

  it("compares the confidence, and rejects an event without one", () => {
    should(reasonFor({ minConfidence: "latest" })).be.undefined();
    should(reasonFor({ minConfidence: "safe" })).be.undefined();
    should(reasonFor({ minConfidence: "finalized" })).equal("confidence_too_low");
    should(reasonFor({ minConfidence: "latest" }, { confidence: undefined })).equal("confidence_too_low");
    should(reasonFor({ minConfidence: "Safe" as "safe" })).equal("confidence_too_low");
  });

  it("compares the watcher by the workflow that the report names, and fails closed", () => {
    const [ours, theirs] = ["ab".repeat(32), "cd".repeat(32)];
    const reason = (watchers: string[], workflowId: string | undefined, changes: Partial<SignedFacts> = {}) =>
      unmetExpectation({ ...facts, ...changes }, { watchers, contract }, { now: NOW, workflowId })?.reason;
    should(reason([ours], ours)).be.undefined();
    should(reason([theirs, `0x${ours.toUpperCase()}`], ours)).be.undefined();
    for (const [accepted, reported] of [
      [[ours], theirs],
      [[ours], undefined],
      [[], ours],
      // A text that is not an id equals nothing, not even itself.
      [[""], ""],
      [["transfers"], "transfers"],
      [[ours.slice(1)], ours.slice(1)],
    ] as const)
      should(reason([...accepted], reported)).equal("unexpected_watcher");
    const { contract: _address, ...ofNoContract } = facts;
    should(unmetExpectation(ofNoContract, { watchers: [ours] }, { workflowId: ours })?.reason).equal(
      "unexpected_watcher",
    );
    // After the family, before all else.
    const wrong = { ...contract, chainSelector: "1" };
    const expected = { donFamily: "zone-b", watchers: [ours], contract: wrong };
    should(unmetExpectation(facts, expected, { workflowId: theirs })?.reason).equal("unexpected_family");
    should(
      unmetExpectation(facts, { watchers: [ours], contract: wrong }, { workflowId: theirs })?.reason,
    ).equal("unexpected_watcher");
  });

  it("compares the signer set: that of a family, or the default one", () => {
    for (const used of [undefined, "zone-a", "zone-b"])
      should(unmetExpectation(facts, {}, { donFamily: used })).be.undefined();
    should(unmetExpectation(facts, { donFamily: "zone-b" }, { donFamily: "zone-b" })).be.undefined();
    should(unmetExpectation(facts, { donFamily: "" })).be.undefined();
    for (const [used, expected, sets] of [
      [undefined, "zone-b", /default set.*"zone-b"/],
      ["zone-a", "zone-b", /"zone-a".*"zone-b"/],
      ["zone-b", "", /"zone-b".*default set/],
    ] as const) {
      const unmet = unmetExpectation(facts, { donFamily: expected }, { donFamily: used });
      should(unmet).have.properties({ verified: false, reason: "unexpected_family" });
      should(unmet?.message)
        .match(sets)
        .and.match(/^[A-Z].*[.]$/);
    }
  });

  it("compares the age, and rejects an event from the future or without a time", () => {
    should(reasonFor({ maxAge: 100 })).be.undefined();
    should(reasonFor({ maxAge: 99 })).equal("too_old");
    should(reasonFor({ maxAge: 1 }, { time: NOW + 60 })).be.undefined();
    should(reasonFor({ maxAge: 1 }, { time: NOW + 61 })).equal("in_the_future");
    should(reasonFor({ maxAge: 1e9 }, { time: undefined })).equal("too_old");
    should(reasonFor({}, { time: NOW + 1e6 })).be.undefined();
  });

  it("checks in a fixed order: family, contract, event, confidence, age", () => {
    const none = {
      donFamily: "zone-b",
      contract,
      events: ["A"],
      minConfidence: "latest",
      maxAge: 1,
    } as const;
    should(unmetExpectation({}, none, { now: NOW })?.reason).equal("unexpected_family");
    const { donFamily: _family, ...noFamily } = none;
    should(unmetExpectation({}, noFamily, { now: NOW })?.reason).equal("unexpected_contract");
    const { contract: _contract, ...noContract } = noFamily;
    should(unmetExpectation({}, noContract, { now: NOW })?.reason).equal("unexpected_event");
    should(unmetExpectation({}, { minConfidence: "latest", maxAge: 1 }, { now: NOW })?.reason).equal(
      "confidence_too_low",
    );
  });
});
