import fc from "fast-check";
import * as Hash from "ox/Hash";
import should from "should";
import {
  type Abi,
  type AbiEvent,
  type AbiFunction,
  type AbiParameter,
  decodeFunctionResult,
  encodeFunctionCall,
  encodeValue,
  eventValues,
  logParams,
  parseAbi,
  signatureHash,
  signatureOf,
} from "../../src/abi/index.ts";
import { parseJson } from "../../src/json.ts";
import type { Hex } from "../../src/protocol/index.ts";
import { sized } from "../support/variants.ts";

/** A type, a value of it as a flow carries it, and the plain JSON it must come back as. */
type Sample = { type: string; components?: AbiParameter[]; given: unknown; plain: unknown };

const hex = (length: number): fc.Arbitrary<string> =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`);

const bits = fc.integer({ min: 1, max: 32 }).map((bytes) => bytes * 8);

const integer: fc.Arbitrary<Sample> = fc
  .tuple(bits, fc.boolean(), fc.nat(3))
  .chain(([size, signed, form]) => {
    const min = signed ? -(2n ** BigInt(size - 1)) : 0n;
    const max = signed ? 2n ** BigInt(size - 1) - 1n : 2n ** BigInt(size) - 1n;
    return fc.bigInt({ min, max }).map((value) => ({
      type: `${signed ? "" : "u"}int${size}`,
      given:
        form === 0
          ? value
          : form === 1 && Number.isSafeInteger(Number(value))
            ? Number(value)
            : String(value),
      plain: String(value),
    }));
  });

const fraction: fc.Arbitrary<Sample> = fc
  .record({ size: bits, signed: fc.boolean(), places: fc.integer({ min: 1, max: 80 }) })
  .chain(({ size, signed, places }) => {
    const most = 2n ** BigInt(signed ? size - 1 : size) - 1n;
    return fc.bigInt({ min: signed ? -most - 1n : 0n, max: most }).map((stored) => {
      const digits = String(stored < 0n ? -stored : stored).padStart(places + 1, "0");
      const plain = `${stored < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`;
      return { type: `${signed ? "" : "u"}fixed${size}x${places}`, given: plain, plain };
    });
  });

const simple: fc.Arbitrary<Sample> = fc.oneof(
  integer,
  fraction,
  fc.boolean().map((value) => ({ type: "bool", given: value, plain: value })),
  fc.boolean().map((value) => ({ type: "bool", given: String(value), plain: value })),
  fc.string({ unit: "grapheme" }).map((value) => ({ type: "string", given: value, plain: value })),
  fc
    .nat(70)
    .chain(hex)
    .map((value) => ({ type: "bytes", given: value, plain: value })),
  fc
    .integer({ min: 1, max: 32 })
    .chain((size) => hex(size).map((value) => ({ type: `bytes${size}`, given: value, plain: value }))),
  hex(20).map((value) => ({ type: "address", given: value, plain: value })),
);

/** An address and a selector. Services write it alone, and not in lists and tuples. */
const callable: fc.Arbitrary<Sample> = hex(24).map((value) => ({
  type: "function",
  given: value,
  plain: value,
}));

/** Parts called a, b, c… */
const names = "abcdefgh";

const { sample } = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    simple,
    fc.tuple(tie("sample"), fc.nat(3), fc.boolean(), fc.boolean()).map(([item, length, fixed, asText]) => {
      const given = new Array(length).fill(item.given);
      return {
        ...item,
        type: `${item.type}[${fixed && length > 0 ? length : ""}]`,
        given: asText ? jsonText(given) : given,
        plain: new Array(length).fill(item.plain),
      };
    }),
    fc
      .tuple(fc.array(tie("sample"), { minLength: 1, maxLength: 3 }), fc.boolean())
      .map(([parts, asList]) => ({
        type: "tuple",
        components: parts.map((part, index) => parameterOf(part, names[index] ?? "")),
        given: asList ? parts.map((part) => part.given) : objectOf(parts.map((part) => part.given)),
        plain: objectOf(parts.map((part) => part.plain)),
      })),
  ),
}));

function objectOf(values: unknown[]): object {
  return Object.fromEntries(values.map((value, index) => [names[index], value]));
}

function jsonText(value: unknown): string {
  return JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? String(part) : part));
}

function parameterOf({ type, components }: Sample, name: string): AbiParameter {
  return { name, type, ...(components === undefined ? {} : { components }) };
}

/** Addresses come back with a checksum: compared without case. */
const lower = (value: unknown): string => JSON.stringify(value).toLowerCase();

describe("a value", () => {
  it("comes back from call data as it went in, as plain JSON", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 9, arbitrary: sample }, callable), { minLength: 1, maxLength: 4 }),
        (samples) => {
          const inputs = samples.map((each, index) => parameterOf(each, names[index] ?? ""));
          const item: AbiFunction = {
            type: "function",
            name: "f",
            inputs,
            outputs: inputs,
            stateMutability: "view",
          };
          const abi: Abi = parseAbi([item]);
          const { data } = encodeFunctionCall({
            abi,
            function: "f",
            args: samples.map(({ given }) => given),
          });
          const decoded = decodeFunctionResult({ abi, function: "f", data: `0x${data.slice(10)}` });
          const plain = samples.map((each) => each.plain);
          should(lower(decoded)).equal(lower(plain.length === 1 ? plain[0] : objectOf(plain)));
        },
      ),
      { numRuns: sized(200, 500) },
    );
  });

  it("comes back from a log through the wire's JSON, with the ABI's names", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.oneof({ weight: 9, arbitrary: sample }, callable), fc.boolean()), {
          minLength: 1,
          maxLength: 4,
        }),
        (drawn) => {
          let indexedLeft = 3;
          const inputs = drawn.map(([each, wanted], index) => ({
            ...parameterOf(each, `someName${names[index]?.toUpperCase()}`),
            indexed: wanted && indexedLeft-- > 0,
          }));
          const event: AbiEvent = { type: "event", name: "E", anonymous: false, inputs };
          const samples = drawn.map(([each]) => each);
          const log = logOf(event, samples);
          const params = parseJson(JSON.stringify(logParams(event, log)));
          const decoded = eventValues(
            [event],
            { topic_hash: log.topics[0] },
            params as Record<string, unknown>,
          )?.params;
          const expected = inputs.map((input, index) => [
            input.name,
            input.indexed && isDynamic(input) ? hashTopic : samples[index]?.plain,
          ]);
          should(lower(decoded)).equal(lower(Object.fromEntries(expected)));
        },
      ),
      { numRuns: sized(200, 500) },
    );
  });
});

const hashTopic = Hash.keccak256("0x1234") as Hex;

function isDynamic({ type }: AbiParameter): boolean {
  return type.endsWith("]") || type === "tuple" || type === "string" || type === "bytes";
}

/** The log a chain would hold; of indexed dynamic values just some hash. */
function logOf(event: AbiEvent, samples: Sample[]): { topics: Hex[]; data: Hex } {
  const topics: Hex[] = [signatureHash(signatureOf(event))];
  const others: Sample[] = [];
  event.inputs.forEach((input, index) => {
    const each = samples[index];
    if (each === undefined) return;
    if (!input.indexed) others.push(each);
    else topics.push(isDynamic(input) ? hashTopic : encodeValue(parameterOf(each, ""), each.given, "v"));
  });
  const inputs = others.map((each, index) => parameterOf(each, names[index] ?? ""));
  const item: AbiFunction = { type: "function", name: "f", inputs, outputs: [], stateMutability: "view" };
  const { data } = encodeFunctionCall({ abi: [item], function: "f", args: others.map(({ given }) => given) });
  return { topics, data: `0x${data.slice(10)}` };
}
