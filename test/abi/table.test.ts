import { inspect } from "node:util";
import fc from "fast-check";
import should from "should";
import {
  type Abi,
  decodeFunctionCall,
  decodeFunctionResult,
  encodeFunctionCall,
  encodeValue,
  parseAbi,
  toSmallestUnit,
} from "../../src/abi/index.ts";
import { parseJson } from "../../src/json.ts";
import { sized } from "../support/variants.ts";

const ADDRESS = "0x5b571A50AC6cB524730C8419EBe452703139809A";
const OTHER = "0x00000000000000000000000000000000DeaDBeef";
const HASH = `0x${"01".repeat(32)}`;
const MAX = 2n ** 256n - 1n;
const MIN = -(2n ** 255n);

/** What is taken for a type, and the plain JSON it is given back as. */
type Taken = [type: string, given: unknown, back: unknown];
/** What is refused, at which path, with which words. */
type Refused = [type: string, given: unknown, path: string, message: RegExp, code?: string];

const taken: Taken[] = [
  // Integers: a number, a bigint, decimal text, hex text; blanks around text do not count.
  ["uint8", 0, "0"],
  ["uint8", -0, "0"],
  ["uint8", 255, "255"],
  ["uint8", 255n, "255"],
  ["uint8", "255", "255"],
  ["uint8", "007", "7"],
  ["uint8", "\t255\n", "255"],
  ["uint8", "0xff", "255"],
  ["uint8", "0XFF", "255"],
  ["uint16", "65535", "65535"],
  ["uint64", "18446744073709551615", "18446744073709551615"],
  ["uint128", 2n ** 128n - 1n, String(2n ** 128n - 1n)],
  ["uint256", Number.MAX_SAFE_INTEGER, "9007199254740991"],
  ["uint256", MAX, String(MAX)],
  ["uint256", String(MAX), String(MAX)],
  ["uint256", `0x${MAX.toString(16)}`, String(MAX)],
  ["uint", "1", "1"],
  ["uint256", toSmallestUnit("1.5", 18, "amount"), "1500000000000000000"],
  ["uint256", toSmallestUnit("0.000001", 6, "amount"), "1"],
  ["int8", -128, "-128"],
  ["int8", "-128", "-128"],
  ["int8", 127n, "127"],
  ["int24", "-0", "0"],
  ["int64", "-9223372036854775808", "-9223372036854775808"],
  ["int256", MIN, String(MIN)],
  ["int256", String(MIN), String(MIN)],
  ["int256", "0x10", "16"],
  // Booleans: also as text.
  ["bool", true, true],
  ["bool", false, false],
  ["bool", "true", true],
  ["bool", " False ", false],
  ["bool", "TRUE", true],
  // Addresses: with a right checksum, or in one case.
  ["address", ADDRESS, ADDRESS],
  ["address", ADDRESS.toLowerCase(), ADDRESS],
  ["address", `0x${ADDRESS.slice(2).toUpperCase()}`, ADDRESS],
  ["address", ` ${ADDRESS} `, ADDRESS],
  // Bytes: hex, bytes, a list of numbers, a Buffer that was JSON in between.
  ["bytes4", "0xA9059CBB", "0xa9059cbb"],
  ["bytes32", HASH, HASH],
  ["bytes32", `${HASH}\n`, HASH],
  ["bytes32", Buffer.alloc(32, 1), HASH],
  ["bytes32", new Uint8Array(32).fill(1), HASH],
  ["bytes32", new Array(32).fill(1), HASH],
  ["bytes32", JSON.parse(JSON.stringify(Buffer.alloc(32, 1))), HASH],
  ["bytes", "0x", "0x"],
  ["bytes", "0x0a0B", "0x0a0b"],
  ["bytes", [0, 255], "0x00ff"],
  ["bytes", new Uint8Array(), "0x"],
  // Text: as it is.
  ["string", "", ""],
  ["string", " 21.5 °C ", " 21.5 °C "],
  ["string", "[1, 2]", "[1, 2]"],
  ["string", "0x12", "0x12"],
  ["string", "🌡️", "🌡️"],
  // Arrays: a list, or its JSON text; each item as its type wants it.
  ["uint8[]", [], []],
  ["uint8[]", [1, "2", 3n, "0x4"], ["1", "2", "3", "4"]],
  ["uint8[]", "[1, 2]", ["1", "2"]],
  [
    "uint256[]",
    "[115792089237316195423570985008687907853269984665640564039457584007913129639935]",
    [String(MAX)],
  ],
  ["uint256[]", "[1e21]", ["1000000000000000000000"]],
  ["uint8[3]", [1, 2, 3], ["1", "2", "3"]],
  ["uint8[3]", "[1, 2, 3]", ["1", "2", "3"]],
  ["uint8[][2]", [[], [1]], [[], ["1"]]],
  [
    "uint8[2][]",
    [[1, 2], "[3, 4]"],
    [
      ["1", "2"],
      ["3", "4"],
    ],
  ],
  ["bool[]", ["true", false], [true, false]],
  ["address[]", `["${ADDRESS.toLowerCase()}"]`, [ADDRESS]],
  ["bytes[]", ["0x01", [2]], ["0x01", "0x02"]],
  ["string[]", '["a", "[b]"]', ["a", "[b]"]],
  // Tuples: by name, by position, or as JSON text of either; what has no name goes by its position.
  ["(uint8 a, bool b)", { a: 1, b: true }, { a: "1", b: true }],
  ["(uint8 a, bool b)", { b: "false", a: "1", c: "of no interest" }, { a: "1", b: false }],
  ["(uint8 a, bool b)", [1, true], { a: "1", b: true }],
  ["(uint8 a, bool b)", '{"a": 1, "b": true}', { a: "1", b: true }],
  ["(uint8 a, bool b)", "[1, true]", { a: "1", b: true }],
  ["(uint8, bool)", [1, true], { 0: "1", 1: true }],
  ["(uint8, bool)", { 0: 1, 1: true }, { 0: "1", 1: true }],
  ["(uint8 a)[]", [[1], { a: 2 }, '{"a": 3}'], [{ a: "1" }, { a: "2" }, { a: "3" }]],
  [
    "(uint8 a, (address to, uint256[] amounts)[] lines)",
    { a: 1, lines: [{ to: OTHER, amounts: ["2", "3"] }] },
    { a: "1", lines: [{ to: OTHER, amounts: ["2", "3"] }] },
  ],
  [
    "(uint8 a, (address to, uint256[] amounts)[] lines)",
    `[1, [["${OTHER}", [2]]]]`,
    { a: "1", lines: [{ to: OTHER, amounts: ["2"] }] },
  ],
];

const refused: Refused[] = [
  ["uint8", 256, "v", /fit uint8 \(0 to 255\)/, "INTEGER_OUT_OF_RANGE"],
  ["uint8", -1, "v", /0 to 255/, "INTEGER_OUT_OF_RANGE"],
  ["uint8", "-1", "v", /0 to 255/, "INTEGER_OUT_OF_RANGE"],
  ["uint8", "0x100", "v", /0 to 255/, "INTEGER_OUT_OF_RANGE"],
  ["uint256", MAX + 1n, "v", /fit uint256/, "INTEGER_OUT_OF_RANGE"],
  ["uint256", `1${"0".repeat(400)}`, "v", /fit uint256/, "INTEGER_OUT_OF_RANGE"],
  ["int8", 128, "v", /-128 to 127/, "INTEGER_OUT_OF_RANGE"],
  ["int8", "0xff", "v", /-128 to 127/, "INTEGER_OUT_OF_RANGE"],
  ["int256", MIN - 1n, "v", /fit int256/, "INTEGER_OUT_OF_RANGE"],
  ["uint256", 2 ** 53, "v", /beyond 2\^53.*give it as text/],
  ["uint256", 1e21, "v", /beyond 2\^53/],
  ["uint256", 1.5, "v", /whole number/],
  ["uint256", Number.NaN, "v", /whole number, but NaN is not a number/],
  ["uint256", Number.NEGATIVE_INFINITY, "v", /but -Infinity is not a number/],
  ["uint256", Number.POSITIVE_INFINITY, "v", /whole number/],
  ["uint256", "1.5", "v", /decimal digits or 0x/],
  ["uint256", "1.0", "v", /decimal digits/],
  ["uint256", "1e18", "v", /decimal digits/],
  ["uint256", "1,000", "v", /decimal digits/],
  ["uint256", "1_000", "v", /decimal digits/],
  ["uint256", "+1", "v", /decimal digits/],
  ["uint256", "- 1", "v", /decimal digits/],
  ["uint256", "0x", "v", /decimal digits/],
  ["uint256", "0xfg", "v", /decimal digits/],
  ["uint256", "ff", "v", /decimal digits/],
  ["uint256", "１", "v", /decimal digits/],
  ["uint256", "", "v", /decimal digits/],
  ["uint256", " ", "v", /decimal digits/],
  ["uint256", true, "v", /not a boolean/],
  ["uint256", null, "v", /not null/],
  ["uint256", undefined, "v", /not nothing/],
  ["uint256", [1], "v", /not a list/],
  ["uint256", new Date(), "v", /not an object/],
  ["bool", 1, "v", /true or false/],
  ["bool", 0, "v", /true or false/],
  ["bool", "1", "v", /true or false/],
  ["bool", "yes", "v", /true or false/],
  ["bool", "", "v", /true or false/],
  ["bool", null, "v", /true or false/],
  ["address", "", "v", /40 hex digits/, "INVALID_ADDRESS"],
  ["address", "0x12", "v", /40 hex digits/, "INVALID_ADDRESS"],
  ["address", ADDRESS.slice(2), "v", /40 hex digits/, "INVALID_ADDRESS"],
  ["address", `${ADDRESS}0`, "v", /40 hex digits/, "INVALID_ADDRESS"],
  ["address", "vitalik.eth", "v", /40 hex digits/, "INVALID_ADDRESS"],
  ["address", ADDRESS.replace("b", "B"), "v", /wrong checksum/, "INVALID_ADDRESS"],
  ["address", 7, "v", /not a number/],
  ["address", Buffer.alloc(20), "v", /not an object/],
  ["bytes4", "0x123456", "v", /4 bytes, but has 3/],
  ["bytes4", "0x1234567890", "v", /4 bytes, but has 5/],
  ["bytes32", "hello", "v", /0x and an even number/],
  ["bytes", "0x123", "v", /even number/],
  ["bytes", "0xzz", "v", /hex digits/],
  ["bytes", "1234", "v", /0x/],
  ["bytes", "", "v", /0x/],
  ["bytes", [256], "v", /0 to 255/],
  ["bytes", [1, 256], "v", /0 to 255/],
  ["bytes", [-1], "v", /0 to 255/],
  ["bytes", [1.5], "v", /0 to 255/],
  ["bytes", "[1, 2]", "v", /list of numbers/],
  ["bytes", new Uint16Array(1), "v", /bytes/],
  ["bytes", 7, "v", /bytes/],
  ["string", 21.5, "v", /not a number/],
  ["string", null, "v", /not null/],
  ["string", true, "v", /not a boolean/],
  ["string", { text: "" }, "v", /not an object/],
  ["string", "\ud83c", "v", /half a character/],
  ["uint8[]", 7, "v", /a list for uint8\[\], not a number/],
  ["uint8[]", "7", "v", /not text/],
  ["uint8[]", "[1, ", "v", /not text/],
  ["uint8[]", "", "v", /not empty text/],
  ["uint8[]", { 0: 1 }, "v", /not an object/],
  ["uint8[]", null, "v", /not null/],
  ["uint8[]", [1, 300], "v[1]", /fit uint8/, "INTEGER_OUT_OF_RANGE"],
  ["uint8[]", new Array(2), "v[0]", /not nothing/],
  ["uint8[]", [1, null], "v[1]", /not null/],
  ["uint8[2]", [1], "v", /2 items.*has 1/],
  ["uint8[2]", [1, 2, 3], "v", /2 items.*has 3/],
  ["uint8[][2]", [[1], [2, "x"]], "v[1][1]", /decimal digits/],
  ["uint8[2][]", [[1, 2], [3]], "v[1]", /2 items.*has 1/],
  ["(uint8 a, bool b)", { a: 1 }, "v.b", /missing.*bool/],
  ["(uint8 a, bool b)", { a: 1, B: true }, "v.b", /missing/],
  ["(uint8 a, bool b)", { 0: 1, 1: true }, "v.a", /missing/],
  ["(uint8 a, bool b)", { a: 1, b: undefined }, "v.b", /missing/],
  ["(uint8 a, bool b)", [1], "v", /2 values \(uint8 a, bool b\), but has 1/],
  ["(uint8 a, bool b)", [1, true, 2], "v", /has 3/],
  ["(uint8 a, bool b)", '{"a": 1, "b": 2}', "v.b", /true or false/],
  ["(uint8 a, bool b)", "{a: 1}", "v", /an object or a list, not text/],
  ["(uint8 a, bool b)", 7, "v", /not a number/],
  ["(uint8 a, bool b)", null, "v", /not null/],
  ["(uint8 constructor)", {}, "v.constructor", /missing/],
  ["(uint8, bool)", [1, "maybe"], "v[1]", /true or false/],
  ["(uint8 a)[]", [{ a: 1 }, { a: 256 }], "v[1].a", /fit uint8/, "INTEGER_OUT_OF_RANGE"],
  [
    "(uint8 a, (address to, uint256[] amounts)[] lines)",
    { a: 1, lines: [{ to: OTHER, amounts: ["2", "x"] }] },
    "v.lines[0].amounts[1]",
    /decimal digits/,
  ],
  [
    "(uint8 a, (address to, uint256[] amounts)[] lines)",
    [1, [["0x12", []]]],
    "v.lines[0].to",
    /40 hex digits/,
    "INVALID_ADDRESS",
  ],
];

/** As it reads in a title. */
const shown = (value: unknown): string =>
  inspect(value, { depth: 5, breakLength: Number.POSITIVE_INFINITY, maxArrayLength: 4, maxStringLength: 48 });

const functionOf = (type: string): Abi => parseAbi(`function f(${type} v) returns (${type})`);

describe("a value for", () => {
  for (const [type, given, back] of taken) {
    it(`${type} may be ${shown(given)}`, () => {
      const abi = functionOf(type);
      const { data } = encodeFunctionCall({ abi, function: "f", args: { v: given } });
      should(decodeFunctionCall({ abi, data })?.args).deepEqual({ v: back });
      const result = decodeFunctionResult({ abi, function: "f", data: `0x${data.slice(10)}` });
      should(JSON.parse(JSON.stringify(result))).deepEqual(JSON.parse(JSON.stringify(back)));
    });
  }

  for (const [type, given, path, message, code = "INVALID_ARGUMENT"] of refused) {
    it(`${type} may not be ${shown(given)}: ${code} at ${path}`, () => {
      const abi = functionOf(type);
      const wrong = () => encodeFunctionCall({ abi, function: "f", args: [given], path: "args" });
      const at = `args.${path}`;
      // Nothing at all is missing before it is wrong.
      should(wrong).throw({
        name: "ArgumentError",
        code,
        path: at,
        message: given === undefined ? /missing/ : message,
      });
    });
  }

  for (const type of [
    "uint7",
    "uint264",
    "int0",
    "bytes0",
    "bytes33",
    "tuple",
    "Uint256",
    "fixed8x",
    "fixed7x2",
    "ufixed128x81",
    "function",
    "",
  ]) {
    it(`the type "${type}" is refused: it does not exist, or has no values here`, () => {
      should(() => encodeValue(type, 1, "v")).throw({
        name: "ArgumentError",
        code: "INVALID_ARGUMENT",
        path: "v",
      });
    });
  }
});

describe("no integer is rounded", () => {
  const wholes = fc.oneof(
    fc.record({ type: fc.constant("uint256"), value: fc.bigInt({ min: 0n, max: MAX }) }),
    fc.record({ type: fc.constant("int64"), value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) }),
  );

  it("from JSON to call data and back", () => {
    fc.assert(
      fc.property(wholes, fc.boolean(), ({ type, value }, quoted) => {
        const abi = functionOf(type);
        // As a service, a file or a flow may write it: bare or as text.
        const json = quoted ? `{"v":"${value}"}` : `{ "v": ${value} }`;
        for (const args of [json, parseJson(json) as Record<string, unknown>, [value], [`${value}`]]) {
          const { data } = encodeFunctionCall({ abi, function: "f", args });
          const out = JSON.stringify(decodeFunctionCall({ abi, data })?.args);
          should(out).equal(`{"v":"${value}"}`);
          should(JSON.stringify(parseJson(out))).equal(out);
        }
      }),
      { numRuns: sized(200, 500) },
    );
  });

  it("in an array of JSON text, nor in what a function returns", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: MAX }), { maxLength: 5 }), (values) => {
        const abi = functionOf("uint256[]");
        const { data } = encodeFunctionCall({ abi, function: "f", args: `[[${values}]]` });
        const result = decodeFunctionResult({ abi, function: "f", data: `0x${data.slice(10)}` });
        should(result).deepEqual(values.map(String));
      }),
    );
  });
});
