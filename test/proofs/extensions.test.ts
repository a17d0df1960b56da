import should from "should";
import { listEvents, signatureHash } from "../../src/abi/index.ts";
import { matchEvent } from "../../src/alerts/index.ts";
import { type DecodedWatcherEvent, decodeEvent, extensionAbi } from "../../src/proofs/index.ts";
import { type EventEnvelope, EXTENSIONS } from "../../src/protocol/index.ts";
import { signedEvent } from "./fixtures.ts";

const SELECTOR = "16015286601757825753";
const ADMIN = "0x5b571A50AC6cB524730C8419EBe452703139809A";
const ID = `0x${"1f".repeat(32)}`;
const HASH = `0x${"2e".repeat(32)}`;

/** An event as a service's watcher reports it. The texts are JSON, so that numbers stay as written. */
function eventOf(service: string, signature: string, params: string, data = "null"): EventEnvelope {
  const name = signature.slice(0, signature.indexOf("("));
  const log = JSON.stringify({
    chain_id: "11155111",
    tx_hash: HASH,
    address: ADMIN,
    log_index: 3,
    topic_hash: signatureHash(signature),
    event_signature: signature,
  });
  const json = `{"service":"${service}","name":"${name}","chain_selector":"${SELECTOR}","chain_event":${log.slice(0, -1)},"params":${params}},"data":${data}}`;
  return signedEvent("watcher.event", json, { watcher_id: "w-1", chain_selector: SELECTOR });
}

function decoded(...event: Parameters<typeof eventOf>): DecodedWatcherEvent {
  return decodeEvent(eventOf(...event)) as DecodedWatcherEvent;
}

const PROCESSED = "DistributorRequestProcessed(bytes32,uint256,uint8,bytes)";
const REQUESTED = "SubscriptionRequested(address,bytes32,address,bytes32,bytes32,uint256,uint40)";
const WRONG_SETTLEMENT = "InvalidDTARequestSettlement(address,bytes32,bytes32,uint64,address)";

/** As the watcher's language writes a contract's answer: names of its own, bytes as lists, large numbers as floats. */
const REQUEST = JSON.stringify({
  Shares: 12.5e20,
  Amount: 5000,
  FundTokenId: Array(32).fill(7),
  ReferenceID: Array(32).fill(0),
  FundAdminAddr: ADMIN.toLowerCase(),
  DistributorAddr: ADMIN.toLowerCase(),
  CreatedAt: 1_780_000_000,
  RequestType: 1,
  Status: 2,
});
const ON_CHAIN = `{"source":{"contract_function_signature":"getDistributorRequest(bytes32)","block":"latest"},"data":{"distributor_request":${REQUEST}}}`;
const REFERENCE = `{"type":"reference_data","value":{"on_chain":[${ON_CHAIN}],"off_chain":[{"source":{"type":"ISO Standard","identifier":"ISO 4217"},"data":{"currency_id":147,"currency_code":"USD"}}],"requests":[{"type":"payment_request","value":{"e2eId":"${ID}","amount":5000.00}}]}}`;

/** A settlement as the public watcher writes it. */
const FUND = JSON.stringify({
  DtaRequestSettlementAddr: ADMIN.toLowerCase(),
  FundRoundingDecimals: 2,
  FundTokenAddr: ADMIN.toLowerCase(),
  FundTokenDecimals: 18,
  NavAddr: ADMIN.toLowerCase(),
  NavFeedDecimals: 8,
  NavTTL: 3600,
  PaymentInfo: {
    OffChainPaymentCurrency: 147,
    PaymentTokenDestAddr: ADMIN.toLowerCase(),
    PaymentTokenSourceAddr: ADMIN.toLowerCase(),
  },
  PurchaseTokenDecimals: 6,
  PurchaseTokenRoundingDecimals: 2,
  RequestsPerDay: 1,
  TimezoneOffsetSecs: -18_000,
  TokenChainSelector: Number(SELECTOR),
});
const PAYMENT = JSON.stringify({
  amount: 50,
  applicationAddr: ADMIN,
  applicationType: "dta.v2",
  chainId: "11155111",
  currency: "USD",
  customCallback: {
    contractAddress: ADMIN,
    functionName: "completeRequestProcessing",
    functionSignature: "completeRequestProcessing(bytes32,bool,bytes,bool)",
  },
  e2eId: ID,
  expiration: 3_601_780_000_000,
  receiver: ADMIN,
  sender: ADMIN,
});
const FUND_CALL = `{"data":{"enabled":true,"fund_token_data":${FUND}},"source":{"block":"latest","contract_function_signature":"getFundToken(address,bytes32)"}}`;
const CURRENCY = `{"data":{"currency_code":"USD","currency_id":147},"source":{"identifier":"ISO 4217","type":"ISO Standard"}}`;
const SETTLEMENT = `{"type":"reference_data","value":{"off_chain":[${CURRENCY}],"on_chain":[${ON_CHAIN},${FUND_CALL}],"requests":[{"type":"payment_request","value":${PAYMENT}}]}}`;

describe("the events of an extension", () => {
  it("are those that the platform documents, each with its parameters and its meaning", () => {
    const counts = EXTENSIONS.map(({ service, events }) => [service, events.length]);
    should(counts).deepEqual([
      ["dta.v2", 28],
      ["dvp", 6],
    ]);
    for (const { service, events, contracts } of EXTENSIONS) {
      should(new Set(events.map(({ name }) => name)).size).equal(events.length);
      const offered = listEvents(extensionAbi(service) ?? []).map(({ name }) => name);
      for (const { name, emitters, meaning } of events) {
        should(offered).containEql(name);
        should(contracts).have.properties(emitters);
        should(meaning).match(/^[A-Z].*\.$/);
      }
    }
  });

  it("have typed parameters without an ABI: numbers from params, not from the floats in data", () => {
    const event = decoded(
      "dta.v2",
      PROCESSED,
      `{"request_id":"${ID}","shares":"1250000000000000000001","status":3,"error":"0x"}`,
      REFERENCE,
    );
    should(event.params).deepEqual({
      requestId: ID,
      shares: "1250000000000000000001",
      status: "3",
      error: "0x",
    });
    should(event.words).deepEqual({ status: "Processed" });
  });

  it("have the documented parts of data, and name what may be rounded", () => {
    const { reference, data } = decoded("dta.v2", PROCESSED, `{"status":3}`, REFERENCE);
    should(data).have.propertyByPath("value", "on_chain", "0", "data", "distributor_request");
    should(reference?.distributorRequest).deepEqual({
      shares: "1250000000000000000000",
      amount: "5000",
      fundTokenId: `0x${"07".repeat(32)}`,
      referenceID: `0x${"00".repeat(32)}`,
      fundAdminAddr: ADMIN,
      distributorAddr: ADMIN,
      createdAt: "1780000000",
      requestType: "1",
      status: "2",
      words: { status: "Processing", requestType: "Subscription" },
    });
    should(reference?.currency).equal("USD");
    should(reference?.paymentRequests).have.length(1);
    should(reference?.rounded).deepEqual(["distributorRequest.shares"]);
  });

  it("are read to the same value from earlier versions of the local service: bytes as hex, checksummed addresses", () => {
    const bytes = (list: string) =>
      list.replace(/\[((?:\d+,){31}\d+)\]/g, (_, numbers: string) => {
        return `"0x${Buffer.from(numbers.split(",").map(Number)).toString("hex")}"`;
      });
    const earlier = bytes(SETTLEMENT).replaceAll(ADMIN.toLowerCase(), ADMIN);
    should(earlier).containEql(`"FundTokenId":"0x0707`).and.containEql(ADMIN);
    const read = [SETTLEMENT, earlier].map(
      (data) => decoded("dta.v2", PROCESSED, `{"status":3}`, data).reference,
    );
    should(read[0]).deepEqual(read[1]);
    should(read[0]).containDeep({
      distributorRequest: { fundTokenId: `0x${"07".repeat(32)}`, fundAdminAddr: ADMIN },
      fundToken: {
        ...{ enabled: true, fundTokenAddr: ADMIN, navFeedDecimals: "8", timezoneOffsetSecs: "-18000" },
        paymentInfo: { offChainPaymentCurrency: "147", paymentTokenDestAddr: ADMIN },
      },
      currency: "USD",
      paymentRequests: [{ applicationType: "dta.v2", e2eId: ID, amount: 50, chainId: "11155111" }],
      rounded: ["distributorRequest.shares", "fundToken.tokenChainSelector"],
    });
  });

  it("have one name for each spelling of a parameter", () => {
    const settlement = ["actual_d_t_a_request_settlement_addr", "actual_dta_request_settlement_addr"];
    for (const spelling of settlement) {
      const { params } = decoded("dta.v2", WRONG_SETTLEMENT, `{"${spelling}":"${ADMIN.toLowerCase()}"}`);
      should(params).deepEqual({ actualDTARequestSettlementAddr: ADMIN });
    }
    for (const spelling of ["reference_i_d", "reference_id"]) {
      const { params } = decoded("dta.v2", REQUESTED, `{"${spelling}":"${ID}","amount":"7"}`);
      should(params).deepEqual({ referenceID: ID, amount: "7" });
    }
  });

  it("are what conditions compare, with their words", () => {
    const event = decoded(
      "dvp",
      "SettlementOpened(uint256,bytes32)",
      `{"settlement_id":"10","settlement_hash":"${HASH}"}`,
    );
    const conditions = [
      { field: "params.settlementHash", is: "equals", value: HASH.replace(/e/g, "E") },
      { field: "params.settlementId", is: "above", value: "9" },
    ] as const;
    should(matchEvent(conditions, event)).be.true();
    const processed = decoded("dta.v2", PROCESSED, `{"status":5}`);
    should(matchEvent([{ field: "words.status", is: "equals", value: "Failed" }], processed)).be.true();
    should(event.params).deepEqual({ settlementId: "10", settlementHash: HASH });
  });

  it("may be changed by a caller, without effect on another look at the same event", () => {
    const event = eventOf("dta.v2", PROCESSED, `{"status":3}`, REFERENCE);
    const { reference } = decodeEvent(event) as DecodedWatcherEvent;
    const [request] = (reference?.paymentRequests ?? []) as Array<{ e2eId: string }>;
    if (request) request.e2eId = "another";
    const again = decodeEvent(event) as DecodedWatcherEvent;
    should(again.reference?.paymentRequests).containDeep([{ e2eId: ID }]);
    should(again.data).containDeep({ value: { requests: [{ value: { e2eId: ID } }] } });
  });

  it("keep what is not known: another version of an event, another service, a value of another type", () => {
    const older = "SubscriptionRequested(address,bytes32,address,bytes32,uint256,uint40)";
    should(decoded("dta.v2", older, `{"request_id":"${ID}"}`).params).deepEqual({ request_id: ID });
    should(decoded("mine", PROCESSED, `{"status":3}`)).have.properties({ params: { status: 3 } });
    should(decoded("mine", PROCESSED, `{"status":3}`, REFERENCE)).not.have.properties(["words", "reference"]);
    should(decoded("dta.v2", PROCESSED, `{"status":"soon","shares":"1"}`)).have.properties({
      params: { status: "soon", shares: "1" },
    });
    should(decoded("dta.v2", PROCESSED, `{"status":9}`)).not.have.property("words");
    for (const data of [
      `{"type":"reference_data","value":7}`,
      `{"type":"reference_data","value":{"on_chain":[null,{"data":{"distributor_request":{"Shares":"x"}}}]}}`,
    ]) {
      should(decoded("dta.v2", PROCESSED, `{"status":3}`, data)).not.have.property("reference");
    }
  });
});
