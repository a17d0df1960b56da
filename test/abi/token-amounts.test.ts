import should from "should";
import {
  type AbiParameter,
  amountsInTokens,
  formatTokenAmounts,
  listFunctions,
  parseAbi,
  parseTokenAmounts,
  untypedAmountsInTokens,
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
    for (const rounded of [2 ** 60, 0.1 + 0.2, 123456.7890123456])
      wrong(rounded, "uint256", "INVALID_ARGUMENT", /may already be rounded; give it as text/, 18);
    wrong(
      "[0.1234567890123456789]",
      "uint256[]",
      "INVALID_ARGUMENT",
      /may already be rounded; give it as text/,
      18,
    );
    wrong(
      { amount: 1 },
      "uint256",
      "INVALID_ARGUMENT",
      /must be a decimal number such as 1.5, not object/,
      6,
    );
    wrong(Number.NaN, "uint256", "INVALID_ARGUMENT", /^args.value .* but NaN is not a number/, 6);
    wrong(Number.POSITIVE_INFINITY, "uint256", "INVALID_ARGUMENT", /but Infinity is not a number/, 6);
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
    should(formatTokenAmounts({}, [], 6)).deepEqual({});
    const named = formatTokenAmounts(result, only?.outputs ?? [], 6, ["value"]);
    should(named).deepEqual({ ...result, part: { value: "-0.000001", who: ADDRESS } });
    should(formatTokenAmounts(["1500000"], [{ name: "", type: "uint256[]" }], 6, ["value"])).deepEqual([
      "1.5",
    ]);
  });

  it("are found among four times as many values without types with four times the work", () => {
    should(namesReadIn(400)).be.within(1, 4 * namesReadIn(100));
  });

  /** How often a name is compared: a count is the same however busy the machine is. */
  function namesReadIn(count: number): number {
    const names = Array.from({ length: 6 * count }, (_, index) => `${"_".repeat(index % 100)}${index}_`);
    const usual = (index: number) =>
      [..."totalsupply"].map((one, at) => ((index >> at) & 1 ? `${one}_` : one)).join("");
    const amounts = Array.from({ length: count }, (_, index) => usual(index));
    const values = Object.fromEntries([...names, ...amounts].map((name) => [name, "1500000"]));
    const { toLowerCase } = String.prototype;
    let read = 0;
    // No name is compared as it is written.
    String.prototype.toLowerCase = function () {
      read += 1;
      return toLowerCase.call(this);
    };
    try {
      should(Object.keys(untypedAmountsInTokens(values, 6) ?? {})).have.length(count);
    } finally {
      String.prototype.toLowerCase = toLowerCase;
    }
    return read;
  }

  describe("among the values of a call", () => {
    const number = (name: string, type = "uint256") => ({ name, type });
    const amount = number("amount");
    const count = number("count");
    const found = (values: unknown, inputs: AbiParameter[], names?: string[]) =>
      amountsInTokens(values, inputs, 6, names);

    it("are those with a usual name, in lists and tuples too", () => {
      const part = { name: "part", type: "tuple", components: [amount, count] };
      const inputs = [number("to", "address"), amount, count, part, number("_values", "uint64[]")];
      const values = {
        to: ADDRESS,
        amount: "1500000",
        count: "7",
        part: { amount: "1", count: "2" },
        _values: ["2000000", "0"],
      };
      should(found(values, inputs)).deepEqual({
        amount: "1.5",
        part: { amount: "0.000001" },
        _values: ["2", "0"],
      });
      should(found({ count: "7" }, [count])).be.undefined();
      should(found({ value: [] }, [number("value", "uint256[]")])).deepEqual({ value: [] });
      should(found({ parts: [] }, [{ ...part, name: "parts", type: "tuple[]" }])).deepEqual({ parts: [] });
      should(found({ parts: [] }, [{ ...part, components: [count], type: "tuple[]" }])).be.undefined();
    });

    it("are not ids, times, small integers, or unnamed ones", () => {
      for (const name of ["tokenId", "id", "nonce", "deadline", "count", "timestamp", "assets", "amount0In"])
        should(found({ [name]: "1500000" }, [number(name)])).be.undefined();
      should(found({ value: 7 }, [number("value", "uint32")])).be.undefined();
      should(found({ 0: "7" }, [number("")])).be.undefined();
      should(found({ value: ADDRESS }, [number("value", "address")])).be.undefined();
    });

    it("are not the counts of a token that has ids: ERC-1155", () => {
      const single = [number("id"), number("value")];
      should(found({ id: "7", value: "1000000" }, single)).be.undefined();
      const batch = [number("_ids", "uint256[]"), number("_values", "uint256[]")];
      should(found({ _ids: ["7"], _values: ["1000000"] }, batch)).be.undefined();
      should(found({ id: "7", value: "1000000" }, single, ["value"])).deepEqual({ value: "1" });
    });

    it("are exactly those that a person names, whatever their size and notation", () => {
      const inputs = [amount, number("feeTaken", "uint32"), number("")];
      const values = { amount: "1", feeTaken: 1_500_000, 2: "2000000" };
      should(found(values, inputs, ["fee_taken", "arg2"])).deepEqual({ feeTaken: "1.5", 2: "2" });
      should(found(values, inputs, ["none"])).be.undefined();
      should(found({ amount: "1" }, inputs, [])).deepEqual({ amount: "0.000001" });
    });

    it("are left out where a value does not fit its type", () => {
      const list = number("amounts", "uint256[]");
      for (const value of [undefined, null, true, {}, [], "", "1.5", "one", -1, "-1", 2 ** 60, Number.NaN])
        should(found({ amount: value }, [amount])).be.undefined();
      for (const value of ["1", { 0: "1" }, ["1", "one"], `0x${"ab".repeat(32)}`])
        should(found({ amounts: value }, [list])).be.undefined();
      should(found("text", [amount])).be.undefined();
      should(found(undefined, [amount])).be.undefined();
    });

    it("may be negative, also where an indexed value arrives as the unsigned topic", () => {
      const signed = { name: "value", type: "int256" };
      should(found({ value: "-1500000" }, [signed])).deepEqual({ value: "-1.5" });
      const topic = { value: String(2n ** 256n - 1_500_000n) };
      should(found(topic, [{ ...signed, indexed: true }])).deepEqual({ value: "-1.5" });
      should(found(topic, [signed])).be.undefined();
    });
  });
});
