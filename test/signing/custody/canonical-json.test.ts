import fc from "fast-check";
import should from "should";
import { canonicalJson } from "../../../src/signing/custody/privy-signer.ts";

describe("canonical JSON", () => {
  it("has no spaces, and the shortest form of numbers and text", () => {
    const value = { text: 'é"\\\n\u0001', list: [1.5, 1e21, 1e-7, -0, true, null], none: undefined };
    should(canonicalJson(value)).equal('{"list":[1.5,1e+21,1e-7,0,true,null],"text":"é\\"\\\\\\n\\u0001"}');
  });

  it("sorts names by UTF-16 code units", () => {
    const sorted = ["", "\n", "10", "9", "A", "a", "aa", "ä", "\u{1f600}", "\ufb33"];
    const text = canonicalJson(Object.fromEntries(sorted.toReversed().map((name) => [name, 0])));
    should(text).equal(`{${sorted.map((name) => `${JSON.stringify(name)}:0`).join(",")}}`);
  });

  it("has the same value, and does not depend on the order of members", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        should(JSON.parse(text)).deepEqual(JSON.parse(JSON.stringify(value)));
        should(canonicalJson(reversed(JSON.parse(text)))).equal(text);
      }),
    );
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}
