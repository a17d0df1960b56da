import should from "should";
import {
  decodeFunctionCall,
  decodeFunctionResult,
  decodeValues,
  encodeFunctionCall,
  encodeValue,
  eventValues,
  logParams,
  parseAbi,
  signatureHash,
} from "../../src/abi/index.ts";
import type { EventFragment, Hex } from "../../src/protocol/index.ts";

const word = (value: bigint): string => BigInt.asUintN(256, value).toString(16).padStart(64, "0");
const words = (...values: bigint[]): Hex => `0x${values.map(word).join("")}`;

describe("a value outside its type", () => {
  const abi = parseAbi(`
    struct Order { address to; uint8[] amounts; }
    function fill(Order order, bytes4 id)
    function order() view returns ((address to, uint8[] amounts) order, bytes4 id)
    function level() view returns (uint8)
  `);

  it("is refused on its way in, with its path and what it is", () => {
    const to = "0x5b571A50AC6cB524730C8419EBe452703139809A";
    const filled = (amounts: unknown, id: unknown = "0x12345678") =>
      encodeFunctionCall({ abi, function: "fill", args: { order: { to, amounts }, id } as never });
    should(() => filled([1, 2, 300])).throw({
      code: "INTEGER_OUT_OF_RANGE",
      path: "args.order.amounts[2]",
      message: "args.order.amounts[2] must fit uint8 (0 to 255), but is 300.",
    });
    should(() => filled([-1])).throw({ path: "args.order.amounts[0]", message: /but is -1\./ });
    should(() => filled([`${"9".repeat(200)}`])).throw({ message: /must fit uint8 \(0 to 255\)\.$/ });
    should(() => filled([1], "0x1234567890")).throw({ path: "args.id" });
    should(() => filled([1], "0X12345678")).throw({ path: "args.id" });
  });

  it("is refused in what a function returned, with its path", () => {
    const order = (to: bigint, amounts: bigint[], id: bigint) =>
      decodeFunctionResult({
        abi,
        function: "order",
        data: words(64n, id, to, 64n, BigInt(amounts.length), ...amounts),
      });
    const id = 0x12345678n << 224n;
    should(order(1n, [1n, 255n], id)).deepEqual({
      order: { to: `0x${"1".padStart(40, "0")}`, amounts: ["1", "255"] },
      id: "0x12345678",
    });
    const refused = (read: () => unknown, message: RegExp) =>
      should(read).throw({ code: "RESULT_UNREADABLE", message });
    refused(
      () => order(1n, [1n, 2n, 300n], id),
      /^outputs\.order\.amounts\[2\] is 300, which does not fit uint8\./,
    );
    refused(() => order(2n ** 160n, [], id), /^outputs\.order\.to does not fit address\. .*: 0x0{23}1.{40}$/);
    refused(() => order(1n, [], id + 1n), /^outputs\.id does not fit bytes4\. .*: 0x12345678.{56}$/);
    refused(
      () => decodeFunctionResult({ abi, function: "level", data: words(256n) }),
      /^outputs\[0\] is 256/,
    );
  });

  it("is refused in values by themselves", () => {
    for (const [type, value] of [
      ["int8", 128n],
      ["int8", -129n],
      ["uint248", 2n ** 248n],
      ["bool", 2n],
      ["address", -1n],
      ["bytes31", 1n],
    ] as const) {
      should(() => decodeValues([{ name: "x", type }], words(value))).throw({
        code: "RESULT_UNREADABLE",
        message: new RegExp(`^values\\.x (?:is .* )?does not fit ${type}`),
      });
    }
    should(decodeValues([{ name: "", type: "int8" }], words(-128n))).deepEqual(["-128"]);
  });

  it("makes call data that of no known function", () => {
    const { data } = encodeFunctionCall({
      abi: parseAbi("function f(uint256 a)"),
      function: "f",
      args: [300],
    });
    const narrow = parseAbi("function f(uint8 a)");
    const selector = encodeFunctionCall({ abi: narrow, function: "f", args: [1] }).data.slice(0, 10);
    should(decodeFunctionCall({ abi: narrow, data: `${selector}${data.slice(10)}` })).be.undefined();
  });

  it("makes a log one of another event", () => {
    const fragment = parseAbi("event E(uint8 a, address indexed b)")[0] as EventFragment;
    const topics = (b: bigint) => [signatureHash("E(uint8,address)"), words(b)];
    should(logParams(fragment, { topics: topics(1n), data: words(255n) })).have.property("a", 255);
    for (const log of [
      { topics: topics(1n), data: words(256n) },
      { topics: topics(2n ** 160n), data: words(1n) },
    ]) {
      should(() => logParams(fragment, log)).throw({ code: "LOG_MISMATCH" });
    }
  });
});

describe("a parameter of an event", () => {
  const abi = parseAbi(
    "event E(int16 indexed a, bytes4 indexed b, uint8 c, uint8[2] d, bytes[] e, bytes3 f, (uint8 g, bool) h)",
  );
  const event_signature = "E(int16,bytes4,uint8,uint8[2],bytes[],bytes3,(uint8,bool))";
  const read = (params: Record<string, unknown>) => eventValues(abi, { event_signature }, params)?.params;

  it("is refused outside its type, with its path", () => {
    for (const [name, value, path] of [
      ["a", 32768, "params.a"],
      ["a", String(2n ** 256n - 32769n), "params.a"],
      ["a", String(2n ** 256n), "params.a"],
      ["b", `0x12345678${"0".repeat(55)}1`, "params.b"],
      ["c", 256, "params.c"],
      ["c", -1, "params.c"],
      ["d", [1], "params.d"],
      ["d", [1, 256], "params.d\\[1\\]"],
      ["d", "0x010203", "params.d"],
      ["e", ["0x1"], "params.e\\[0\\]"],
      ["e", ["0xab0"], "params.e\\[0\\]"],
      ["f", "0x1234", "params.f"],
      ["f", "AAAA", "params.f"],
      ["h", { g: 256 }, "params.h.g"],
    ] as const) {
      should(() => read({ [name]: value })).throw({
        code: "MALFORMED_EVENT",
        message: new RegExp(`${path} is not of type`),
      });
    }
  });

  it("is read in the ways that writers have", () => {
    should(
      read({
        a: String(2n ** 256n - 5n),
        b: `0x12345678${"0".repeat(56)}`,
        d: "0x01ff",
        e: ["0xabcd", "q80=", [171], ""],
        f: [1, 2, 3],
      }),
    ).deepEqual({
      a: "-5",
      b: "0x12345678",
      d: ["1", "255"],
      e: ["0xabcd", "0xabcd", "0xab", "0x"],
      f: "0x010203",
    });
    should(read({ a: "-5" })).deepEqual({ a: "-5" });
  });
});

describe("a byte order mark that begins a string", () => {
  it("comes back as it went in", () => {
    const text = "\ufeffhello\ufeff";
    const parameter = { name: "", type: "tuple", components: [{ name: "t", type: "string[]" }] };
    should(decodeValues([{ name: "", type: "string" }], encodeValue("string", text, "t"))).deepEqual([text]);
    const data = encodeValue(parameter, { t: [text, "\ufeff", ""] }, "t");
    should(decodeValues([parameter], data)).deepEqual([{ t: [text, "\ufeff", ""] }]);
  });
});
