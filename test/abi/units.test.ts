import fc from "fast-check";
import should from "should";
import { fromSmallestUnit, toSmallestUnit } from "../../src/index.ts";

const decimals = fc.integer({ min: 0, max: 77 });
const amount = fc.bigInt({ min: -(2n ** 255n), max: 2n ** 256n - 1n });

/** Amounts as people write them, and as contracts count them: nothing may be lost on the way. */
describe("units", () => {
  const refused = (text: string, places: number, says: RegExp) =>
    should(() => toSmallestUnit(text, places, "args.value")).throw(says, {
      code: "INVALID_ARGUMENT",
      path: "args.value",
    });

  it("read what people write", () => {
    for (const [text, places, smallest] of [
      ["1.5", 18, "1500000000000000000"],
      ["1", 0, "1"],
      [" 0.000001 ", 6, "1"],
      [".5", 1, "5"],
      ["5.", 2, "500"],
      ["-1.25", 2, "-125"],
      ["007.10", 1, "71"],
      ["0.0000", 2, "0"],
      ["-0", 2, "0"],
      // As JavaScript writes numbers that are very small or large.
      [String(1e-7), 18, "100000000000"],
      [String(1e21), 0, "1000000000000000000000"],
      ["10e-1", 0, "1"],
    ] as const) {
      should(toSmallestUnit(text, places, "args.value")).equal(smallest);
    }
  });

  it("show what contracts count", () => {
    should(fromSmallestUnit("1500000000000000000", 18)).equal("1.5");
    should(fromSmallestUnit(1000n, 3)).equal("1");
    should(fromSmallestUnit("-1", 18)).equal("-0.000000000000000001");
    should(fromSmallestUnit("0", 18)).equal("0");
    should(fromSmallestUnit("42", 0)).equal("42");
  });

  it("give back every amount, whatever the decimals", () => {
    fc.assert(
      fc.property(amount, decimals, (smallest, places) => {
        const text = fromSmallestUnit(smallest, places);
        should(text).match(/^(?:0|-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?)$/);
        should(toSmallestUnit(text, places, "args.value")).equal(String(smallest));
      }),
    );
  });

  it("scale by ten for each place", () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 70 }), (whole, places) => {
        should(BigInt(toSmallestUnit(String(whole), places, "args.value"))).equal(
          whole * 10n ** BigInt(places),
        );
      }),
    );
  });

  it("round nothing: what is too fine is refused, zeros at its end aside", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 9 }), (places, digit) => {
        const fine = `1.${"0".repeat(places)}`;
        refused(`${fine}${digit}`, places, new RegExp(`^args.value has more than ${places} decimal places`));
        should(toSmallestUnit(`${fine}00`, places, "args.value")).equal(`1${"0".repeat(places)}`);
      }),
    );
  });

  it("refuse what is not a decimal number, and say where", () => {
    for (const text of ["", ".", "-", "e5", "1,5", "1 000", "0x10", "+1", "1.2.3", "one", "9".repeat(301)]) {
      refused(text, 18, /^args.value must be a decimal number such as 1.5/);
    }
    should(() => fromSmallestUnit("1.5", 18)).throw({ code: "INVALID_ARGUMENT" });
    for (const places of [-1, 78, 1.5, Number.NaN]) {
      should(() => toSmallestUnit("1", places, "args.value")).throw({ path: "decimals" });
      should(() => fromSmallestUnit("1", places)).throw({ path: "decimals" });
    }
  });
});
