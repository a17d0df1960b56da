import should from "should";
import { signedFacts } from "../../src/proofs/index.ts";
import { caseNamed, signedEvent } from "./fixtures.ts";

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

  it("take the finality of a query from the block it was asked at", () => {
    const block_selection = { requested: { type: "safe" } };
    should(factsOf("query.status", { data: { block_selection } })).deepEqual({ confidence: "safe" });
    const numbered = { requested: { type: "block_number", block_number: "5" } };
    should(factsOf("query.status", { data: { block_selection: numbered } })).deepEqual({});
  });

  it("take the time of signing, in whole seconds, where no block is signed", () => {
    const timestamp = "2026-05-28T20:26:40.9Z";
    should(factsOf("operation.status", { timestamp })).deepEqual({ time: 1_780_000_000 });
  });

  it("take no name from anything but a contract event", () => {
    should(factsOf("operation.status", { name: "Ping" })).deepEqual({});
  });

  it("leave out what is not of its type", () => {
    const chain_event = { address: 7, event_signature: {}, confidence: "soon", block_timestamp: 1.5 };
    should(factsOf("watcher.event", { name: 7, chain_selector: "x", timestamp: 7, chain_event })).deepEqual(
      {},
    );
    should(factsOf("watcher.event", { timestamp: "soon", chain_event: 7, data: 7 })).deepEqual({});
  });

  it("are none of an event that carries nothing signed, or nothing that can be read", () => {
    should(signedFacts(caseNamed("watcher.status is never verifiable").event)).deepEqual({});
    const { event } = caseNamed("watcher.event, all 7");
    should(signedFacts({ ...event, payload: { verifiable_event: "e30" } })).deepEqual({});
  });
});
