import should from "should";
import {
  type DecodedWatcherEvent,
  decodeEvent,
  decodeQuery,
  dedupeKey,
  eventKeyOf,
  paramsDigest,
  signedFacts,
} from "../../src/proofs/index.ts";
import type { EventEnvelope, Query } from "../../src/protocol/index.ts";
import { caseNamed, signedEvent } from "./fixtures.ts";

const SELECTOR = "16015286601757825753";
const TX = `0x${"ab".repeat(32)}`;
const CONTRACT = "0x5b571A50AC6cB524730C8419EBe452703139809A";

/** A contract event whose parameters are given as JSON text, so that numbers stay as written. */
function eventWith(params: string, log: object = {}): EventEnvelope {
  const head = JSON.stringify({
    chain_id: "11155111",
    block_number: 6500000,
    block_timestamp: 1780000000,
    confidence: "latest",
    tx_hash: TX,
    address: CONTRACT.toLowerCase(),
    log_index: 3,
    ...log,
  });
  const json = `{"name":"Thing","chain_selector":"${SELECTOR}","chain_event":${head.slice(0, -1)},"params":${params}}}`;
  return signedEvent("watcher.event", json, { watcher_id: "w-1", chain_selector: SELECTOR });
}

function paramsOf(params: string, log?: object, abi?: readonly unknown[]): Record<string, unknown> {
  return (decodeEvent(eventWith(params, log), abi) as DecodedWatcherEvent).params;
}

describe("decodeEvent", () => {
  it("decodes a contract event to plain JSON", () => {
    const decoded = decodeEvent(caseNamed("watcher.event, 3 of 7, v 27/28").event);
    should(decoded).deepEqual({
      name: "Transfer",
      params: {
        from: "0x1437A9435dcAbc78178D567d69E6F6BDE86129f3",
        to: "0xfdbF8320766bdD350c71d2BfF260670Db2a47466",
        value: "1000000000000000000",
      },
      contract: CONTRACT,
      chainSelector: SELECTOR,
      transactionHash: "0x12029ed27f9928c60049d2463f69703ce44956eda9bf6836513bdb8d7442ea53",
      blockNumber: 6500000,
      blockTime: 1780000000,
      logIndex: 3,
      confidence: "finalized",
      watcherId: "5111df5c-0f30-42b1-a8f6-f8a6cca47791",
    });
  });

  it("reads the transaction of an operation under either of its documented names", () => {
    const beside = { status: "confirmed", operation_id: "o", wallet_operation_id: "7", address: CONTRACT };
    const data = { wallet_operation_id: "7", wallet_address: CONTRACT, status: "confirmed" };
    for (const names of [
      { tx_hash: TX },
      { transaction_hash: TX },
      { transaction_hash: null, tx_hash: TX },
    ]) {
      const signed = { service: "_crec", name: "x", data: { ...data, ...names } };
      const event = signedEvent("operation.status", signed, beside) as EventEnvelope;
      should(decodeEvent(event)).have.property("transactionHash", TX);
    }
    const unsigned = signedEvent("operation.status", { data }, { ...beside, tx_hash: TX }) as EventEnvelope;
    should(decodeEvent(unsigned)).not.have.property("transactionHash");
  });

  it("decodes statuses of operations, queries, watchers and wallets", () => {
    should(decodeEvent(caseNamed("operation.status confirmed").event)).deepEqual({
      status: "confirmed",
      reason: "",
      operationId: "9e8aabca-a04c-40e1-a024-58edbf9b0b62",
      walletOperationId: "1735312000",
      wallet: "0x66e1BB813E19adD1B0EF1e2258f8399E7440457e",
      transactionHash: "0x533bc756fae2701574de88185d72fd63976da5de9d417e6371c1ac250234b16e",
    });
    should(decodeEvent(caseNamed("query.status failed").event)).have.properties({
      status: "failed",
      queryId: "34fcb3b0-bcb2-4c77-a3ce-6a265c5bcd25",
      error: { code: "CALL_REVERTED", message: "EVM call reverted.", data: "0x08c379a0" },
    });
    const { event } = caseNamed("watcher.status is never verifiable");
    should(
      decodeEvent({ ...event, payload: { ...event.payload, timestamp: 1_780_000_000 } }),
    ).have.properties({
      status: "active",
      time: 1_780_000_000,
      watcherId: "5111df5c-0f30-42b1-a8f6-f8a6cca47791",
    });
    const wallet = signedEvent("wallet.status", "{}", {
      wallet_id: "w",
      status: "pending",
      status_reason: "",
      address: "",
      chain_selector: SELECTOR,
      timestamp: 1,
    });
    should(decodeEvent(wallet)).deepEqual({
      status: "pending",
      reason: "",
      walletId: "w",
      wallet: "",
      chainSelector: SELECTOR,
      time: 1,
    });
  });

  it("decodes the status of an operation without a signed text", () => {
    const { event } = caseNamed("operation.status confirmed");
    const { verifiable_event: _, ...payload } = event.payload;
    should(decodeEvent({ ...event, payload: { ...payload, status: "accepted" } })).deepEqual({
      status: "accepted",
      reason: "",
      operationId: "9e8aabca-a04c-40e1-a024-58edbf9b0b62",
      walletOperationId: "1735312000",
      wallet: "0x66e1BB813E19adD1B0EF1e2258f8399E7440457e",
    });
  });

  it("removes leading zeros from ids, so that they can be compared", () => {
    const selectorOf = (chain_selector: unknown) =>
      decodeEvent(signedEvent("wallet.status", "{}", { wallet_id: "w", status: "pending", chain_selector }));
    should(selectorOf(`00${SELECTOR}`)).have.property("chainSelector", SELECTOR);
    should(selectorOf("000")).have.property("chainSelector", "0");
    should(selectorOf("100")).have.property("chainSelector", "100");
    should(selectorOf(7)).have.property("chainSelector", "7");
  });

  it("decodes a query like its event", () => {
    const { event } = caseNamed("query.status completed");
    should(decodeQuery(event.payload as unknown as Query)).deepEqual(decodeEvent(event));
    should(decodeEvent(event)).have.properties({
      block: {
        number: "6500000",
        hash: "0xa698c187d612e424d535af5a267241e89bf260ea4f609ca90712ae72e94dd472",
        time: 1780000000,
      },
      result: "0x00000000000000000000000000000000000000000000000000000000000003e8",
    });
  });

  it("marks a network that is not signed", () => {
    const decoded = (signed: object, chain_selector: string = SELECTOR) =>
      decodeEvent(
        signedEvent("watcher.event", { name: "Thing", ...signed }, { watcher_id: "w", chain_selector }),
      );
    const log = { chain_id: "424242", address: CONTRACT };
    should(decoded({ chain_event: log })).have.properties({
      chainSelector: SELECTOR,
      chainSelectorUnsigned: true,
    });
    should(decoded({ service: "settlement" })).have.property("chainSelectorUnsigned", true);
    for (const signed of [
      { chain_selector: SELECTOR, chain_event: log },
      { chain_event: { ...log, chain_id: "11155111" } },
    ]) {
      should(decoded(signed, "1")).have.property("chainSelector", SELECTOR);
      should(decoded(signed, "1")).not.have.property("chainSelectorUnsigned");
    }
  });

  it("prefers signed values to unsigned ones", () => {
    const { event } = caseNamed("operation.status says confirmed, signed confirmed_latest");
    should(decodeEvent(event)).have.property("status", "confirmed_latest");
  });

  it("returns the payload of an event of an unknown type", () => {
    const event = signedEvent("something.new", "{}", { a: 1 });
    should(decodeEvent(event)).equal(event.payload);
  });

  it("never rounds an integer", () => {
    should(
      paramsOf(
        '{"a":18446744073709551615,"b":[9007199254740993,1],"c":9007199254740991,"d":-9007199254740993}',
      ),
    ).deepEqual({
      a: "18446744073709551615",
      b: ["9007199254740993", 1],
      c: 9007199254740991,
      d: "-9007199254740993",
    });
    should(paramsOf('{"a":1.2e+21,"b":600.000000,"c":1.8446744073709551615e19,"d":0.5}')).deepEqual({
      a: "1200000000000000000000",
      b: 600,
      c: "18446744073709551615",
      d: 0.5,
    });
    const decoded = decodeEvent(eventWith("{}", { block_number: 1e15 + 1 })) as DecodedWatcherEvent;
    should(decoded.blockNumber).equal(1000000000000001);
  });

  it("throws MALFORMED_EVENT for what cannot be read", () => {
    const good = caseNamed("watcher.event, all 7").event;
    const bad: unknown[] = [
      undefined,
      {},
      { ...good, payload: 7 },
      { ...good, payload: {} },
      { ...good, payload: { ...good.payload, verifiable_event: "e30" } },
      { ...good, payload: { ...good.payload, watcher_id: 7 } },
      eventWith("7"),
      eventWith("{}", { block_number: "soon" }),
      eventWith("{}", { log_index: 1.5 }),
    ];
    for (const event of bad) {
      should(() => decodeEvent(event as EventEnvelope)).throw({ code: "MALFORMED_EVENT" });
    }
  });
});

describe("decodeEvent with an ABI", () => {
  const abi = [
    {
      type: "event",
      name: "Thing",
      inputs: [
        { name: "fundTokenId", type: "uint256", indexed: true },
        { name: "who", type: "address", indexed: true },
        { name: "note", type: "string", indexed: true },
        { name: "small", type: "uint8" },
        { name: "big", type: "uint64" },
        { name: "keys", type: "bytes32[]" },
        {
          name: "pair",
          type: "tuple",
          components: [
            { name: "isOn", type: "bool" },
            { name: "tokenID", type: "int16" },
          ],
        },
        { name: "", type: "bytes4" },
      ],
    },
  ];
  const log = {
    event_signature: "Thing(uint256,address,string,uint8,uint64,bytes32[],(bool,int16),bytes4)",
  };
  const params = {
    fund_token_id: "115792089237316195423570985008687907853269984665640564039457584007913129639935",
    who: CONTRACT.toLowerCase(),
    note: TX,
    small: 60,
    keys: [new Array(32).fill(1)],
    pair: { is_on: true, token_id: -3 },
    arg7: "0xDEADBEEF",
    surprise: 1,
  };

  it("uses the ABI's names, decimal text, hex and checksums", () => {
    const json = JSON.stringify(params).replace("60,", '60.000000,"big":18446744073709551615,');
    should(paramsOf(json, log, abi)).deepEqual({
      fundTokenId: params.fund_token_id,
      who: CONTRACT,
      note: TX,
      small: "60",
      big: "18446744073709551615",
      keys: [`0x${"01".repeat(32)}`],
      pair: { isOn: true, tokenID: "-3" },
      arg7: "0xdeadbeef",
      surprise: 1,
    });
  });

  it("reads values written as text or in another case", () => {
    const flags = [
      { type: "event", name: "Flags", inputs: ["on", "off", "set"].map((name) => ({ name, type: "bool" })) },
    ];
    const signed = { event_signature: "Flags(bool,bool,bool)" };
    should(paramsOf('{"ON":"true","o_ff":"false","set":true}', signed, flags)).deepEqual({
      on: true,
      off: false,
      set: true,
    });
    should(() => paramsOf('{"on":"yes"}', signed, flags)).throw({
      message: /params\.on is not of type bool/,
    });
  });

  it("leaves an event that the ABI does not have unchanged", () => {
    should(paramsOf('{"some_name":1}', { event_signature: "Other(uint256)" }, abi)).deepEqual({
      some_name: 1,
    });
  });

  it("says where the signed text has one value for several parameters, and gives it to none", () => {
    const inputs = ["tokenId", "token_id", "to"].map((name) => ({ name, type: "uint256" }));
    const twice = [{ type: "event", name: "Sent", inputs }];
    const signed = { event_signature: "Sent(uint256,uint256,uint256)" };
    const decoded = decodeEvent(eventWith('{"token_id":"5","to":"6"}', signed), twice);
    should(decoded).have.properties({ params: { to: "6" }, lost: ["token_id"] });
    should(decodeEvent(eventWith('{"arg0":"5","arg1":"7","to":"6"}', signed), twice))
      .have.properties({ params: { tokenId: "5", token_id: "7", to: "6" } })
      .and.not.have.property("lost");
  });

  it("does not choose between two events that fit", () => {
    const [one, other] = [true, false].map((indexed) => ({
      ...{ type: "event", name: "Set", inputs: [{ name: "v", type: "uint8[]", indexed }] },
    }));
    const signed = { event_signature: "Set(uint8[])" };
    should(() => paramsOf(`{"v":"${TX}"}`, signed, [one, other])).throw({ code: "ABI_AMBIGUOUS" });
    should(paramsOf('{"v":"0x07"}', signed, [one, other])).deepEqual({ v: ["7"] });
  });

  it("names the parameter that does not fit the ABI's type", () => {
    for (const [name, value] of [
      ["small", "abc"],
      ["small", 1.5],
      ["who", "0x12"],
      ["keys", "0x"],
      ["keys", ["0xzz", 7]],
      ["pair", null],
    ]) {
      const json = JSON.stringify({ ...params, [String(name)]: value });
      should(() => paramsOf(json, log, abi)).throw({
        code: "MALFORMED_EVENT",
        message: RegExp(`params.${name}`),
      });
    }
  });

  it("says when the ABI itself is wrong", () => {
    should(() => paramsOf("{}", log, [{ type: "event" }])).throw({ code: "ABI_INVALID" });
  });

  it("keeps a parameter named __proto__ as a parameter", () => {
    const decoded = paramsOf('{"__proto__":{"polluted":1}}', log, abi);
    should(Object.keys(decoded)).deepEqual(["__proto__"]);
    should((decoded as { polluted?: unknown }).polluted).be.undefined();
  });
});

describe("dedupeKey", () => {
  it("is the same under another event id, offset or watcher", () => {
    const { event } = caseNamed("watcher.event, all 7");
    const again = structuredClone(event);
    again.event_id = "00000000-0000-4000-8000-000000000000";
    again.headers.offset = 9999;
    again.payload.watcher_id = "00000000-0000-4000-8000-000000000000";
    should(dedupeKey(again)).equal(dedupeKey(event));
  });

  it("names chain, transaction, log and confidence of a contract event", () => {
    should(dedupeKey(eventWith("{}"))).equal(`${SELECTOR}:${TX}:3:latest`);
    should(dedupeKey(eventWith('{"a":1}'))).equal(dedupeKey(eventWith("{}")));
    should(dedupeKey(eventWith("{}", { confidence: "finalized" }))).not.equal(dedupeKey(eventWith("{}")));
    should(dedupeKey(eventWith("{}", { log_index: 4 }))).not.equal(dedupeKey(eventWith("{}")));
  });

  it("without its confidence is the same at each level, and for anything else it stays as it is", () => {
    for (const confidence of ["latest", "finalized", ""]) {
      should(eventKeyOf(dedupeKey(eventWith("{}", { confidence })))).equal(`${SELECTOR}:${TX}:3`);
    }
    should(eventKeyOf(`${SELECTOR}:0x${TX.slice(2).toUpperCase()}:3:Safe`)).equal(`${SELECTOR}:${TX}:3`);
    for (const key of [TX, "Mine:1:2:latest", `${SELECTOR}:${TX}:x:latest`]) {
      should(eventKeyOf(key)).equal(key);
    }
  });

  it("is the same however the hash and the confidence are written", () => {
    const upper = { tx_hash: `0x${TX.slice(2).toUpperCase()}`, confidence: "Latest" };
    should(dedupeKey(eventWith("{}", upper))).equal(dedupeKey(eventWith("{}")));
  });

  it("is the same with the chain's selector, with its id, and with both", () => {
    const keyOf = (selector: unknown, chain_id: unknown) => {
      const chain_event = { chain_id, tx_hash: TX, log_index: 3, confidence: "latest" };
      const signed = { name: "Thing", chain_selector: selector, chain_event };
      return dedupeKey(signedEvent("watcher.event", signed, { chain_selector: SELECTOR }));
    };
    for (const [selector, id] of [
      [SELECTOR, undefined],
      [undefined, "11155111"],
      [`00${SELECTOR}`, 11155111],
      [undefined, "0xaa36a7"],
    ]) {
      should(keyOf(selector, id)).equal(keyOf(SELECTOR, "11155111"));
    }
    should(keyOf(undefined, "424242")).equal(keyOf("4242", "424242"));
    should(keyOf("4243", undefined)).not.equal(keyOf(undefined, "424242"));
    should(keyOf(undefined, "424243")).not.equal(keyOf(undefined, "424242"));
    should(keyOf(undefined, undefined)).match(/^0x[0-9a-f]{64}$/);
  });

  it("is the same however the log's index is written", () => {
    const keyOf = (log_index: unknown) => dedupeKey(eventWith("{}", { log_index }));
    for (const index of ["3", "03", "0x3", "0x03", "0x00000003", "000003"]) {
      should(keyOf(index)).equal(keyOf(3));
      should(decodeEvent(eventWith("{}", { log_index: index }))).have.property("logIndex");
    }
    should(keyOf("0x1f")).equal(keyOf(31));
    should(keyOf("0x20000000000000")).equal(keyOf("9007199254740992"));
    for (const none of ["0X3", "3 ", "-3", "", "0x", "3.5", null])
      should(keyOf(none)).match(/^0x[0-9a-f]{64}$/);
  });

  it("is the hash of the signed text for all other events", () => {
    const keys = ["operation.status confirmed", "operation.status confirmed_safe", "query.status failed"].map(
      (name) => dedupeKey(caseNamed(name).event),
    );
    for (const key of keys) should(key).match(/^0x[0-9a-f]{64}$/);
    should(new Set(keys).size).equal(3);
    should(dedupeKey(eventWith("{}", { tx_hash: "0x:1:2" }))).match(/^0x[0-9a-f]{64}$/);
  });

  it("never reads a field that is not signed for events of this type", () => {
    const { event } = caseNamed("query.status completed");
    const other = caseNamed("watcher.event, all 7").event.payload.verifiable_event;
    const planted = { ...event, payload: { ...event.payload, verifiable_event: other } };
    should(dedupeKey(planted)).equal(dedupeKey(event));
    should(signedFacts(planted)).deepEqual(signedFacts(event));
    should(decodeEvent(planted)).deepEqual(decodeEvent(event));
  });

  it("reads the type beside the headers too, where older events have it", () => {
    const { event } = caseNamed("query.status completed");
    const { type, ...headers } = event.headers;
    const older = { ...event, type, headers } as unknown as EventEnvelope;
    should(dedupeKey(older)).equal(dedupeKey(event));
    should(signedFacts(older)).deepEqual(signedFacts(event));
  });

  it("throws for an event without a signed text", () => {
    should(() => dedupeKey(caseNamed("watcher.status is never verifiable").event)).throw({
      code: "MALFORMED_EVENT",
    });
  });
});

describe("paramsDigest", () => {
  const digestOf = (params: string, log?: object) => paramsDigest(eventWith(params, log));
  const transfer = '{"from":"0xaB","to":"0xcd","value":"5"}';

  it("is the same however the parameters are written, at each confidence, and under another event id", () => {
    for (const same of ['{"value":5,"to":"0xCD","from":"0xab"}', '{"to":"0xcd","value":"5","from":"0xAB"}']) {
      should(digestOf(same)).equal(digestOf(transfer));
    }
    should(digestOf(transfer, { confidence: "finalized", log_index: 9 })).equal(digestOf(transfer));
    should(digestOf('{"a":1e30}')).equal(digestOf(`{"a":"1${"0".repeat(30)}"}`));
  });

  it("is another one for other names, values, nesting or numbers, and nothing that is no object", () => {
    const texts = [
      ...[transfer, '{"to":"0xab","from":"0xcd","value":"5"}', '{"from":"0xab","to":"0xcd","amount":"5"}'],
      ...['{"from":"0xab","to":"0xcd","value":"6"}', '{"from":"0xab","to":"0xcd"}', "{}", '{"a":[1,2]}'],
      ...['{"a":[2,1]}', '{"a":["1,2"]}', '{"a":{"b":1}}', '{"a":{"named":[["b","1"]]}}', '{"a":true}'],
      ...['{"a":"true"}', '{"a":null}', '{"a":"null"}', '{"__proto__":{"b":1}}', '{"a":9007199254740993}'],
      ...['{"a":9007199254740992}', '{"a":""}', '{"a":"Text"}', '{"a":"text"}'],
    ];
    should(new Set(texts.map((text) => digestOf(text))).size).equal(texts.length);
    for (const none of ["null", "[]", '"text"', "1"]) should(digestOf(none)).be.undefined();
  });

  it("is undefined for what is not a contract's event", () => {
    const { event } = caseNamed("operation.status confirmed");
    should(paramsDigest(event)).be.undefined();
    should(paramsDigest({ headers: { type: "watcher.event" } } as unknown as EventEnvelope)).be.undefined();
  });
});
