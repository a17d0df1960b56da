import fc from "fast-check";
import should from "should";
import {
  decodeAbiParameters,
  decodeEventLog,
  encodeAbiParameters,
  type Hex,
  keccak256,
  type AbiEvent as ViemEvent,
  type AbiParameter as ViemParameter,
} from "viem";
import {
  type Abi,
  type AbiEvent,
  type AbiFunction,
  type AbiParameter,
  decodeFunctionCall,
  decodeFunctionResult,
  encodeFunctionCall,
  encodeValue,
  eventFragments,
  eventValues,
  listEvents,
  listFunctions,
  logParams,
  parseAbi,
  signatureHash,
  signatureOf,
} from "../../src/abi/index.ts";
import { plainName } from "../../src/abi/units.ts";
import { parseJson } from "../../src/json.ts";
import { sized } from "../support/variants.ts";

type Fields = Record<string, unknown>;

const WORD = 2n ** 256n;
const AMBIGUOUS = { code: "ABI_AMBIGUOUS" };

const read = (text: string, params: Fields) => {
  const abi = parseAbi(text);
  const [event] = listEvents(abi);
  return eventValues(abi, { topic_hash: event?.topicHash }, params)?.params;
};

/** In both orders, since merged ABIs have any. */
const readBoth = (one: string, other: string, params: Fields) => {
  const found = read(`${one}\n${other}`, params);
  should(read(`${other}\n${one}`, params)).deepEqual(found);
  return found;
};

describe("an event that an ABI has several times with one signature", () => {
  it("is read by the item whose types and ranges fit", () => {
    const indexed = "event Level(int256 indexed x)";
    const plain = "event Level(int256 x)";
    should(readBoth(indexed, plain, { x: String(WORD - 5n) })).deepEqual({ x: "-5" });
    should(readBoth(indexed, plain, { x: "-5" })).deepEqual({ x: "-5" });
    const topic = `0x12345678${"0".repeat(56)}`;
    const [id, part] = ["event Id(bytes4 indexed id)", "event Id(bytes4 id)"];
    should(readBoth(id, part, { id: topic })).deepEqual({ id: "0x12345678" });
    should(readBoth(id, part, { id: "0x12345678" })).deepEqual({ id: "0x12345678" });
    const [hash, list] = ["event Set(uint256[] indexed v)", "event Set(uint256[] v)"];
    should(readBoth(hash, list, { v: [1, 2] })).deepEqual({ v: ["1", "2"] });
    should(readBoth(hash, list, { v: `0x${"ab".repeat(32)}` })).deepEqual({ v: `0x${"ab".repeat(32)}` });
  });

  it("is read by the item whose names are there", () => {
    const standard = "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)";
    const amount = "event Transfer(address indexed from, address indexed to, uint256 value)";
    const to = `0x${"0".repeat(39)}1`;
    should(readBoth(standard, amount, { from: to, to, token_id: "7" })).deepEqual({
      from: to,
      to,
      tokenId: "7",
    });
    should(readBoth(standard, amount, { from: to, to, value: "7" })).deepEqual({ from: to, to, value: "7" });
    const old = standard.replace("uint256 indexed", "uint256");
    should(readBoth(standard, old, { from: to, to, token_id: "7" })).have.property("tokenId", "7");
  });

  it("is not read where two items fit and read differently, nor where none fits", () => {
    const [hash, list] = ["event Set(uint8[] indexed v)", "event Set(uint8[] v)"];
    const v = `0x${"01".repeat(32)}`;
    for (const text of [`${hash}\n${list}`, `${list}\n${hash}`]) {
      should(() => read(text, { v })).throw({
        ...AMBIGUOUS,
        message: /^2 events Set\(uint8\[\]\) .*; keep one/,
      });
      should(() => read(text, { v: "no" })).throw({ code: "MALFORMED_EVENT" });
    }
    should(readBoth(hash, list, { v: "0x01" })).deepEqual({ v: ["1"] });
    // A single one stands: no other one says that its list is a hash.
    should(read(list, { v: "0x01" })).deepEqual({ v: ["1"] });
    should(() => read(hash, { v: "0x01" })).throw({ code: "MALFORMED_EVENT" });
  });

  it("is listed once for each way to read a log, and watched by the one that is named", () => {
    const abi = parseAbi(
      "event L(int256 indexed x, uint256 y)\nevent L(int256 x, uint256 indexed y)\nevent L(int256 indexed a, uint256 b)\nevent M(uint256 v)",
    );
    should(listEvents(abi).map(({ inputs }) => inputs.map(({ name }) => name).join())).deepEqual([
      "x,y",
      "x,y",
      "v",
    ]);
    for (const name of ["L", "L(int256,uint256)"])
      should(() => eventFragments(abi, ["M", name])).throw({
        ...AMBIGUOUS,
        path: "events[1]",
        message: /L\(int256 indexed x, uint256 y\)/,
      });
    for (const name of ["L(int256 x, uint256 indexed y)", "L( int x,uint indexed y )"])
      should(eventFragments(abi, [name]).map(({ inputs }) => inputs.map(({ indexed }) => indexed))).deepEqual(
        [[false, true]],
      );
  });

  it("with names exchanged, is not one that is watched by its name", () => {
    const abi = parseAbi("event Moved(address from, address to)\nevent Moved(address to, address from)");
    should(listEvents(abi)).have.length(2);
    should(() => eventFragments(abi, ["Moved"])).throw(AMBIGUOUS);
  });
});

describe("a function that an ABI has several times with one signature", () => {
  const resultOf = (outputs: string[], data: Hex) => {
    const abi = parseAbi(outputs.map((one) => `function f() view${one && ` returns (${one})`}`));
    return decodeFunctionResult({ abi, function: "f", data });
  };
  const five = encodeValue("uint256", 5, "v");
  const negative = encodeValue("int256", -5, "v");

  it("has the result that one of its items can hold", () => {
    for (const [outputs, data, result] of [
      [["uint8", "uint256"], encodeValue("uint256", 300, "v"), "300"],
      [["uint8", "uint256"], five, "5"],
      [["", "bool"], encodeValue("bool", true, "v"), true],
      [["", "bool"], "0x", null],
      [["uint256", "uint256 a, uint256 b"], `${five}${five.slice(2)}`, { a: "5", b: "5" }],
      [["uint256 a, uint256 b", "uint256"], five, "5"],
      [["string", "bytes32"], encodeValue("string", "abc", "v"), "abc"],
      [["int256", "int8"], negative, "-5"],
    ] as const) {
      should(resultOf([...outputs], data as Hex)).deepEqual(result);
      should(resultOf([...outputs].reverse(), data as Hex)).deepEqual(result);
    }
  });

  it("has no result where two items read it differently", () => {
    for (const [outputs, data] of [
      [["uint256", "int256"], negative],
      [["bool", "uint256"], encodeValue("bool", true, "v")],
      [["bytes32", "uint256"], five],
      [["uint256 a, bool b", "uint256 b, bool a"], `${five}${encodeValue("bool", true, "v").slice(2)}`],
      [["uint256 a, bool b", "int256 c, bool d"], `${negative}${encodeValue("bool", true, "v").slice(2)}`],
    ] as const)
      should(() => resultOf([...outputs], data as Hex)).throw({
        ...AMBIGUOUS,
        message: /^2 functions f\(\) .*; keep one/,
      });
  });

  it("is called by the names of any of them, if that is the same call", () => {
    const abi = parseAbi(
      "function pay(address to, uint256 value)\nfunction pay(address who, uint256 amount)",
    );
    const to = `0x${"0".repeat(39)}1`;
    const { data } = encodeFunctionCall({ abi, function: "pay", args: [to, 1] });
    for (const args of [
      { to, value: 1 },
      { who: to, amount: 1 },
    ])
      should(encodeFunctionCall({ abi, function: "pay", args }).data).equal(data);
    should(decodeFunctionCall({ abi, data })?.args).deepEqual({ to, value: "1" });
    should(listFunctions(abi)).have.length(1);
    const exchanged = parseAbi("function f(uint256 a, uint256 b)\nfunction f(uint256 b, uint256 a)");
    should(() => encodeFunctionCall({ abi: exchanged, function: "f", args: { a: 1, b: 2 } })).throw(
      AMBIGUOUS,
    );
    const call = encodeFunctionCall({ abi: exchanged, function: "f", args: [1, 2] });
    should(decodeFunctionCall({ abi: exchanged, data: call.data })).be.undefined();
  });
});

/** Types with a value each, as viem encodes it. */
const samples: fc.Arbitrary<{ type: ViemParameter; value: unknown }> = fc.oneof(
  of("int256", fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n })),
  of("int8", fc.integer({ min: -128, max: 127 })),
  of("uint256", fc.bigInt({ min: 0n, max: WORD - 1n })),
  of("bytes4", hex(4)),
  of("bytes32", hex(32)),
  of("bytes", fc.oneof(hex(3), hex(32))),
  of("bool", fc.boolean()),
  of("string", fc.string({ maxLength: 8 })),
  of(
    "uint8[]",
    fc.constantFrom(0, 2, 32).map((length) => new Array(length).fill(7)),
  ),
  of("uint256[]", fc.array(fc.bigInt({ min: 0n, max: WORD - 1n }), { maxLength: 2 })),
  fc.bigInt({ min: 0n, max: 9n }).map((a) => ({
    type: { name: "", type: "tuple", components: [{ name: "a", type: "uint256" }] },
    value: { a },
  })),
);

function of(type: string, values: fc.Arbitrary<unknown>) {
  return values.map((value) => ({ type: { name: "", type }, value }));
}

function hex(length: number): fc.Arbitrary<string> {
  return fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`);
}

const isDynamic = ({ type }: AbiParameter) => /\]$|^(?:tuple|string|bytes)$/.test(type);

/** What a service signs of the event, and what viem reads of its log, by position. */
function emitted(event: AbiEvent, values: readonly unknown[]) {
  const alone = { ...event, inputs: event.inputs.map((input, index) => ({ ...input, name: `p${index}` })) };
  const abi = [alone as ViemEvent];
  const topics: [Hex, ...Hex[]] = [signatureHash(signatureOf(event))];
  for (const [index, input] of event.inputs.entries()) {
    const word = encodeAbiParameters([input as ViemParameter], [values[index]]);
    if (input.indexed) topics.push(isDynamic(input) ? keccak256(word) : word);
  }
  const others = event.inputs.flatMap((input, index) => (input.indexed ? [] : [{ input, index }]));
  const data = encodeAbiParameters(
    others.map(({ input }) => input as ViemParameter),
    others.map(({ index }) => values[index]),
  );
  const decoded = decodeEventLog({ abi, topics, data }) as unknown as { args: Fields };
  const expected = event.inputs.map((_, index) => decoded.args[`p${index}`]);
  const wire = parseJson(JSON.stringify(logParams(event, { topics, data }))) as Fields;
  return { wire, expected, topic_hash: signatureHash(signatureOf(event)) };
}

describe("any two events with one signature", () => {
  const names = fc.constantFrom("a", "b", "tokenId", "token_id", "");

  it("are read as the one that was emitted, or not at all where both fit", () => {
    const drawn = fc.array(fc.tuple(samples, fc.boolean(), fc.boolean(), names, names), {
      minLength: 1,
      maxLength: 3,
    });
    const seen = { read: 0, refused: 0 };
    fc.assert(
      fc.property(drawn, fc.boolean(), fc.boolean(), (parts, sameNames, isSecond) => {
        const item = (which: 1 | 2): AbiEvent => ({
          ...{ type: "event", name: "E", anonymous: false },
          inputs: parts.map(([{ type }, ...rest]) => ({
            ...(type as AbiParameter),
            name: String(rest[which === 1 || sameNames ? 2 : 3]),
            indexed: rest[which - 1] === true,
          })),
        });
        const [emits, other] = [item(1), item(2)];
        const values = parts.map(([{ value }]) => value);
        const { wire, expected, topic_hash } = emitted(emits, values);
        const alone = (one: AbiEvent): unknown => {
          try {
            return eventValues([one], { topic_hash }, wire)?.params;
          } catch {
            return undefined;
          }
        };
        const own = alone(emits) as Fields;
        // As viem reads the log; where names meet on the wire, nothing is made of what is left of them.
        const wireNames = emits.inputs.map(({ name }, index) =>
          name === "" ? `arg${index}` : name === "tokenId" ? "token_id" : name,
        );
        for (const [index, { name }] of emits.inputs.entries()) {
          const isAlone = wireNames.filter((one) => one === wireNames[index]).length === 1;
          const key = name || `arg${index}`;
          if (isAlone) should(lower(own[key])).equal(lower(expected[index]));
          else should(own).not.have.property(key);
        }
        const abi: Abi = isSecond ? [other, emits] : [emits, other];
        try {
          const found = eventValues(abi, { topic_hash }, wire)?.params;
          should(inOneNotation(found)).equal(inOneNotation(own));
          seen.read += 1;
        } catch (error) {
          should(error).have.property("code", "ABI_AMBIGUOUS");
          const its = alone(other);
          should(its).be.ok();
          should(inOneNotation(its)).not.equal(inOneNotation(own));
          seen.refused += 1;
        }
      }),
      { numRuns: sized(200, 600) },
    );
    should(seen.read).be.above(sized(100, 300));
    should(seen.refused).be.above(0);
  });
});

describe("any two functions with one signature", () => {
  it("have the result that was encoded, or none where both fit", () => {
    const outputs = fc.array(samples, { maxLength: 3 });
    const seen = { read: 0, refused: 0 };
    fc.assert(
      fc.property(outputs, outputs, fc.boolean(), (parts, others, isSecond) => {
        const item = (given: typeof parts): AbiFunction => ({
          ...{ type: "function", name: "f", inputs: [], stateMutability: "view" },
          outputs: given.map(({ type }) => type as AbiParameter),
        });
        const [own, other] = [item(parts), item(others)];
        const data = encodeAbiParameters(
          own.outputs as ViemParameter[],
          parts.map(({ value }) => value),
        );
        const result = (abi: Abi) => lower(decodeFunctionResult({ abi, function: "f", data }));
        const alone = result([own]);
        const decoded = parts.length === 0 ? [] : decodeAbiParameters(own.outputs as ViemParameter[], data);
        if (parts.length !== 1) should(alone).equal(parts.length === 0 ? "null" : lower({ ...decoded }));
        else should(alone).equal(lower(decoded[0]));
        try {
          should(result(isSecond ? [other, own] : [own, other])).equal(alone);
          seen.read += 1;
        } catch (error) {
          should(error).have.property("code", "ABI_AMBIGUOUS");
          should(result([other])).not.equal(alone);
          seen.refused += 1;
        }
      }),
      { numRuns: sized(500, 1_000) },
    );
    should(seen.read).be.above(sized(250, 500));
    should(seen.refused).be.above(0);
  });
});

/** As plain JSON, without the case of hex. */
function lower(value: unknown): string {
  const isNumber = (one: unknown) => typeof one === "bigint" || typeof one === "number";
  return JSON.stringify(value, (_, one: unknown) => (isNumber(one) ? String(one) : one)).toLowerCase();
}

/** Compared whatever the notation of the names, and their order. */
function inOneNotation(value: unknown): string {
  const entries = Object.entries(value as Fields).map(([name, one]) => [plainName(name), one]);
  return JSON.stringify(entries.sort(([one], [other]) => (lower(one) < lower(other) ? -1 : 1)));
}

describe("names that are not unique", () => {
  it("are positions in a result, also in its tuples", () => {
    const abi = parseAbi("function f() view returns (uint256 out, uint256 out, bool ok)");
    const data =
      `0x${[7, 8, 1].map((value) => encodeValue("uint256", value, "v").slice(2)).join("")}` as const;
    should(decodeFunctionResult({ abi, function: "f", data })).deepEqual({ 0: "7", 1: "8", ok: true });
    const tuple = parseAbi("function f() view returns ((uint256 a, uint256 a, bool b) t)");
    should(decodeFunctionResult({ abi: tuple, function: "f", data })).deepEqual({ 0: "7", 1: "8", b: true });
  });

  it("are refused as names of arguments", () => {
    const abi = parseAbi("function f(uint256 a, uint256 a, bool b)");
    const { data } = encodeFunctionCall({ abi, function: "f", args: [1, 2, true] });
    should(decodeFunctionCall({ abi, data })?.args).deepEqual({ 0: "1", 1: "2", b: true });
    should(encodeFunctionCall({ abi, function: "f", args: { 0: 1, 1: 2, b: true } }).data).equal(data);
    should(() => encodeFunctionCall({ abi, function: "f", args: { a: 1, b: true } })).throw({
      code: "INVALID_ARGUMENT",
      message: /args\.a is the name of several values; give them in order/,
    });
  });

  it("are positions in an event where the signed text has all values, and left out where it has lost one", () => {
    const text = "event E(uint256 a, uint256 a, uint256 tokenId, uint256 token_id, bool b)";
    should(read(text, { arg0: 1, arg1: 2, tokenId: 3, token_id: 4, b: true })).deepEqual({
      arg0: "1",
      arg1: "2",
      tokenId: "3",
      token_id: "4",
      b: true,
    });
    should(read(text, { a: 2, token_id: 4, b: true })).deepEqual({ b: true });
    // Names that differ only to a person who reads loosely keep their values.
    should(read("event E(uint256 tokenid, uint256 tokenId)", { tokenid: 1, token_id: 2 })).deepEqual({
      tokenid: "1",
      tokenId: "2",
    });
  });
});
