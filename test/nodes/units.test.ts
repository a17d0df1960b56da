import should from "should";
import { checkValue } from "../../nodes/common/admin/abi.ts";
import { amountInWei } from "../../nodes/common/contracts/calls.ts";
import { splitNames } from "../../nodes/common/shared/text.ts";
import * as library from "../../src/index.ts";

const ADDRESS = "0x00000000000000000000000000000000DeaDBeef";

/** What forms and messages say in tokens, ether or names, as the chain takes it. */
describe("units of values", () => {
  it("convert ether and gwei to wei, and leave wei unchanged", async () => {
    should(await amountInWei("1.5", "ether", "calls[0].value")).equal("1500000000000000000");
    should(await amountInWei("2", "gwei", "calls[0].value")).equal("2000000000");
    should(await amountInWei("7", "wei", "calls[0].value")).equal("7");
    should(await amountInWei("0x7", "wei", "calls[0].value")).equal("0x7");
    await should(amountInWei("0.0000000001", "gwei", "calls[0].value")).be.rejectedWith(
      /^calls\[0\].value has more than 9 decimal places/,
    );
  });
});

describe("a value that is being typed", () => {
  const check = (type: string, value: string, more: object = {}) =>
    checkValue(library, { name: "amount", type, value, valueType: "str", ...more });
  const wrong = (type: string, value: string, says: RegExp, more?: object) =>
    should(() => check(type, value, more)).throw(says);

  it("is checked as at run time", () => {
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

  it("is shown in both units where the contract has decimals", () => {
    const both = { smallest: "1500000", tokens: "1.5" };
    should(check("uint256", "1.5", { unit: "token", decimals: 6 })).deepEqual(both);
    should(check("uint256", "1500000", { decimals: 6 })).deepEqual(both);
    should(check("uint256", "0x16e360", { decimals: 6 })).deepEqual(both);
    wrong("uint256", "1.5", /whole number/, { decimals: 6 });
    wrong("uint256", "1.5", /no decimals/, { unit: "token" });
    wrong("uint256", "1.5", /^decimals must be a whole number/, { unit: "token", decimals: -1 });
    should(check("uint256[]", '["1.5"]', { valueType: "json", unit: "token", decimals: 6 })).deepEqual({});
  });

  it("is not checked where it is only known at run time", () => {
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
      // Each dimension would take a step, and one of the stack.
      { type: `uint256${"[]".repeat(30_000)}`, value: "1", valueType: "str" },
      { type: `uint256${"[]".repeat(17)}`, value: "1", valueType: "str" },
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
