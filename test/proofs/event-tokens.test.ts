import fc from "fast-check";
import should from "should";
import { eventTokens, fromSmallestUnit, parseAbi, type TokenUnits, toSmallestUnit } from "../../src/index.ts";

const ALICE = "0x00000000000000000000000000000000DeaDBeef";
const ERC20 = parseAbi("event Transfer(address indexed from, address indexed to, uint256 value)");
const ERC721 = parseAbi("event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)");

/** Which values of an event are amounts, and what they are in tokens. */
describe("the tokens of an event", () => {
  const of = (params: Record<string, unknown>, units: Partial<TokenUnits> = {}, name = "Transfer") =>
    eventTokens({ name, params }, { decimals: 6, ...units });

  it("are the amounts under their names in params, with and without the ABI", () => {
    const params = { from: ALICE, to: ALICE, value: "1500000" };
    should(of(params)).deepEqual({ value: "1.5" });
    should(of(params, { abi: ERC20 })).deepEqual({ value: "1.5" });
    should(of(params, { abi: parseAbi("event Approval(address owner)") })).deepEqual({ value: "1.5" });
    should(of({ value: "100000000" }, { decimals: 0 })).deepEqual({ value: "100000000" });
    should(of({})).be.undefined();
  });

  it("keep the names that the service writes, while the ABI knows the types", () => {
    const abi = parseAbi(
      "event Paid(uint256 rawAmount, uint32 amount, uint256[] indexed values, int128 wad)",
    );
    const params = { raw_amount: "1500000", amount: 7, values: `0x${"ab".repeat(32)}`, wad: "-1" };
    should(of(params, { abi }, "Paid")).deepEqual({ raw_amount: "1.5", wad: "-0.000001" });
    should(of(params, { abi, amounts: ["amount"] }, "Paid")).deepEqual({ amount: "0.000007" });
  });

  it("are not token ids, nor counts of a token with ids", () => {
    should(of({ from: ALICE, to: ALICE, token_id: "1500000" }, { abi: ERC721 })).be.undefined();
    should(of({ from: ALICE, to: ALICE, tokenId: "1500000" })).be.undefined();
    should(of({ id: "7", value: "1500000" }, {}, "TransferSingle")).be.undefined();
    should(of({ ids: [7], values: ["1500000"] }, {}, "TransferBatch")).be.undefined();
    should(of({ id: "7", value: "1500000" }, { amounts: ["value"] })).deepEqual({ value: "1.5" });
  });

  it("are read by the overload that has these parameters", () => {
    const abi = parseAbi(["event Paid(uint32 value, address to)", "event Paid(uint256 value, bytes32 ref)"]);
    should(of({ value: 1500000, to: ALICE }, { abi }, "Paid")).be.undefined();
    should(of({ value: "1500000", ref: "0x" }, { abi }, "Paid")).deepEqual({ value: "1.5" });
  });

  it("are those of the item that fits, where a merged ABI has several", () => {
    const params = { from: ALICE, to: ALICE, value: "1500000" };
    for (const abi of [
      [...ERC721, ...ERC20],
      [...ERC20, ...ERC721],
    ]) {
      should(of(params, { abi })).deepEqual({ value: "1.5" });
      should(of({ from: ALICE, to: ALICE, token_id: "1500000" }, { abi })).be.undefined();
    }
    const [amount, index] = parseAbi("event E(int256 indexed value)\nevent E(int256 value)");
    const negative = { value: String(2n ** 256n - 1_500_000n) };
    if (amount && index) should(of(negative, { abi: [index, amount] }, "E")).deepEqual({ value: "-1.5" });
    const repeated = parseAbi("event E(uint256 value, uint256 value)");
    should(of({ arg0: "1500000", arg1: "1" }, { abi: repeated }, "E")).deepEqual({
      arg0: "1.5",
      arg1: "0.000001",
    });
  });

  it("without types, are whole numbers only", () => {
    for (const value of [
      "1.5",
      "0x12",
      " 1",
      "1e6",
      "",
      "9".repeat(79),
      1.5,
      2 ** 60,
      null,
      true,
      [["x"]],
      ["1", "x"],
    ])
      should(of({ value })).be.undefined();
    should(of({ value: 1_500_000, part: { amounts: ["1", 2], at: 3 }, all: [{ wad: "1" }] })).deepEqual({
      value: "1.5",
      part: { amounts: ["0.000001", "0.000002"] },
      all: [{ wad: "0.000001" }],
    });
  });

  it("are what was sent, for any amount and any decimals", () => {
    const cases = fc.tuple(
      fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n }),
      fc.integer({ min: 0, max: 77 }),
    );
    const abi = parseAbi("event Paid(int256 amount)");
    fc.assert(
      fc.property(cases, fc.boolean(), ([amount, decimals], typed) => {
        const found = of({ amount: String(amount) }, { decimals, ...(typed ? { abi } : {}) }, "Paid");
        should(found).deepEqual({ amount: fromSmallestUnit(amount, decimals) });
        should(toSmallestUnit(String(found?.amount), decimals, "amount")).equal(String(amount));
      }),
      { numRuns: 300 },
    );
  });

  it("never fail, and are plain JSON, whatever a sender writes", () => {
    const odd = ["__proto__", "constructor", "toString", "hasOwnProperty", "value", "amounts", "tokenId", ""];
    const key = fc.oneof(fc.constantFrom(...odd), fc.string());
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom("1", "-1", "1500000", 7, null, true, "9".repeat(100)),
        fc.double(),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
      ),
    }));
    const abi = parseAbi([
      "event Odd(uint256 value, (uint256 amount, uint8 kind)[] amounts, uint256 constructor, uint256[2][] __proto__)",
    ]);
    const units = [{}, { abi }, { abi, amounts: ["__proto__", "constructor", "toString"] }];
    const params = fc.array(fc.tuple(key, value), { maxLength: 6 }).map((list) => Object.fromEntries(list));
    fc.assert(
      fc.property(params, fc.constantFrom(...units), (given: Record<string, unknown>, how) => {
        const before = structuredClone(given);
        const found = of(given, how, "Odd");
        should(JSON.stringify(given)).equal(JSON.stringify(before));
        if (found === undefined) return;
        should(Object.keys(found)).not.be.empty();
        for (const name of Object.keys(found)) should(Object.hasOwn(given, name)).equal(true);
        should(JSON.stringify(JSON.parse(JSON.stringify(found)))).equal(JSON.stringify(found));
      }),
      { numRuns: 500 },
    );
  });

  it("take no time with values that are nested deep", () => {
    let deep: unknown = "1";
    for (let level = 0; level < 50_000; level += 1) deep = level % 2 ? [deep] : { value: deep };
    should(of({ value: deep })).be.undefined();
  });

  it("refuse wrong decimals", () => {
    should(() => of({ value: "1" }, { decimals: 78 })).throw(/from 0 to 77/, { code: "INVALID_ARGUMENT" });
  });
});
