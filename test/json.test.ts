import { inspect } from "node:util";
import fc from "fast-check";
import should from "should";
import { integerDigits, type JsonValue, parseJson } from "../src/json.ts";
import { sized } from "./support/variants.ts";

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

  it("gives what JSON.parse with each number's source text gives, and refuses the same", () => {
    fc.assert(
      fc.property(odd, (text) => {
        should(outcome(parseJson, text)).deepEqual(outcome(bySource, text));
      }),
      {
        numRuns: sized(500, 2_000),
      },
    );
  });

  it("keeps __proto__ an ordinary name, and takes the last of two values of one name", () => {
    const parsed = parseJson('{"__proto__":{"x":9007199254740993},"a":9007199254740993,"a":1}');
    should(Object.keys(parsed as object)).deepEqual(["__proto__", "a"]);
    should(JSON.stringify(parsed)).equal('{"__proto__":{"x":"9007199254740993"},"a":1}');
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

/** Numbers as JSON writes them, and a few that it does not. */
const numbers = fc.oneof(
  fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }).map(String),
  fc.double().map(String),
  fc
    .tuple(
      fc.constantFrom("", "-"),
      fc.bigInt({ min: 0n, max: 10n ** 20n }),
      fc.integer({ min: -30, max: 60 }),
    )
    .map(([sign, digits, exponent]) => `${sign}${digits}.0E${exponent}`),
  fc.constantFrom("-0", "-0.0e20", "1e999", "9007199254740991", "9007199254740992", "01", "1.", "+1", ".5"),
);
/** JSON with such numbers, names that come twice or mean something, and text that looks like numbers; some damaged. */
const odd = fc
  .letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      numbers,
      fc
        .oneof(fc.string({ unit: "binary" }), numbers, fc.constantFrom('"', "\\", ':[1e30,"'))
        .map((text) => JSON.stringify(text)),
      fc.constantFrom("true", "null"),
      fc.array(tie("value"), { maxLength: 4 }).map((items) => `[ ${items.join(" ,\n")}]`),
      fc
        .uniqueArray(fc.tuple(fc.constantFrom("a", "__proto__", "12345678901234567890"), tie("value")), {
          selector: ([name]) => name,
        })
        // A name twice, the first time with what no reader refuses: the other reader never sees that value.
        .map(
          (entries) =>
            `{"a":9007199254740993${entries.map(([name, value]) => `,"${name}" : ${value}`).join("")}}`,
        ),
    ),
  }))
  .value.chain((text) =>
    fc.oneof({ weight: 5, arbitrary: fc.constant(text) }, { weight: 1, arbitrary: cut(text) }),
  );

function cut(text: string): fc.Arbitrary<string> {
  return fc.integer({ min: 0, max: text.length }).map((at) => text.slice(0, at) + text.slice(at + 1));
}

/** The written-down result, so that -0 and the order of names count. */
function outcome(parse: (text: string) => unknown, text: string): unknown {
  try {
    return inspect(parse(text), { depth: null, maxArrayLength: null, maxStringLength: null });
  } catch (error) {
    return (error as Error).name;
  }
}

/** What newer Node.js can do by itself. */
function bySource(text: string): unknown {
  const wanted = (value: unknown, source: string) => {
    if (Number.isSafeInteger(value)) return value;
    const digits = integerDigits(source);
    if (digits === undefined && !Number.isFinite(value)) throw new SyntaxError("too large");
    return digits ?? value;
  };
  return JSON.parse(text, (_name: string, value: unknown, context?: { source?: string }) =>
    typeof value === "number" ? wanted(value, context?.source ?? "") : value,
  );
}

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
