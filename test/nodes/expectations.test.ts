import should from "should";
import { eventNames } from "../../nodes/lib/runtime/event-names.ts";
import { type Expectations, familyUnmet, firstUnmet } from "../../nodes/verify-event/expectations.ts";
import { type EventEnvelope, type SignedFacts, signedFacts } from "../../src/index.ts";
import { caseNamed, proofCases, signedEvent } from "../proofs/fixtures.ts";

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

/** What is expected beyond a right proof, judged by signed content alone. */
describe("expectations of verify event", () => {
  const judge = (
    expected: Expectations,
    changes: { [K in keyof SignedFacts]?: SignedFacts[K] | undefined } = {},
  ) => {
    const unmet = firstUnmet({ ...facts, ...changes } as SignedFacts, expected, NOW);
    if (unmet) should(unmet.message).match(/^[A-Z].*[.]$/);
    if (unmet) should(unmet.verified).be.false();
    return unmet?.reason;
  };

  it("expect nothing where nothing is asked for, even of an event that says nothing", () => {
    should(judge({})).be.undefined();
    should(firstUnmet({}, {}, NOW)).be.undefined();
  });

  it("expect a contract: by address without case, and by network as a number", () => {
    should(judge({ contract })).be.undefined();
    should(judge({ contract: { ...contract, address: TOKEN.toLowerCase() } })).be.undefined();
    should(judge({ contract: { ...contract, chainSelector: "007759470850252068959" } })).be.undefined();
    should(judge({ contract: { ...contract, chainSelector: "1" } })).equal("unexpected_contract");
    should(judge({ contract: { ...contract, address: TOKEN.replace("5F", "6F") } })).equal(
      "unexpected_contract",
    );
    should(judge({ contract }, { contract: undefined })).equal("unexpected_contract");
    should(judge({ contract }, { chainSelector: undefined })).equal("unexpected_contract");
  });

  it("are never met by a network that is not signed, and say so", () => {
    const payload = { watcher_id: "w", chain_selector: contract.chainSelector };
    const signed = { name: "Transfer", chain_event: { chain_id: "424242", address: TOKEN } };
    const unsigned = signedFacts(signedEvent("watcher.event", signed, payload));
    const unmet = firstUnmet(unsigned, { contract }, NOW);
    should(unmet).have.property("reason", "unexpected_contract");
    should(unmet?.message).match(/on a network that is not signed/);
  });

  it("expect one of several events, by name or signature", () => {
    should(judge({ events: ["Approval", "Transfer"] })).be.undefined();
    should(judge({ events: ["Transfer(address,address,uint256)"] })).be.undefined();
    for (const other of ["transfer", "Trans", "Transfer(address,uint256)", ""]) {
      should(judge({ events: [other] })).equal("unexpected_event");
    }
    should(judge({ events: ["Transfer"] }, { name: undefined, signature: undefined })).equal(
      "unexpected_event",
    );
  });

  it("understand an event as it is copied from an ABI, and refuse what is none", async () => {
    const names: Record<string, string> = {
      Transfer: "Transfer",
      "a.service.Event": "a.service.Event",
      "Transfer(address, address, uint)": facts.signature ?? "",
      "Transfer(address indexed from, address indexed to, uint256 value)": facts.signature ?? "",
      "event Transfer(address indexed from, address indexed to, uint256 value);": facts.signature ?? "",
      "Filled((address maker, uint256[] amounts)[] orders)": "Filled((address,uint256[])[])",
    };
    should(await eventNames(Object.keys(names), "Events")).deepEqual(Object.values(names));
    for (const none of [
      "Transfer address",
      "Transfer(",
      "Transfer(adress)",
      "Transfer(address indexed from, …)",
    ]) {
      await should(eventNames(["Transfer", none], "Events")).be.rejectedWith({
        code: "INVALID_FIELD",
        message: new RegExp(none.replace(/[()]/g, "\\$&")),
      });
    }
  });

  it("expect a confidence; one that an event does not say is none", () => {
    should(judge({ minConfidence: "latest" })).be.undefined();
    should(judge({ minConfidence: "safe" })).be.undefined();
    should(judge({ minConfidence: "finalized" })).equal("confidence_too_low");
    should(judge({ minConfidence: "latest" }, { confidence: undefined })).equal("confidence_too_low");
  });

  it("expect the set that judged: of a family, or the default one", () => {
    for (const judged of [undefined, "zone-a", "zone-b"])
      should(familyUnmet(judged, undefined)).be.undefined();
    should(familyUnmet("zone-b", "zone-b")).be.undefined();
    should(familyUnmet(undefined, "")).be.undefined();
    for (const [judged, wanted, sets] of [
      [undefined, "zone-b", /default set.*"zone-b"/],
      ["zone-a", "zone-b", /"zone-a".*"zone-b"/],
      ["zone-b", "", /"zone-b".*default set/],
    ] as const) {
      const unmet = familyUnmet(judged, wanted);
      should(unmet).have.properties({ verified: false, reason: "unexpected_family" });
      should(unmet?.message)
        .match(sets)
        .and.match(/^[A-Z].*[.]$/);
    }
  });

  it("expect an age; an event from the future, or of no time, has none", () => {
    should(judge({ maxAge: 100 })).be.undefined();
    should(judge({ maxAge: 99 })).equal("too_old");
    should(judge({ maxAge: 1 }, { time: NOW + 60 })).be.undefined();
    should(judge({ maxAge: 1 }, { time: NOW + 61 })).equal("in_the_future");
    should(judge({ maxAge: 1e9 }, { time: undefined })).equal("too_old");
    should(judge({}, { time: NOW + 1e6 })).be.undefined();
  });

  it("are met in one order: contract, event, confidence, age", () => {
    const none = { contract, events: ["A"], minConfidence: "latest", maxAge: 1 } as const;
    should(firstUnmet({}, none, NOW)?.reason).equal("unexpected_contract");
    const { contract: _contract, ...noContract } = none;
    should(firstUnmet({}, noContract, NOW)?.reason).equal("unexpected_event");
    should(firstUnmet({}, { minConfidence: "latest", maxAge: 1 }, NOW)?.reason).equal("confidence_too_low");
  });
});

describe("what is signed about an event", () => {
  const withSigned = (
    event: EventEnvelope,
    name: string,
    change: (signed: Record<string, never>) => void,
  ) => {
    const copy = structuredClone(event);
    const signed = JSON.parse(Buffer.from(String(copy.payload[name]), "base64").toString());
    change(signed);
    copy.payload[name] = Buffer.from(JSON.stringify(signed)).toString("base64");
    return signedFacts(copy);
  };
  const first = (type: string) => {
    const found = proofCases.find(
      ({ event, expect }) => event.headers?.type === type && expect === "verified",
    );
    if (!found) throw new Error(`There is no worked example of ${type}.`);
    return caseNamed(found.name).event;
  };

  it("is what a contract event says of itself, not what stands beside it", () => {
    const event = first("watcher.event");
    const read = signedFacts(event);
    should(read).have.properties(["contract", "chainSelector", "name", "signature", "time"]);
    const relabelled = { ...event, payload: { ...event.payload, chain_selector: "1", timestamp: 1 } };
    should(signedFacts({ ...relabelled, created_at: 1 })).deepEqual(read);
  });

  it("names the network by its chain id where no selector is signed, and none where that is not known", () => {
    const chain = (chain_id: string) =>
      withSigned(first("watcher.event"), "verifiable_event", (signed: Record<string, unknown>) => {
        delete signed.chain_selector;
        signed.chain_event = { ...(signed.chain_event as object), chain_id };
      }).chainSelector;
    should(chain("31337")).equal("7759470850252068959");
    should(chain("424242")).be.undefined();
  });

  it("is a confidence for operations and queries, too", () => {
    const rung = (status: string) =>
      withSigned(
        first("operation.status"),
        "verifiable_event",
        (signed: Record<string, Record<string, unknown>>) => {
          if (signed.data) signed.data.status = status;
        },
      ).confidence;
    should(["confirmed_latest", "confirmed_safe", "confirmed", "failed", "constructor"].map(rung)).deepEqual([
      "latest",
      "safe",
      "finalized",
      undefined,
      undefined,
    ]);
    const asked = (type: string) =>
      withSigned(
        first("query.status"),
        "verifiable_result",
        (signed: Record<string, Record<string, unknown>>) => {
          if (signed.data) signed.data.block_selection = { requested: { type } };
        },
      ).confidence;
    should(["latest", "finalized", "block_number"].map(asked)).deepEqual(["latest", "finalized", undefined]);
  });

  it("is nothing for an event that carries nothing signed, or what does not parse", () => {
    const event = first("watcher.event");
    should(signedFacts({ ...event, payload: {} })).deepEqual({});
    should(signedFacts({ ...event, payload: { verifiable_event: "e30" } })).deepEqual({});
  });

  it("does not take a service's word for a confirmation", () => {
    const read = withSigned(first("watcher.event"), "verifiable_event", (signed: Record<string, unknown>) => {
      delete signed.chain_event;
      signed.data = { status: "confirmed" };
    });
    should(read).not.have.properties(["confidence", "contract"]);
  });
});
