import should from "should";
import {
  decodeFunctionResult,
  decodeRevert,
  encodeValue,
  parseAbi,
  selectorOf,
} from "../../src/abi/index.ts";
import { snakeCase } from "../../src/abi/wire-values.ts";

const word = (value: bigint): string => BigInt.asUintN(256, value).toString(16).padStart(64, "0");

describe("decodeFunctionResult", () => {
  const abi = parseAbi(`
    function balanceOf(address) view returns (uint256)
    function decimals() view returns (uint8)
    function slot() view returns (uint160 price, int24 tick, bool)
    function order() view returns ((uint256 amount, address to, bytes4) o)
    function list() view returns (int8[])
    function odd() view returns ((uint256 __proto__, uint256 length, uint256 length) o)
    function nothing()
  `);
  const decode = (name: string, words: bigint[]): unknown =>
    decodeFunctionResult({ abi, function: name, data: `0x${words.map(word).join("")}` });

  it("gives one output as it is, integers as decimal text", () => {
    should(decode("balanceOf", [2n ** 256n - 1n])).equal((2n ** 256n - 1n).toString());
    should(decode("decimals", [18n])).equal("18");
    should(decode("list", [32n, 2n, -1n, 5n])).deepEqual(["-1", "5"]);
    should(decode("nothing", [])).be.null();
  });

  it("gives several by name, by position where unnamed", () => {
    should(decode("slot", [5n, -7n, 1n])).deepEqual({ price: "5", tick: "-7", 2: true });
    should(decode("order", [5n, 1n, 0x12345678n << 224n])).deepEqual({
      amount: "5",
      to: "0x0000000000000000000000000000000000000001",
      2: "0x12345678",
    });
  });

  it("survives JSON, whatever the outputs are called", () => {
    const value = decode("odd", [1n, 2n, 3n]);
    should(JSON.stringify(value)).equal('{"1":"2","2":"3","__proto__":"1"}');
  });

  it("says when the data is not the function's", () => {
    should(() => decode("balanceOf", [])).throw({
      code: "RESULT_UNREADABLE",
      message: /returned nothing\..* or it returns nothing: remove the output from the ABI\.$/,
    });
    should(() => decodeFunctionResult({ abi, function: "slot", data: `0x${word(1n)}` })).throw({
      code: "RESULT_UNREADABLE",
    });
    should(() => decodeFunctionResult({ abi, function: "list", data: `0x${word(2n ** 255n)}` })).throw({
      code: "RESULT_UNREADABLE",
    });
    should(() => decodeFunctionResult({ abi, function: "slot", data: "zz" })).throw({
      code: "RESULT_UNREADABLE",
    });
    should(() => decode("missing", [])).throw({ code: "FUNCTION_NOT_IN_ABI" });
  });
});

describe("decodeRevert", () => {
  const abi = parseAbi("error Broke(uint256 missing, (address who, bool) by)\nerror Late(uint256)");

  it("reads the message of require, panics and the ABI's own errors", () => {
    const text = encodeValue({ name: "", type: "string" }, "Not enough", "text");
    should(decodeRevert({ data: `0x08c379a0${text.slice(2)}` })).equal("Not enough");
    should(decodeRevert({ data: `0x4e487b71${word(0x11n)}` })).equal(
      "panic 17: arithmetic overflow or underflow",
    );
    should(decodeRevert({ data: `0x4e487b71${word(99n)}` })).equal("panic 99: unknown");
    const [broke, late] = abi.filter((item) => item.type === "error");
    if (broke === undefined || late === undefined) throw new Error("no errors");
    should(decodeRevert({ abi, data: `${selectorOf(late)}${word(5n)}` })).equal("Late(5)");
    should(decodeRevert({ abi, data: `${selectorOf(broke)}${word(5n)}${word(1n)}${word(1n)}` })).equal(
      'Broke(missing: 5, by: {"1":true,"who":"0x0000000000000000000000000000000000000001"})',
    );
  });

  it("has words for each panic of Solidity", () => {
    for (const code of [0x00n, 0x01n, 0x11n, 0x12n, 0x21n, 0x22n, 0x31n, 0x32n, 0x41n, 0x51n]) {
      const text = decodeRevert({ data: `0x4e487b71${word(code)}` });
      should(text).match(/^panic \d+: (?!unknown)\w+ \w+/);
    }
  });

  it("does not take a function's call for an error", () => {
    const functions = parseAbi("function late(uint256)");
    const [late] = functions;
    if (late === undefined) throw new Error("no function");
    const data = `${selectorOf(late)}${word(5n)}`;
    should(decodeRevert({ abi: functions, data })).equal(data);
  });

  it("says that there is no reason, also where there is one without a letter", () => {
    for (const data of [
      "0x",
      ...["", " "].map((text) => `0x08c379a0${encodeValue("string", text, "x").slice(2)}`),
    ])
      should(decodeRevert({ data })).equal("reverted without a reason");
  });

  it("returns unreadable data as it is, and never throws", () => {
    for (const data of ["0x08c379a0", "0x12", "0xdeadbeef00", `0x08c379a0${word(2n ** 200n)}`, "nonsense"]) {
      should(decodeRevert({ abi, data })).equal(data);
    }
  });
});

describe("snakeCase", () => {
  for (const [name, wire] of [
    ["fundTokenId", "fund_token_id"],
    ["tokenID", "token_i_d"],
    ["ABC", "a_b_c"],
    ["URLValue", "u_r_l_value"],
    ["a_B", "a__b"],
    ["value", "value"],
    ["already_snake", "already_snake"],
    ["_from", "_from"],
    ["amount0In", "amount0_in"],
  ]) {
    it(`writes ${name} as ${wire}`, () => {
      should(snakeCase(name ?? "")).equal(wire);
    });
  }
});
