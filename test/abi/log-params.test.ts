import should from "should";
import { eventFragments, eventValues, logParams, parseAbi, signatureHash } from "../../src/abi/index.ts";
import type { EventFragment } from "../../src/protocol/index.ts";

const word = (value: bigint): string => BigInt.asUintN(256, value).toString(16).padStart(64, "0");
const topic = (value: bigint): string => `0x${word(value)}`;

function fragmentOf(text: string): EventFragment {
  const [fragment] = eventFragments(parseAbi(text), [/event (\w+)/.exec(text)?.[1] ?? ""]);
  if (fragment === undefined) throw new Error("no event");
  return fragment;
}

describe("logParams", () => {
  it("writes a transfer as the service does", () => {
    const fragment = fragmentOf(
      "event Transfer(address indexed from, address indexed to, uint256 tokenValue)",
    );
    const log = {
      topics: [signatureHash("Transfer(address,address,uint256)"), topic(1n), topic(2n)],
      data: `0x${word(1000n)}`,
    };
    should(logParams(fragment, log)).deepEqual({
      from: "0x0000000000000000000000000000000000000001",
      to: "0x0000000000000000000000000000000000000002",
      token_value: "1000",
    });
  });

  it("writes small integers as numbers, unrounded beyond 2^53, and all others as text", () => {
    const fragment = fragmentOf(
      "event E(uint8 indexed a, uint8 b, uint64 c, int64 d, uint72 e, uint64[] f, string indexed g, bool, bytes4 h)",
    );
    const hash = signatureHash("g");
    const head = [5n, 2n ** 64n - 1n, -(2n ** 63n), 7n, 7n * 32n, 1n, 0x12345678n << 224n, 2n, 3n, 2n ** 60n];
    const log = {
      topics: [
        signatureHash("E(uint8,uint8,uint64,int64,uint72,uint64[],string,bool,bytes4)"),
        topic(9n),
        hash,
      ],
      data: `0x${head.map(word).join("")}`,
    };
    should(JSON.stringify(logParams(fragment, log))).equal(
      '{"a":"9","b":5,"c":18446744073709551615,"d":-9223372036854775808,"e":"7","f":[3,1152921504606846976],' +
        `"g":"${hash}","arg7":true,"h":"0x12345678"}`,
    );
  });

  it("writes fixed-point numbers with their places, and a function as bytes, but not in a list", () => {
    const fragment = fragmentOf(
      "event E(fixed8x2 a, fixed indexed b, ufixed16x1[] c, function (uint) external returns (bool) d)",
    );
    const called = `${"11".repeat(20)}a9059cbb`;
    const head = [-150n, 96n, BigInt(`0x${called}`) << 64n, 1n, 5n];
    const log = {
      topics: [signatureHash("E(fixed8x2,fixed128x18,ufixed16x1[],function)"), topic(-(10n ** 18n))],
      data: `0x${head.map(word).join("")}`,
    };
    // -1.50 is outside of the type, which goes to -1.28.
    should(() => logParams(fragment, log)).throw({ code: "LOG_MISMATCH" });
    const fitting = { ...log, data: `0x${word(-128n)}${log.data.slice(66)}` };
    should(logParams(fragment, fitting)).eql({
      ...{ a: "-1.28", b: "-1.000000000000000000", c: ["0.5"], d: `0x${called}` },
    });
    const listed = fragmentOf("event F(function[] d)");
    const topics = [signatureHash("F(function[])")];
    const list = `0x${[32n, 1n, BigInt(`0x${called}`) << 64n].map(word).join("")}`;
    should(() => logParams(listed, { topics, data: list })).throw({ code: "LOG_MISMATCH" });
    const event = { topic_hash: topics[0] };
    should(() => eventValues([listed], event, { d: [[...Buffer.from(called, "hex")]] })).throw({
      code: "MALFORMED_EVENT",
    });
  });

  it("recognizes a log of another event", () => {
    const fragment = fragmentOf("event Transfer(address indexed from, address indexed to, uint256 value)");
    const topics = [signatureHash("Transfer(address,address,uint256)"), topic(1n), topic(2n)];
    for (const log of [
      { topics: [topic(1n), topic(1n), topic(2n)], data: `0x${word(1n)}` },
      { topics: [...topics, topic(3n)], data: "0x" },
      { topics: [...topics, topic(3n)], data: `0x${word(1n)}` },
      { topics, data: "0x" },
      { topics: [], data: "0x" },
    ]) {
      should(() => logParams(fragment, log)).throw({ code: "LOG_MISMATCH" });
    }
  });
});
