import fc from "fast-check";
import should from "should";
import { integerDigits, type JsonValue, parseJson } from "../src/json.ts";

describe("parseJson", () => {
  it("gives integers beyond 2^53 as decimal text, wherever they stand", () => {
    const text = '{"a":9007199254740993,"b":[-12345678901234567890, 7],"c":"9007199254740993","d":1.2e+21}';
    should(parseJson(text)).deepEqual({
      a: "9007199254740993",
      b: ["-12345678901234567890", 7],
      c: "9007199254740993",
      d: "1200000000000000000000",
    });
    should(parseJson("12345678901234567890")).equal("12345678901234567890");
  });

  it("leaves numbers alone that a double holds", () => {
    const numbers = { a: 9007199254740991, b: 1234567890123456.5, c: 1e-7 };
    should(parseJson(JSON.stringify(numbers))).deepEqual(numbers);
  });

  it("gives every integer unrounded: a number up to 2^53, decimal text beyond", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }), (value) => {
        const safe = Number.isSafeInteger(Number(value));
        should(parseJson(`{"a": [ ${value}]}`)).deepEqual({ a: [safe ? Number(value) : String(value)] });
      }),
    );
  });

  it("reads JSON of any depth, and rounds no integer in it", () => {
    const depth = 100_000;
    const number = "9007199254740993";
    const inner = `[${number}, "\\"${number}\\\\", -1.5e3, 9.007199254740993E15, {"${number}": ${number}}]`;
    let value = parseJson('{"a":'.repeat(depth) + inner + "}".repeat(depth));
    for (let level = 0; level < depth; level += 1) value = (value as { a: JsonValue }).a;
    should(value).deepEqual([number, `"${number}\\`, -1500, number, { [number]: number }]);
    should(() => parseJson(`${"[".repeat(depth)}${number},`)).throw(SyntaxError);
  });

  it("reads all other JSON as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const parsed = JSON.parse(text);
        const rounded = /(?:^|[:[,])\s*-?(?:\d[\d.]{15,}|[\d.]+e)/i.test(text);
        fc.pre(!rounded);
        should(JSON.stringify(parseJson(text))).equal(JSON.stringify(parsed));
      }),
    );
  });
});

describe("integerDigits", () => {
  const written: Array<[string, string | undefined]> = [
    ["600.000000", "600"],
    ["1.2e+21", "1200000000000000000000"],
    ["12E2", "1200"],
    ["0.012e3", "12"],
    ["1200e-2", "12"],
    ["-0.0", "0"],
    ["-5", "-5"],
    ["0007", "7"],
    ["0.5", undefined],
    ["5e-1", undefined],
    ["1e-400", undefined],
    ["abc", undefined],
    ["", undefined],
    ["0x10", undefined],
  ];
  for (const [text, digits] of written) {
    it(`reads "${text}" as ${digits}`, () => {
      should(integerDigits(text)).equal(digits);
    });
  }

  it("refuses exponents that would fill the memory with zeros", () => {
    should(() => integerDigits("1e999999999")).throw(SyntaxError);
    should(() => parseJson('{"a":1e999999999}')).throw(SyntaxError);
  });
});
