import should from "should";
import {
  amountInTokens,
  amountsInTokens,
  formatTokenAmounts,
  listFunctions,
  parseAbi,
  parseTokenAmounts,
} from "../../src/abi/index.ts";

const ADDRESS = "0x00000000000000000000000000000000DeaDBeef";

describe("amounts of tokens", () => {
  const smallest = (value: unknown, type = "uint256", decimals: number | undefined = 6) =>
    parseTokenAmounts(value, type, decimals, "args.value");

  it("are parsed into the smallest unit, from text, numbers and lists", () => {
    should(smallest("1.5")).equal("1500000");
    should(smallest(1.5)).equal("1500000");
    should(smallest(1e-6)).equal("1");
    should(smallest(2n, "int128")).equal("2000000");
    should(smallest([1, "0.5"], "uint256[]")).deepEqual(["1000000", "500000"]);
    should(smallest('["1.5", 2]', "uint256[2]")).deepEqual(["1500000", "2000000"]);
    should(smallest([["1"], []], "uint256[][]")).deepEqual([["1000000"], []]);
  });

  it("name the wrong value by its path in the error", () => {
    const wrong = (value: unknown, type: string, code: string, says: RegExp, decimals?: number) =>
      should(() => parseTokenAmounts(value, type, decimals, "args.value")).throw(says, { code });
    wrong("1", "uint256", "NO_DECIMALS", /^args.value is given in tokens, but its contract has no decimals/);
    wrong("1", "address", "INVALID_ARGUMENT", /is not an amount of tokens/, 6);
    wrong(["1", "1.1234567"], "uint256[]", "INVALID_ARGUMENT", /^args.value\[1\] has more than 6 decimal/, 6);
    wrong(2 ** 60, "uint256", "INVALID_ARGUMENT", /may already be rounded; give it as text/, 6);
    wrong(
      { amount: 1 },
      "uint256",
      "INVALID_ARGUMENT",
      /must be a decimal number such as 1.5, not object/,
      6,
    );
    wrong(Number.NaN, "uint256", "INVALID_ARGUMENT", /^args.value /, 6);
  });

  it("are formatted from results: one value, several by name, lists and tuples", () => {
    const [only] = listFunctions(
      parseAbi("function f() view returns (uint256[] amounts, (int256 value, address who) part, bool ok)"),
    );
    const result = { amounts: ["1500000", "0"], part: { value: "-1", who: ADDRESS }, ok: true };
    should(formatTokenAmounts(result, only?.outputs ?? [], 6)).deepEqual({
      amounts: ["1.5", "0"],
      part: { value: "-0.000001", who: ADDRESS },
      ok: true,
    });
    should(formatTokenAmounts("1500000", [{ name: "", type: "uint256" }], 6)).equal("1.5");
    should(formatTokenAmounts(ADDRESS, [{ name: "", type: "address" }], 6)).equal(ADDRESS);
  });

  it("are found among the values of a call by the size of their integers", () => {
    const amount = { name: "amount", type: "uint256" };
    const count = { name: "count", type: "uint32" };
    const part = { name: "part", type: "tuple", components: [amount, count] };
    const inputs = [{ name: "to", type: "address" }, amount, count, part, { name: "", type: "uint64[]" }];
    const values = {
      to: ADDRESS,
      amount: "1500000",
      count: "7",
      part: { amount: "1", count: "2" },
      4: ["2000000", "0"],
    };
    should(amountsInTokens(values, inputs, 6)).deepEqual({
      amount: "1.5",
      part: { amount: "0.000001" },
      4: ["2", "0"],
    });
    should(amountsInTokens({ count: "7" }, [count], 6)).be.undefined();
    should(amountInTokens(["7"], { name: "counts", type: "uint8[]" }, 6)).be.undefined();
  });
});
