import should from "should";
import { encodeAbiParameters, type Hex, keccak256 } from "viem";
import {
  type AbiEvent,
  type AbiParameter,
  eventValues,
  logParams,
  signatureHash,
  signatureOf,
} from "../../src/abi/index.ts";
import { parseJson } from "../../src/json.ts";

/** A parameter, its value on the chain, how the public workflow writes it, and what flows get, where that is another. */
type Row = { of: Omit<AbiParameter, "name"> | string; value: unknown; wire: string; read?: unknown };

const ADDRESS = "0x00000000000000000000000000000000000000B8";
const HASH = `0x${"5a".repeat(32)}`;
const BASE64_OF_32 = Buffer.from("5a".repeat(32), "hex").toString("base64");
const BASE64_OF_20 = Buffer.from("5a".repeat(20), "hex").toString("base64");
const PAIR = [
  { name: "tokenID", type: "uint256" },
  { name: "who", type: "address" },
  { name: "raw", type: "bytes" },
];

const NOT_INDEXED: Row[] = [
  { of: "uint8", value: 255, wire: "255", read: "255" },
  { of: "int16", value: -5, wire: "-5", read: "-5" },
  { of: "uint32", value: 7, wire: "7", read: "7" },
  { of: "uint64", value: 2n ** 64n - 1n, wire: "18446744073709551615", read: "18446744073709551615" },
  { of: "int64", value: -(2n ** 63n), wire: "-9223372036854775808", read: "-9223372036854775808" },
  { of: "uint24", value: 7, wire: '"7"', read: "7" },
  { of: "int40", value: -7, wire: '"-7"', read: "-7" },
  { of: "uint256", value: 2n ** 255n, wire: `"${2n ** 255n}"`, read: String(2n ** 255n) },
  { of: "bool", value: true, wire: "true", read: true },
  { of: "string", value: "hällo", wire: '"hällo"', read: "hällo" },
  { of: "string", value: BASE64_OF_20, wire: `"0x${"5a".repeat(20)}"`, read: `0x${"5a".repeat(20)}` },
  { of: "string", value: BASE64_OF_32, wire: `"${HASH}"`, read: HASH },
  { of: "string", value: "q80=", wire: '"q80="', read: "q80=" },
  { of: "address", value: ADDRESS, wire: `"${ADDRESS}"`, read: ADDRESS },
  { of: "bytes", value: "0xabcd", wire: '"0xabcd"', read: "0xabcd" },
  { of: "bytes", value: "0x", wire: '"0x"', read: "0x" },
  { of: "bytes4", value: "0x12345678", wire: '"0x12345678"', read: "0x12345678" },
  { of: "uint8[]", value: [1, 255], wire: '"0x01ff"', read: ["1", "255"] },
  { of: "uint8[]", value: [], wire: '"0x"', read: [] },
  { of: "uint8[3]", value: [1, 2, 3], wire: '"0x010203"', read: ["1", "2", "3"] },
  { of: "int8[]", value: [-1], wire: "[-1]", read: ["-1"] },
  { of: "uint256[]", value: [1n, 2n ** 200n], wire: `[1,${2n ** 200n}]`, read: ["1", String(2n ** 200n)] },
  { of: "uint16[2][]", value: [[1, 2]], wire: "[[1,2]]", read: [["1", "2"]] },
  { of: "address[]", value: [ADDRESS], wire: `["${ADDRESS.toLowerCase()}"]`, read: [ADDRESS] },
  { of: "bool[]", value: [true, false], wire: "[true,false]", read: [true, false] },
  { of: "string[]", value: ["a", BASE64_OF_20], wire: `["a","${BASE64_OF_20}"]`, read: ["a", BASE64_OF_20] },
  { of: "bytes2[]", value: ["0xabcd"], wire: "[[171,205]]", read: ["0xabcd"] },
  { of: "bytes[]", value: ["0xabcd", "0x"], wire: '["q80=",""]', read: ["0xabcd", "0x"] },
  // Base64 that looks like hex.
  { of: "bytes[]", value: ["0xd31d76"], wire: '["0x12"]', read: ["0xd31d76"] },
  { of: "uint8[][]", value: [[171, 205]], wire: '["q80="]', read: [["171", "205"]] },
  { of: "uint8[2][]", value: [[171, 205]], wire: "[[171,205]]", read: [["171", "205"]] },
  {
    of: { type: "tuple", components: PAIR },
    value: { tokenID: 2n ** 100n, who: ADDRESS, raw: "0xabcd" },
    wire: `{"tokenID":${2n ** 100n},"who":"${ADDRESS.toLowerCase()}","raw":"q80="}`,
    read: { tokenID: String(2n ** 100n), who: ADDRESS, raw: "0xabcd" },
  },
  {
    of: { type: "tuple[]", components: PAIR.slice(0, 1) },
    value: [{ tokenID: 1n }],
    wire: '[{"tokenID":1}]',
    read: [{ tokenID: "1" }],
  },
];

const INDEXED: Array<Row & { topic: Hex }> = [
  { of: "int256", value: -5, topic: word(-5n), wire: `"${2n ** 256n - 5n}"`, read: "-5" },
  { of: "int8", value: -5, topic: word(-5n), wire: `"${2n ** 256n - 5n}"`, read: "-5" },
  { of: "uint8", value: 5, topic: word(5n), wire: '"5"', read: "5" },
  { of: "bool", value: true, topic: word(1n), wire: "true", read: true },
  { of: "address", value: ADDRESS, topic: word(BigInt(ADDRESS)), wire: `"${ADDRESS}"`, read: ADDRESS },
  {
    of: "bytes4",
    value: "0x12345678",
    topic: `0x12345678${"0".repeat(56)}`,
    wire: `"0x12345678${"0".repeat(56)}"`,
    read: "0x12345678",
  },
  ...["string", "bytes", "uint8[]", "uint256[2]"].map((of) => {
    const topic = keccak256("0xabcd");
    return { of, value: undefined, topic, wire: `"${topic}"`, read: topic };
  }),
];

function word(value: bigint): Hex {
  return `0x${BigInt.asUintN(256, value).toString(16).padStart(64, "0")}`;
}

function eventOf(of: Row["of"], indexed: boolean): AbiEvent {
  const parameter = typeof of === "string" ? { type: of } : of;
  return {
    type: "event",
    name: "E",
    anonymous: false,
    inputs: [{ name: "someValue", ...parameter, indexed }],
  };
}

/** What flows get of what was written. */
function readBack(event: AbiEvent, wire: string): unknown {
  const params = parseJson(`{"some_value":${wire}}`) as Record<string, unknown>;
  return eventValues([event], { topic_hash: signatureHash(signatureOf(event)) }, params)?.params.someValue;
}

function titleOf({ of, value }: Row): string {
  const type = typeof of === "string" ? of : of.type;
  return `${type} ${JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part)) ?? ""}`.trim();
}

describe("the encoding of an event's parameters", () => {
  for (const row of NOT_INDEXED) {
    it(`writes and reads ${titleOf(row)}`, () => {
      const event = eventOf(row.of, false);
      const log = {
        topics: [signatureHash(signatureOf(event))],
        data: encodeAbiParameters(event.inputs as never, [row.value] as never),
      };
      should(JSON.stringify(logParams(event, log))).equal(`{"some_value":${row.wire}}`);
      should(readBack(event, row.wire)).deepEqual(row.read);
    });
  }

  for (const row of INDEXED) {
    it(`writes and reads ${titleOf(row)}, indexed`, () => {
      const event = eventOf(row.of, true);
      const log = { topics: [signatureHash(signatureOf(event)), row.topic], data: "0x" };
      should(JSON.stringify(logParams(event, log))).equal(`{"some_value":${row.wire}}`);
      should(readBack(event, row.wire)).deepEqual(row.read);
    });
  }

  it("reads numbers as the public workflow may write them", () => {
    const event = eventOf("uint64", false);
    should(readBack(event, "1.2e+18")).equal("1200000000000000000");
    should(readBack(event, "600.000000")).equal("600");
    should(readBack(event, '"600"')).equal("600");
    const list = eventOf("uint256[]", false);
    should(readBack(list, "[1.2e+21]")).deepEqual(["1200000000000000000000"]);
    should(readBack(list, "null")).deepEqual([]);
  });

  it("refuses an indexed value that its type cannot hold, in both directions", () => {
    for (const [of, topic] of [
      ["int8", word(-200n)],
      ["uint8", word(256n)],
      ["bytes4", `0x12345678${"0".repeat(55)}1`],
      ["bool", word(2n)],
    ] as const) {
      const event = eventOf(of, true);
      const log = { topics: [signatureHash(signatureOf(event)), topic], data: "0x" };
      should(() => logParams(event, log)).throw({ code: "LOG_MISMATCH" });
      const wire = of === "bytes4" ? `"${topic}"` : `"${BigInt(topic)}"`;
      should(() => readBack(event, wire)).throw({ code: "MALFORMED_EVENT" });
    }
  });
});
