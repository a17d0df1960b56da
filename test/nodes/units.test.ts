import should from "should";
import { checkValue } from "../../nodes/lib/admin/check-value.ts";
import { amountInWei } from "../../nodes/lib/calls.ts";
import { splitNames } from "../../nodes/lib/split-names.ts";
import { inSmallestUnit, inTokens } from "../../nodes/lib/token-units.ts";
import * as library from "../../src/index.ts";

const ADDRESS = "0x00000000000000000000000000000000DeaDBeef";

/** What forms and messages say in tokens, ether or names, as the chain takes it. */
describe("units of values", () => {
  const smallest = (value: unknown, type = "uint256", decimals: number | undefined = 6) =>
    inSmallestUnit(library, value, type, decimals, "args.value");

  it("turn tokens into the smallest unit, from text, numbers and lists", () => {
    should(smallest("1.5")).equal("1500000");
    should(smallest(1.5)).equal("1500000");
    should(smallest(1e-6)).equal("1");
    should(smallest(2n, "int128")).equal("2000000");
    should(smallest([1, "0.5"], "uint256[]")).deepEqual(["1000000", "500000"]);
    should(smallest('["1.5", 2]', "uint256[2]")).deepEqual(["1500000", "2000000"]);
    should(smallest([["1"], []], "uint256[][]")).deepEqual([["1000000"], []]);
  });

  it("say by its path what is wrong", () => {
    const wrong = (value: unknown, type: string, code: string, says: RegExp, decimals?: number) =>
      should(() => inSmallestUnit(library, value, type, decimals, "args.value")).throw(says, { code });
    wrong("1", "uint256", "NO_DECIMALS", /^args.value is given in tokens, but its contract has no decimals/);
    wrong("1", "address", "INVALID_ARGUMENT", /no amount of tokens/, 6);
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

  it("show results in tokens: one value, several by name, lists and tuples", () => {
    const [only] = library.listFunctions(
      library.parseAbi(
        "function f() view returns (uint256[] amounts, (int256 value, address who) part, bool ok)",
      ),
    );
    const result = { amounts: ["1500000", "0"], part: { value: "-1", who: ADDRESS }, ok: true };
    should(inTokens(library, result, only?.outputs ?? [], 6)).deepEqual({
      amounts: ["1.5", "0"],
      part: { value: "-0.000001", who: ADDRESS },
      ok: true,
    });
    should(inTokens(library, "1500000", [{ name: "", type: "uint256" }], 6)).equal("1.5");
    should(inTokens(library, ADDRESS, [{ name: "", type: "address" }], 6)).equal(ADDRESS);
  });

  it("turn ether and gwei into wei, and leave wei as they are", async () => {
    should(await amountInWei("1.5", "ether", "calls[0].amount")).equal("1500000000000000000");
    should(await amountInWei("2", "gwei", "calls[0].amount")).equal("2000000000");
    should(await amountInWei("7", "wei", "calls[0].amount")).equal("7");
    should(await amountInWei("0x7", undefined, "calls[0].amount")).equal("0x7");
    await should(amountInWei("0.0000000001", "gwei", "calls[0].amount")).be.rejectedWith(
      /^calls\[0\].amount has more than 9 decimal places/,
    );
  });
});

describe("a value that is being typed", () => {
  const check = (type: string, value: string, more: object = {}) =>
    checkValue(library, { name: "amount", type, value, valueType: "str", ...more });
  const wrong = (type: string, value: string, says: RegExp, more?: object) =>
    should(() => check(type, value, more)).throw(says);

  it("is judged as a message's way through the node would", () => {
    should(check("address", ADDRESS)).deepEqual({});
    wrong("address", ADDRESS.replace("f", "F"), /^amount has a wrong checksum/);
    wrong("address", "0x12", /^amount must be an address/);
    wrong("uint8", "256", /^amount must fit uint8 \(0 to 255\)/);
    wrong("bytes32", "0x12", /^amount must have 32 bytes, but has 1/);
    wrong("uint8[2]", "[1,300]", /^amount\[1\] must fit uint8/, { valueType: "json" });
    wrong("uint8[2]", "[1,", /^amount is not JSON: /, { valueType: "json" });
    const components = [{ name: "to", type: "address" }];
    wrong("tuple", '{"to": 1}', /^amount\.to must be an address/, { valueType: "json", components });
    should(check("tuple[]", `[{"to":"${ADDRESS}"}]`, { valueType: "json", components })).deepEqual({});
    wrong("", "1", /cannot be encoded/);
  });

  it("is told in both units where the contract has decimals", () => {
    const both = { smallest: "1500000", tokens: "1.5" };
    should(check("uint256", "1.5", { unit: "token", decimals: 6 })).deepEqual(both);
    should(check("uint256", "1500000", { decimals: 6 })).deepEqual(both);
    should(check("uint256", "0x16e360", { decimals: 6 })).deepEqual(both);
    wrong("uint256", "1.5", /whole number/, { decimals: 6 });
    wrong("uint256", "1.5", /no decimals/, { unit: "token" });
    wrong("uint256", "1.5", /^The decimals must be/, { unit: "token", decimals: -1 });
    should(check("uint256[]", '["1.5"]', { valueType: "json", unit: "token", decimals: 6 })).deepEqual({});
  });

  it("is not judged where it is only known at run time", () => {
    should(check("address", "payload", { valueType: "msg" })).deepEqual({});
    should(check("address", "${HOME}")).deepEqual({});
  });

  it("may be anything at all without harm", () => {
    for (const question of [
      undefined,
      null,
      [],
      "x",
      { type: 1 },
      { type: "tuple", components: [null], valueType: "str" },
    ]) {
      should(() => checkValue(library, question)).throw(/^There is no such type/, {
        code: "INVALID_ARGUMENT",
      });
    }
  });
});

describe("names of events", () => {
  it("are separated by commas, except within a signature", () => {
    should(splitNames("Paid, Closed ,,")).deepEqual(["Paid", "Closed"]);
    should(splitNames("Paid(address,(uint256,bytes)[]),Closed")).deepEqual([
      "Paid(address,(uint256,bytes)[])",
      "Closed",
    ]);
    should(splitNames(" ")).deepEqual([]);
  });
});
