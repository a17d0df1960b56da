import fc from "fast-check";
import * as Hash from "ox/Hash";
import should from "should";
import {
  type AbiParameter,
  encodeValue,
  eventFragments,
  eventLog,
  parseAbi,
  signatureHash,
} from "../../src/abi/index.ts";
import {
  createVerifier,
  decodeEvent,
  decodeQuery,
  PUBLIC_VERIFICATION,
  signedFacts,
  verifyEvent,
} from "../../src/index.ts";
import { fakeChannel } from "../../src/testing/index.ts";

const TRANSFER = "event Transfer(address indexed from, address indexed to, uint256 value)";
const [FROM, TO] = [
  "0x5b571A50AC6cB524730C8419EBe452703139809A",
  "0x00000000000000000000000000000000DeaDBeef",
];

describe("a fake channel", () => {
  const abi = parseAbi(`${TRANSFER}
    event Paused()
    event Paused(address by)`);
  const transfer = { from: FROM, to: TO, value: "12345678901234567890" };

  it("has contract events that verify, and decode to the values that they were given", async () => {
    const fake = fakeChannel({ abi, chainSelector: "16015286601757825753" });
    const event = fake.event("Transfer", transfer, { confidence: "safe", blockNumber: 7, logIndex: 2 });
    const verifier = createVerifier(fake.verification);
    should(await verifier.verify(event)).match({
      verified: true,
      signers: fake.verification.validSigners.slice(1, 3),
    });
    should(decodeEvent(event, abi)).match({
      ...{ name: "Transfer", params: transfer, contract: fake.contract, chainSelector: fake.chainSelector },
      ...{ confidence: "safe", blockNumber: 7, logIndex: 2 },
    });
    should(signedFacts(event)).match({ contract: fake.contract, chainSelector: fake.chainSelector });
    const next = fake.event("Paused(address)", [FROM]);
    should(decodeEvent(next, abi)).match({ params: { by: FROM }, blockNumber: 8, confidence: "finalized" });
    should((await verifier.verify(next)).verified).be.true();
  });

  it("is trusted by nobody else, and does not outlive a change", async () => {
    const [one, other] = [fakeChannel({ abi }), fakeChannel({ abi })];
    const event = one.event("Transfer", transfer);
    const signers = new Set([one, other].flatMap(({ verification }) => verification.validSigners));
    should(signers.size).equal(8);
    for (const config of [
      { ...other.verification, orgId: one.verification.orgId },
      { ...PUBLIC_VERIFICATION, orgId: one.verification.orgId },
    ]) {
      should(await verifyEvent(event, config)).match({ verified: false, reason: "threshold_not_met" });
    }
    const forged = { ...event, payload: { ...event.payload, chain_selector: "1" } };
    const result = await verifyEvent(forged, one.verification);
    should(result).match({ verified: false, reason: "unsigned_field_mismatch" });
  });

  it("has statuses of operations, and answers to queries, signed where those of the service are", async () => {
    const fake = fakeChannel({ abi: [] });
    const verifier = createVerifier({ ...fake.verification, channelId: fake.channelId });
    const operation = { wallet: FROM, walletOperationId: "7" };
    const done = fake.operation("confirmed", operation);
    should((await verifier.verify(done)).verified).be.true();
    should(decodeEvent(done)).match({ status: "confirmed", wallet: FROM, walletOperationId: "7" });
    const failed = fake.operation("failed", { ...operation, reason: "too hot" });
    should(await verifier.verify(failed)).match({ reason: "not_verifiable" });
    should(decodeEvent(failed)).match({ status: "failed", reason: "too hot" });

    const params = { contract_address: TO, call_data: "0x01", block_selection: { type: "latest" as const } };
    const returned = encodeValue("uint256", 18, "count");
    const query = fake.query(params, { returned });
    const requested = { queryId: query.query_id, chainSelector: fake.chainSelector, params };
    should((await verifier.verifyQuery(query, { requested })).verified).be.true();
    should(decodeQuery(query)).match({ status: "completed", result: returned });
    const refused = fake.query(params, { error: { code: "CALL_REVERTED", message: "paused" } });
    should((await verifier.verifyQuery(refused)).verified).be.true();
    should(decodeQuery(refused)).match({ status: "failed", error: { code: "CALL_REVERTED" } });
    for (const event of fake.events.slice(2)) should((await verifier.verify(event)).verified).be.true();
  });

  it("refuses what no contract and no service sends, by name", () => {
    const fake = fakeChannel({ abi });
    const refusals: Array<[() => unknown, string]> = [
      [() => fake.event("Transfer", { ...transfer, to: "me" }), "params.to"],
      [() => fake.event("Transfer", { from: FROM, to: TO }), "params.value"],
      [() => fake.event("Paused"), "name"],
      [() => fake.event("Resumed"), "name"],
      [() => fake.event("Transfer", transfer, { confidence: "sure" as "safe" }), "confidence"],
      [() => fake.operation("done" as "failed", { wallet: FROM, walletOperationId: "7" }), "status"],
      [() => fake.operation("sent", { wallet: FROM, walletOperationId: "0x7" }), "walletOperationId"],
      [() => fakeChannel({ abi, contract: "0x" }), "contract"],
      [() => fakeChannel({ abi, chainSelector: "1" }), "chainId"],
    ];
    for (const details of [
      ...[{ blockNumber: Number.NaN }, { blockNumber: -1 }, { logIndex: 1.5 }, { transactionHash: "0x12" }],
      // Of milliseconds, which are a date of the year 58000.
      ...[{ blockTime: Date.now() }, { blockTime: 0.5 }],
    ])
      refusals.push([() => fake.event("Transfer", transfer, details), Object.keys(details).join()]);
    const call = { contract_address: FROM, call_data: "0x", block_selection: { type: "latest" } } as const;
    refusals.push([() => fake.query(call, { returned: "5" }), "returned"]);
    refusals.push([() => fake.query(call, { returned: "0x" }, { blockNumber: 0.5 }), "blockNumber"]);
    for (const [refused, path] of refusals) should(refused).throw({ path });
    should(fake.events).be.empty();
  });

  it("is polled in pages, as the service has them", () => {
    const fake = fakeChannel({ abi });
    for (let value = 1; value <= 5; value += 1) fake.event("Transfer", { ...transfer, value });
    fake.operation("sent", { wallet: FROM, walletOperationId: "7" });
    const offsets = (path?: string) => {
      const { events, has_more } = fake.page(path);
      return [events.map(({ headers }) => headers.offset), has_more];
    };
    should(offsets()).deepEqual([[6, 5, 4, 3, 2, 1], false]);
    should(offsets("/v1/channels/a/events?limit=2")).deepEqual([[6, 5], true]);
    should(offsets("?offset=3&limit=3")).deepEqual([[3, 4, 5], true]);
    should(offsets("?offset=4&limit=3")).deepEqual([[4, 5, 6], false]);
    should(offsets("?offset=7")).deepEqual([[], false]);
    should(offsets("?type=operation.status")).deepEqual([[6], false]);
    fake.events.splice(1, 3);
    should(offsets("?offset=0&limit=1000")).deepEqual([[1, 5, 6], false]);
  });
});

/** A type that an event may have, with a value and whether it is a topic. */
const parameter = fc.tuple(
  fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((value) => ["uint256", String(value)] as const),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => ["int64", String(value)] as const),
    fc.boolean().map((value) => ["bool", value] as const),
    fc.constantFrom(FROM, TO).map((value) => ["address", value] as const),
    hex(4).map((value) => ["bytes4", value] as const),
    fc.array(fc.nat(2 ** 32 - 1).map(String)).map((value) => ["uint32[]", value] as const),
    fc.constantFrom("", "müde 🙂", 'a"b').map((value) => ["string", value] as const),
  ),
  fc.boolean(),
);

function hex(bytes: number): fc.Arbitrary<string> {
  return fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((value) => `0x${Buffer.from(value).toString("hex")}`);
}

describe("the log of an event", () => {
  it("is decoded to what was given, for any event", () => {
    fc.assert(
      fc.property(fc.array(parameter, { maxLength: 6 }), fc.boolean(), (parameters, anonymous) => {
        let topics = anonymous ? 4 : 3;
        const inputs: AbiParameter[] = parameters.map(([[type], indexed], index) => {
          const isTopic = indexed && topics > 0;
          if (isTopic) topics -= 1;
          return { name: `value${index}`, type, indexed: isTopic };
        });
        const abi = [{ type: "event" as const, name: "E", anonymous, inputs }];
        const given = Object.fromEntries(parameters.map(([[, value]], index) => [`value${index}`, value]));
        const { params } = decodeEvent(fakeChannel({ abi }).event("E", given), abi);
        for (const { name, type, indexed } of inputs) {
          const isHash = indexed && /string|\[/.test(type);
          if (isHash) should(params[name]).match(/^0x[0-9a-f]{64}$/);
          else should(params[name]).deepEqual(given[name]);
        }
      }),
      { numRuns: 50 },
    );
  });

  const hashOf = (digits: string) => Hash.keccak256(`0x${digits}`);
  const word = (value: number) => value.toString(16).padStart(64, "0");
  const logOf = (text: string, values: readonly unknown[]) => {
    const [fragment] = eventFragments(parseAbi(text), ["E"]);
    if (fragment === undefined) throw new Error("no event");
    return eventLog(fragment, values, "values");
  };

  it("has values in topics as they are, and the hash of what may not fit one", () => {
    const { topics, data } = logOf("event E(int8 indexed a, string indexed b, bytes indexed c, bytes2 d)", [
      -1,
      "abc",
      "0x0102",
      "0xabcd",
    ]);
    should(topics.slice(1)).deepEqual([`0x${"f".repeat(64)}`, signatureHash("abc"), hashOf("0102")]);
    should(data).equal(`0xabcd${"0".repeat(60)}`);
    const nested = logOf(
      "event E(uint8[] indexed a, (string b, uint16[2] c) indexed d, string[] indexed e) anonymous",
      [[1, 2], ["abc", [3, 4]], []],
    );
    should(nested).deepEqual({
      topics: [
        hashOf(word(1) + word(2)),
        hashOf(Buffer.from("abc").toString("hex").padEnd(64, "0") + word(3) + word(4)),
        hashOf(""),
      ],
      data: "0x",
    });
  });
});
