import should from "should";
import { checksumAddress, encodeFunctionCall, encodeValue, parseAbi } from "../../src/abi/index.ts";

const ADDRESS = "0x5b571A50AC6cB524730C8419EBe452703139809A";
const word = (value: bigint): string => BigInt.asUintN(256, value).toString(16).padStart(64, "0");

describe("a value to encode", () => {
  const taken: Array<[string, unknown, bigint]> = [
    ["uint8", 255, 255n],
    ["uint8", "255", 255n],
    ["uint8", " 7 ", 7n],
    ["uint8", 7n, 7n],
    ["uint8", "0xff", 255n],
    [
      "uint256",
      "115792089237316195423570985008687907853269984665640564039457584007913129639935",
      2n ** 256n - 1n,
    ],
    ["uint", 1, 1n],
    ["int8", -128, -128n],
    ["int8", "-128", -128n],
    ["int256", -1n, -1n],
    ["bool", true, 1n],
    ["bool", "true", 1n],
    ["bool", "False", 0n],
    ["address", ADDRESS, BigInt(ADDRESS)],
    ["address", ADDRESS.toLowerCase(), BigInt(ADDRESS)],
    ["address", `0x${ADDRESS.slice(2).toUpperCase()}`, BigInt(ADDRESS)],
    ["bytes32", `0x${"01".repeat(32)}`, BigInt(`0x${"01".repeat(32)}`)],
    ["bytes32", new Array(32).fill(1), BigInt(`0x${"01".repeat(32)}`)],
    ["bytes32", Buffer.alloc(32, 1), BigInt(`0x${"01".repeat(32)}`)],
    ["bytes32", JSON.parse(JSON.stringify(Buffer.alloc(32, 1))), BigInt(`0x${"01".repeat(32)}`)],
  ];
  for (const [type, value, expected] of taken) {
    it(`of type ${type} may be ${typeof value} ${String(value).slice(0, 20)}`, () => {
      should(encodeValue(type, value, "v")).equal(`0x${word(expected)}`);
    });
  }

  const refused: Array<[string, unknown, string, string, RegExp]> = [
    ["uint8", 256, "INTEGER_OUT_OF_RANGE", "v", /^v must fit uint8 \(0 to 255\)\.$/],
    ["uint8", -1, "INTEGER_OUT_OF_RANGE", "v", /0 to 255/],
    ["int8", 128, "INTEGER_OUT_OF_RANGE", "v", /^v must fit int8 \(-128 to 127\)\.$/],
    ["uint256", 2n ** 256n, "INTEGER_OUT_OF_RANGE", "v", /uint256/],
    ["uint256", "9".repeat(100_000), "INTEGER_OUT_OF_RANGE", "v", /uint256/],
    ["uint256", 2 ** 53, "INVALID_ARGUMENT", "v", /give it as text/],
    ["uint256", 1.5, "INVALID_ARGUMENT", "v", /whole number/],
    ["uint256", "1.5", "INVALID_ARGUMENT", "v", /whole number/],
    ["uint256", "1e18", "INVALID_ARGUMENT", "v", /whole number/],
    ["uint256", "", "INVALID_ARGUMENT", "v", /whole number/],
    ["uint256", null, "INVALID_ARGUMENT", "v", /not null/],
    ["uint256", true, "INVALID_ARGUMENT", "v", /whole number/],
    ["uint256", Number.NaN, "INVALID_ARGUMENT", "v", /whole number/],
    ["bool", 1, "INVALID_ARGUMENT", "v", /true or false/],
    ["address", "0x12", "INVALID_ADDRESS", "v", /40 hex digits/],
    ["address", ADDRESS.replace("b", "B"), "INVALID_ADDRESS", "v", /checksum/],
    ["address", 7, "INVALID_ARGUMENT", "v", /address/],
    ["string", 7, "INVALID_ARGUMENT", "v", /text/],
    ["bytes", "0x123", "INVALID_ARGUMENT", "v", /even number/],
    ["bytes", "1234", "INVALID_ARGUMENT", "v", /0x/],
    ["bytes", [256], "INVALID_ARGUMENT", "v", /0 to 255/],
    ["bytes4", "0x123456", "INVALID_ARGUMENT", "v", /4 bytes, and has 3/],
    ["uint8[]", [1, 2, 300], "INTEGER_OUT_OF_RANGE", "v[2]", /v\[2\]/],
    ["uint8[2]", [1], "INVALID_ARGUMENT", "v", /2 items.*has 1/],
    ["uint8[]", 7, "INVALID_ARGUMENT", "v", /list/],
    ["uint8[][2]", [[1], [2, "x"]], "INVALID_ARGUMENT", "v[1][1]", /v\[1\]\[1\]/],
    ["fixed128x18", 1, "INVALID_ARGUMENT", "v", /fixed128x18/],
  ];
  for (const [type, value, code, path, message] of refused) {
    const shown = typeof value === "bigint" ? "2^256" : JSON.stringify(value)?.slice(0, 30);
    it(`of type ${type} may not be ${shown}: ${code}`, () => {
      should(() => encodeValue(type, value, "v")).throw({ code, path, message });
    });
  }
});

describe("checksumAddress", () => {
  it("gives the checksum, and takes blanks around", () => {
    should(checksumAddress(` ${ADDRESS.toLowerCase()}\n`, "to")).equal(ADDRESS);
  });

  it("refuses a mistyped address with its path", () => {
    for (const text of ["", "0x", ADDRESS.slice(2), `${ADDRESS}0`, ADDRESS.replace("A5", "a5"), undefined]) {
      should(() => checksumAddress(text as string, "to")).throw({ code: "INVALID_ADDRESS", path: "to" });
    }
  });
});

describe("encodeFunctionCall", () => {
  const abi = parseAbi(`
    function transfer(address to, uint256 amount) returns (bool)
    function pay((address to, uint8[] amounts)[] lines, string note)
    function both(uint256 a)
    function both(uint256 a, uint256 b)
    function both(address who, uint256 b)
    function ping()
    function nameless(uint8, bool)
  `);
  const data = `0xa9059cbb${word(BigInt(ADDRESS))}${word(5n)}`;

  it("takes values in order, by name, or as JSON text", () => {
    for (const args of [
      [ADDRESS, "5"],
      { amount: 5, to: ADDRESS },
      `["${ADDRESS}", 5]`,
      `{"to": "${ADDRESS}", "amount": 5}`,
    ]) {
      should(encodeFunctionCall({ abi, function: "transfer", args })).deepEqual({
        data,
        signature: "transfer(address,uint256)",
      });
    }
    should(encodeFunctionCall({ abi, function: "ping" }).data).equal("0x5c36b186");
    should(encodeFunctionCall({ abi, function: "nameless", args: { 0: 1, 1: true } }).signature).equal(
      "nameless(uint8,bool)",
    );
  });

  it("does not round a big integer in JSON text", () => {
    const { data } = encodeFunctionCall({
      abi,
      function: "both(uint256)",
      args: "[12345678901234567890123]",
    });
    should(data.slice(10)).equal(word(12345678901234567890123n));
  });

  it("chooses among functions of one name by the values, or by signature", () => {
    const signatureOf = (name: string, args: never): string =>
      encodeFunctionCall({ abi, function: name, args }).signature;
    should(signatureOf("both", [1] as never)).equal("both(uint256)");
    should(signatureOf("both", { a: 1, b: 2 } as never)).equal("both(uint256,uint256)");
    should(signatureOf("both", { who: ADDRESS, b: 2 } as never)).equal("both(address,uint256)");
    should(signatureOf("both(uint256, uint256)", [1, 2] as never)).equal("both(uint256,uint256)");
    should(() => signatureOf("both", [1, 2] as never)).throw({
      code: "INVALID_ARGUMENT",
      message: /both\(uint256,uint256\)/,
    });
  });

  it("names the value that is wrong by its path", () => {
    const wrong: Array<[string, unknown, string, string]> = [
      ["transfer", [ADDRESS], "INVALID_ARGUMENT", "args"],
      ["transfer", [ADDRESS, 1, 2], "INVALID_ARGUMENT", "args"],
      ["transfer", { to: ADDRESS }, "INVALID_ARGUMENT", "args.amount"],
      ["transfer", { to: "0x1", amount: 1 }, "INVALID_ADDRESS", "args.to"],
      ["transfer", 7, "INVALID_ARGUMENT", "args"],
      ["transfer", "oops", "INVALID_ARGUMENT", "args"],
      ["nameless", [1, "maybe"], "INVALID_ARGUMENT", "args[1]"],
      [
        "pay",
        { lines: [{ to: ADDRESS, amounts: [1, 2, 256] }], note: "" },
        "INTEGER_OUT_OF_RANGE",
        "args.lines[0].amounts[2]",
      ],
      ["pay", { lines: [{ to: ADDRESS }], note: "" }, "INVALID_ARGUMENT", "args.lines[0].amounts"],
    ];
    for (const [name, args, code, path] of wrong) {
      should(() => encodeFunctionCall({ abi, function: name, args: args as never })).throw({ code, path });
    }
    should(() => encodeFunctionCall({ abi, function: "transfer", args: [], path: "msg.payload" })).throw({
      path: "msg.payload",
    });
    should(() => encodeFunctionCall({ abi, function: "transferr", args: [] })).throw({
      code: "FUNCTION_NOT_IN_ABI",
      message: /transfer\(address,uint256\)/,
    });
  });
});
