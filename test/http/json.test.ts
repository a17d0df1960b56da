import fc from "fast-check";
import should from "should";
import { parseJson } from "../../src/http/json.ts";

describe("parseJson", () => {
  it("gives integers beyond 2^53 as decimal strings, wherever they stand", () => {
    should(
      parseJson('{"a":9007199254740993,"b":[-12345678901234567890, 7],"c":"9007199254740993"}'),
    ).deepEqual({
      a: "9007199254740993",
      b: ["-12345678901234567890", 7],
      c: "9007199254740993",
    });
    should(parseJson("12345678901234567890")).equal("12345678901234567890");
  });

  it("leaves numbers alone that a double holds", () => {
    should(parseJson('{"a":9007199254740991,"b":1.2e+21,"c":1234567890123456.5}')).deepEqual({
      a: 9007199254740991,
      b: 1.2e21,
      c: 1234567890123456.5,
    });
  });

  it("reads any other JSON as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!/\d{16}/.test(text));
        should(JSON.stringify(parseJson(text))).equal(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it("rounds no integer", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }), (value) => {
        should(BigInt((parseJson(`{"a": [ ${value} ]}`) as { a: [string | number] }).a[0])).equal(value);
      }),
    );
  });
});
