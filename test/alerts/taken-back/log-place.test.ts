import should from "should";
import { logPlaceOf } from "../../../src/alerts/index.ts";
import { type DecodedWatcherEvent, unlisted } from "../../../src/index.ts";

const HASH = `0x${"aB".repeat(32)}`;

function decoded(more: Partial<DecodedWatcherEvent> = {}): DecodedWatcherEvent {
  return {
    name: "Transfer",
    params: { from: "0x1", order: { amount: "1", items: [{ a: 1, b: 2 }] } },
    contract: `0x${"Cd".repeat(20)}`,
    chainSelector: "16015286601757825753",
    transactionHash: HASH,
    blockNumber: 100,
    logIndex: "07",
    confidence: "latest",
    watcherId: "0f8fad5b-d9cb-469f-a165-70867728950e",
    ...more,
  };
}

describe("the place of a log", () => {
  it("is in the form in which places are compared", () => {
    should(logPlaceOf(decoded())).have.properties({
      chainSelector: "16015286601757825753",
      transactionHash: HASH.toLowerCase(),
      blockNumber: "100",
      logIndex: "7",
      confidence: "latest",
      contract: `0x${"cd".repeat(20)}`,
    });
    should(logPlaceOf(decoded({ confidence: unlisted("Finalized") }))?.confidence).equal("finalized");
    const { confidence: _confidence, ...without } = decoded();
    should(logPlaceOf(without)?.confidence).equal("latest");
  });

  it("is not known where its chain is not signed, or a part is missing or wrong", () => {
    should(logPlaceOf(decoded({ chainSelectorUnsigned: true }))).be.undefined();
    for (const name of ["contract", "transactionHash", "blockNumber", "logIndex"] as const) {
      const { [name]: _left, ...without } = decoded();
      should(logPlaceOf(without)).be.undefined();
    }
    for (const more of [
      { blockNumber: "9".repeat(200) },
      { blockNumber: -1 },
      { logIndex: 1.5 },
      { transactionHash: "0xab" },
      { transactionHash: "__proto__" },
      { chainSelector: "one" },
    ])
      should(logPlaceOf(decoded(more))).be.undefined();
  });

  it("has the same content in each block and at each level, whatever the order of its parameters", () => {
    const content = logPlaceOf(decoded())?.content;
    const order = { items: [{ b: 2, a: 1 }], amount: "1" };
    const moved = { blockNumber: 101, logIndex: 0, confidence: "finalized" as const };
    should(logPlaceOf(decoded({ ...moved, params: { order, from: "0x1" } }))?.content).equal(content);
    const proto = JSON.parse('{"__proto__": 1}');
    const others = [{ from: "0x2" }, { ...decoded().params, more: 1 }, proto, {}].map(
      (params) => logPlaceOf(decoded({ params }))?.content,
    );
    should(new Set([content, ...others]).size).equal(5);
    should(logPlaceOf(decoded({ name: "Approval" }))?.content).not.equal(content);
  });

  it("has a source for each watcher, contract and name", () => {
    const sources = [
      {},
      { watcherId: "another" },
      { name: "Approval" },
      { contract: `0x${"ef".repeat(20)}` },
      { chainSelector: "1" },
    ].map((more) => logPlaceOf(decoded(more))?.source);
    should(new Set(sources).size).equal(5);
    should(logPlaceOf(decoded({ contract: `0x${"CD".repeat(20)}` }))?.source).equal(sources[0]);
    should(logPlaceOf(decoded({ watcherId: "x".repeat(100_000) }))?.source).have.length(32);
  });
});
