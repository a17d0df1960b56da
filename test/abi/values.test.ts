import should from "should";
import { checksumAddress, encodeFunctionCall, parseAbi } from "../../src/abi/index.ts";

const ADDRESS = "0x5b571A50AC6cB524730C8419EBe452703139809A";
const word = (value: bigint): string => BigInt.asUintN(256, value).toString(16).padStart(64, "0");

describe("checksumAddress", () => {
  it("names a checksum that is that of one chain", () => {
    // The example of EIP-1191 for RSK.
    should(() => checksumAddress("0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD", "to")).throw({
      code: "INVALID_ADDRESS",
      message: /^to has the checksum that EIP-1191 gives it on chain 30,.* lower case/,
    });
  });

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
