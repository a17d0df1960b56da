import { encodeBytes32String } from "ethers";
import should from "should";
import { encodeFunctionCall, encodeValue, parseAbi, textToBytes } from "../../src/index.ts";

const ZEROS = "00".repeat(32);

describe("text in place of bytes", () => {
  const bytes = (value: unknown, type: Parameters<typeof textToBytes>[1] = "bytes32") =>
    textToBytes(value, type, "args.name");
  const wrong = (value: unknown, type: string, says: RegExp) =>
    should(() => bytes(value, type)).throw(says, { code: "INVALID_ARGUMENT" });

  it("becomes UTF-8, filled up with zeros at its end, as another library does it", () => {
    for (const text of ["hello", "Grüße", "数字", "🚀", "a b", " ", "12", "a9059cbb", "x".repeat(31)]) {
      should(bytes(text)).equal(encodeBytes32String(text));
    }
    should(bytes("hello", "bytes8")).equal("0x68656c6c6f000000");
    should(bytes("hello", "bytes5")).equal("0x68656c6c6f");
    should(bytes("🚀", "bytes4")).equal("0xf09f9a80");
    should(bytes("x".repeat(32))).equal(`0x${"78".repeat(32)}`);
  });

  it("is not filled up where the type has no size", () => {
    should(bytes("hello", "bytes")).equal("0x68656c6c6f");
    should(bytes("x".repeat(33), "bytes")).equal(`0x${"78".repeat(33)}`);
  });

  it("is refused where it is empty, too long or incomplete", () => {
    wrong("", "bytes32", /^args\.name is empty\. Give text, or 0x and hex digits\.$/);
    wrong("", "bytes", /^args\.name is empty/);
    wrong("x".repeat(33), "bytes32", /^args\.name has room for 32 bytes, but the text has 33\. Give shorter/);
    wrong("🚀", "bytes3", /room for 3 bytes, but the text has 4/);
    wrong("ab", "bytes1", /room for 1 byte, but the text has 2\. If these are hex/);
    wrong("ab".repeat(32), "bytes32", /has 64\. If these are hex digits, put 0x in front of them\.$/);
    wrong("\ud83d", "bytes32", /half a character/);
  });

  it("is refused for bytes of any length where it is clearly hex without 0x", () => {
    for (const text of ["ab".repeat(20), "AB".repeat(32), "12".repeat(68)])
      wrong(text, "bytes", /^args\.name looks like hex without its prefix\. Put 0x in front of it\./);
    for (const text of ["cafe", "20240131", "ab".repeat(19), `${"ab".repeat(20)}c`])
      should(bytes(text, "bytes")).equal(`0x${Buffer.from(text).toString("hex")}`);
  });

  it("is hex where it begins with 0x, right or wrong, and then checked by the encoder", () => {
    for (const hex of [`0x${ZEROS}`, ` 0x${ZEROS}\n`, "0x12", "0xzz", "0x", "0Xab"]) {
      should(bytes(hex)).equal(hex);
    }
    should(() => encodeValue("bytes32", bytes("0xzz"), "args.name")).throw(/^args\.name must be bytes: 0x/);
    should(() => encodeValue("bytes32", bytes("0x12"), "args.name")).throw(/must have 32 bytes, but has 1/);
  });

  it("is found in lists and tuples, also as JSON text", () => {
    should(bytes(["a", "0x62"], "bytes1[]")).deepEqual(["0x61", "0x62"]);
    should(bytes('[["a"], []]', "bytes1[][]")).deepEqual([["0x61"], []]);
    const components = [
      { name: "id", type: "bytes4" },
      { name: "", type: "uint256" },
      { name: "tags", type: "bytes2[]" },
    ];
    const tuple = { name: "", type: "tuple", components };
    should(bytes({ id: "ab", 1: "7", tags: ["c"] }, tuple)).deepEqual({
      ...{ id: "0x61620000", 1: "7", tags: ["0x6300"] },
    });
    should(bytes('["ab", 7, ["c"]]', tuple)).deepEqual(["0x61620000", 7, ["0x6300"]]);
    should(() => bytes(["ab", 7, ["c", "long"]], tuple)).throw(/^args\.name\.tags\[1\] has room for 2 bytes/);
  });

  it("leaves everything else as it is", () => {
    const buffer = Buffer.from("ab");
    should(bytes(buffer)).equal(buffer);
    should(bytes([1, 2], "bytes")).deepEqual([1, 2]);
    for (const [value, type] of [
      ...[["hello", "string"] as const, ["[1", "bytes1[]"] as const, [undefined, "bytes32"] as const],
      ...[["7", "uint256"] as const, ['["1"]', "uint256[]"] as const, [5, "bytes32"] as const],
    ]) {
      should(bytes(value, type)).equal(value);
    }
  });

  it("is not taken by the encoder itself", () => {
    const abi = parseAbi("function name(bytes32 name)");
    should(() => encodeFunctionCall({ abi, function: "name", args: ["hello"] })).throw(
      /^args\.name must be bytes/,
    );
  });
});
