import fc from "fast-check";
import { getAddress } from "viem";
import type { AbiParameter } from "../../../src/abi/index.ts";
import { valueNames } from "../../../src/protocol/abi-names.ts";

const hex = (size: fc.Arbitrary<number>): fc.Arbitrary<string> =>
  size.chain((length) =>
    fc
      .uint8Array({ minLength: length, maxLength: length })
      .map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`),
  );

/** Values of a parameter, in the form of viem. */
export function valuesOf(parameter: AbiParameter): fc.Arbitrary<unknown> {
  const { type, components = [] } = parameter;
  const [, of, length] = /^(.*)\[(\d*)\]$/.exec(type) ?? [];
  if (of !== undefined) {
    const sizes = length ? { minLength: Number(length), maxLength: Number(length) } : { maxLength: 3 };
    return fc.array(valuesOf({ ...parameter, type: of }), { ...sizes, size: "max" });
  }
  if (type === "tuple") {
    const parts = fc.tuple(...components.map(valuesOf));
    if (components.some(({ name }) => name === "")) return parts;
    return parts.map((values) =>
      Object.fromEntries(components.map(({ name }, index) => [name, values[index]])),
    );
  }
  const [, signed, bits] = /^(u?)int(\d+)$/.exec(type) ?? [];
  if (bits !== undefined) return integers(signed === "", Number(bits));
  const [, size] = /^bytes(\d+)$/.exec(type) ?? [];
  if (size !== undefined) return hex(fc.constant(Number(size)));
  switch (type) {
    case "bool":
      return fc.boolean();
    case "address":
      return hex(fc.constant(20)).map((text) => getAddress(text));
    case "bytes":
      return hex(fc.nat(70));
    case "string":
      return fc.string({ unit: "grapheme", maxLength: 40 }).filter((text) => !isBase64(text));
    default:
      throw new Error(`no values of type ${type}`);
  }
}

/** Numbers up to 48 bits, as viem has them. */
function integers(signed: boolean, bits: number): fc.Arbitrary<unknown> {
  const min = signed ? -(2n ** BigInt(bits - 1)) : 0n;
  const max = signed ? 2n ** BigInt(bits - 1) - 1n : 2n ** BigInt(bits) - 1n;
  const all = fc.oneof({ weight: 6, arbitrary: fc.bigInt({ min, max }) }, fc.constantFrom(min, max));
  return bits > 48 ? all : all.map(Number);
}

/** The workflow takes such text for bytes. */
function isBase64(text: string): boolean {
  const bytes = Buffer.from(text, "base64");
  return [20, 32].includes(bytes.length) && bytes.toString("base64") === text;
}

/** What viem has decoded in the form of this library: integers as decimal text, tuples by name. */
export function plainOf(parameter: AbiParameter, value: unknown): unknown {
  const { type, components = [] } = parameter;
  const [, of] = /^(.*)\[\d*\]$/.exec(type) ?? [];
  if (of !== undefined) {
    const list: unknown[] = Array.isArray(value) ? value : [];
    return list.map((item) => plainOf({ ...parameter, type: of }, item));
  }
  if (type === "tuple") return byName(components, listOf(components, value));
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return value;
}

/** By name, or by position, as results have them. */
export function byName(parameters: readonly AbiParameter[], values: readonly unknown[]): object {
  const names = valueNames(parameters);
  return Object.fromEntries(
    parameters.map((parameter, index) => [names[index], plainOf(parameter, values[index])]),
  );
}

/** Values that viem gives by name, or in order where one has no name. */
export function listOf(parameters: readonly AbiParameter[], value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  const fields = (value ?? {}) as Record<string, unknown>;
  return parameters.map(({ name }) => fields[name]);
}
