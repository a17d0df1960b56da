import should from "should";
import { signedFacts } from "../../src/proofs/index.ts";
import type { EventEnvelope } from "../../src/protocol/index.ts";
import { caseNamed, proofCases, signedEvent } from "./fixtures.ts";

const SELECTOR = "16015286601757825753";
const CONTRACT = "0x5b571A50AC6cB524730C8419EBe452703139809A";

describe("signedFacts", () => {
  const factsOf = (type: string, signed: object) => signedFacts(signedEvent(type, signed, {}));

  it("are contract, network, name, finality and time of a contract event", () => {
    const chain_event = {
      address: CONTRACT,
      event_signature: "Ping(uint256)",
      confidence: "FINALIZED",
      block_timestamp: "1780000000",
    };
    const signed = { name: "Ping", chain_selector: `00${SELECTOR}`, chain_event };
    should(factsOf("watcher.event", signed)).deepEqual({
      contract: CONTRACT,
      chainSelector: SELECTOR,
      name: "Ping",
      signature: "Ping(uint256)",
      confidence: "finalized",
      time: 1_780_000_000,
    });
  });

  it("take the network from the chain id where no selector is signed, if that chain is well known", () => {
    const factsOfChain = (chain_id: unknown) => factsOf("watcher.event", { chain_event: { chain_id } });
    for (const sepolia of ["11155111", 11155111]) {
      should(factsOfChain(sepolia)).deepEqual({ chainSelector: SELECTOR });
    }
    should(factsOfChain("424242")).deepEqual({});
  });

  it("take the finality of an operation from its status", () => {
    for (const [status, confidence] of [
      ["confirmed_latest", "latest"],
      ["confirmed_safe", "safe"],
      ["confirmed", "finalized"],
    ]) {
      should(factsOf("operation.status", { data: { status } })).deepEqual({ confidence });
    }
    should(factsOf("operation.status", { data: { status: "failed" } })).deepEqual({});
  });

  it("take the finality of a query from the requested block", () => {
    const block_selection = { requested: { type: "safe" } };
    should(factsOf("query.status", { data: { block_selection } })).deepEqual({ confidence: "safe" });
    const numbered = { requested: { type: "block_number", block_number: "5" } };
    should(factsOf("query.status", { data: { block_selection: numbered } })).deepEqual({});
  });

  it("take the time of signing, in whole seconds, where no block is signed", () => {
    const timestamp = "2026-05-28T20:26:40.9Z";
    should(factsOf("operation.status", { timestamp })).deepEqual({ time: 1_780_000_000 });
  });

  it("have a name only for a contract event", () => {
    should(factsOf("operation.status", { name: "Ping" })).deepEqual({});
  });

  it("leave out values of a wrong type", () => {
    const chain_event = { address: 7, event_signature: {}, confidence: "soon", block_timestamp: 1.5 };
    should(factsOf("watcher.event", { name: 7, chain_selector: "x", timestamp: 7, chain_event })).deepEqual(
      {},
    );
    should(factsOf("watcher.event", { timestamp: "soon", chain_event: 7, data: 7 })).deepEqual({});
  });

  it("are empty without a signed text that can be read", () => {
    should(signedFacts(caseNamed("watcher.status is never verifiable").event)).deepEqual({});
    const { event } = caseNamed("watcher.event, all 7");
    should(signedFacts({ ...event, payload: { verifiable_event: "e30" } })).deepEqual({});
  });
});

describe("signedFacts of worked examples", () => {
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

  it("come from the signed text, not from the fields beside it", () => {
    const event = first("watcher.event");
    const read = signedFacts(event);
    should(read).have.properties(["contract", "chainSelector", "name", "signature", "time"]);
    const relabelled = { ...event, payload: { ...event.payload, chain_selector: "1", timestamp: 1 } };
    should(signedFacts({ ...relabelled, created_at: 1 })).deepEqual(read);
  });

  it("name the network by a well-known chain id where no selector is signed", () => {
    const chain = (chain_id: string) =>
      withSigned(first("watcher.event"), "verifiable_event", (signed: Record<string, unknown>) => {
        delete signed.chain_selector;
        signed.chain_event = { ...(signed.chain_event as object), chain_id };
      }).chainSelector;
    should(chain("31337")).equal("7759470850252068959");
    should(chain("424242")).be.undefined();
  });

  it("have a confidence for operations and queries, too", () => {
    const atStatus = (status: string) =>
      withSigned(
        first("operation.status"),
        "verifiable_event",
        (signed: Record<string, Record<string, unknown>>) => {
          if (signed.data) signed.data.status = status;
        },
      ).confidence;
    should(
      ["confirmed_latest", "confirmed_safe", "confirmed", "failed", "constructor"].map(atStatus),
    ).deepEqual(["latest", "safe", "finalized", undefined, undefined]);
    const requested = (type: string) =>
      withSigned(
        first("query.status"),
        "verifiable_result",
        (signed: Record<string, Record<string, unknown>>) => {
          if (signed.data) signed.data.block_selection = { requested: { type } };
        },
      ).confidence;
    should(["latest", "finalized", "block_number"].map(requested)).deepEqual([
      "latest",
      "finalized",
      undefined,
    ]);
  });

  it("are empty for an event without a signed text, or with one that does not parse", () => {
    const event = first("watcher.event");
    should(signedFacts({ ...event, payload: {} })).deepEqual({});
    should(signedFacts({ ...event, payload: { verifiable_event: "e30" } })).deepEqual({});
  });

  it("do not take the status in a watcher's report for a confirmation", () => {
    const read = withSigned(first("watcher.event"), "verifiable_event", (signed: Record<string, unknown>) => {
      delete signed.chain_event;
      signed.data = { status: "confirmed" };
    });
    should(read).not.have.properties(["confidence", "contract"]);
  });
});
