import * as OxAddress from "ox/Address";
import { integerDigits } from "../json.ts";
import { argName } from "../protocol/abi-names.ts";
import type { AbiParameter } from "./abi-type.ts";
import { numberText, rangeOf } from "./abi-type.ts";
import { grouped } from "./list.ts";
import { inSmallestPlace, plainName } from "./units.ts";
import { bytesText } from "./values.ts";

/** A name as the wire writes it: `fundTokenId` as `fund_token_id`, `tokenID` as `token_i_d`. */
export function snakeCase(name: string): string {
  return name.replace(/(?!^)[A-Z]/g, "_$&").toLowerCase();
}

/** The name of a parameter on the wire; one without a name has its position. */
export function wireName(name: string, index: number): string {
  return name === "" ? argName(index) : snakeCase(name);
}

/** Which value is of which parameter. */
type FoundKeys = {
  /** By parameter; undefined where it has no value. */
  keys: ReadonlyArray<string | undefined>;
  /** Those of no parameter. */
  left: string[];
  /** Those of several parameters: nothing tells whose value is there. */
  lost: string[];
};

type Placed = { name: string; index: number };

/** Parameters by the name that they have on the wire. */
type Places = { single: Placed[]; shared: Placed[][] };

/** Found once for all events with these parameters. */
const places = new WeakMap<readonly AbiParameter[], Places>();

/**
 * Finds the values of parameters under the names that services and this library give them: the ABI's, that of the wire,
 * or a position. Services split `tokenID` in different ways, so underscores and case are ignored if there is no exact
 * match. Parameters whose names are one on the wire have values only where each has a key of its own.
 */
export function findKeys(parameters: readonly AbiParameter[], given: object): FoundKeys {
  const left = new Set(Object.keys(given));
  const keys: Array<string | undefined> = parameters.map(() => undefined);
  const take = ({ index }: Placed, key: string) => {
    keys[index] = key;
    left.delete(key);
  };
  const { single, shared } = placesOf(parameters);
  for (const keyOf of [
    ({ name }: Placed) => name,
    ({ name, index }: Placed) => wireName(name, index),
    ({ index }: Placed) => String(index),
  ]) {
    for (const one of single) {
      const key = keyOf(one);
      if (keys[one.index] === undefined && left.has(key)) take(one, key);
    }
  }
  const lost: string[] = [];
  for (const group of shared) {
    const own = separateKeys(group, left);
    if (own) {
      for (const [at, one] of group.entries()) take(one, own[at] ?? "");
      continue;
    }
    const plain = new Set(group.map(({ name, index }) => plainName(wireName(name, index))));
    lost.push(...[...left].filter((key) => plain.has(plainName(key))));
    for (const key of lost) left.delete(key);
  }
  if (left.size === 0) return { keys, left: [], lost };
  const loose = grouped([...left], plainName);
  const unread = single.filter(({ name, index }) => name !== "" && keys[index] === undefined);
  for (const [plain, [one, ...others]] of grouped(unread, ({ name }) => plainName(name))) {
    const [key, ...more] = loose.get(plain) ?? [];
    if (one && key !== undefined && others.length + more.length === 0) take(one, key);
  }
  return { keys, left: [...left], lost };
}

function placesOf(parameters: readonly AbiParameter[]): Places {
  const known = places.get(parameters);
  if (known !== undefined) return known;
  const placed = parameters.map(({ name }, index) => ({ name, index }));
  const groups = [...grouped(placed, ({ name, index }) => wireName(name, index)).values()];
  const found = {
    single: groups.filter(({ length }) => length === 1).flat(),
    shared: groups.filter(({ length }) => length > 1),
  };
  places.set(parameters, found);
  return found;
}

/** A key for each of the parameters: their names, or else their positions. */
function separateKeys(group: readonly Placed[], given: ReadonlySet<string>): string[] | undefined {
  return [
    group.map(({ name }) => name),
    group.map(({ index }) => argName(index)),
    group.map(({ index }) => String(index)),
  ].find((keys) => new Set(keys).size === keys.length && keys.every((key) => given.has(key)));
}

// Single values of a signed event, in the forms in which services write them. Undefined where one does not have its type.

/** A list of the length of its type. A list of `uint8` may arrive as bytes, an empty list as null. */
export function asList(
  { item, length }: { item: AbiParameter; length?: number },
  value: unknown,
  nested: boolean,
): unknown[] | undefined {
  const bytes = item.type === "uint8" && typeof value === "string" ? anyBytes(value, nested) : undefined;
  const list: unknown = bytes === undefined ? (value ?? []) : [...Buffer.from(bytes.slice(2), "hex")];
  return Array.isArray(list) && list.length === (length ?? list.length) ? list : undefined;
}

/** Bytes as hex or as base64. For text that can be both, the order decides. */
export function anyBytes(value: unknown, nested: boolean): string | undefined {
  return nested ? (bytesOfBase64(value) ?? bytesText(value)) : (bytesText(value) ?? bytesOfBase64(value));
}

/** Undefined outside the type. A negative number in a topic may arrive as an unsigned number of 256 bits. */
export function fittingInteger(
  integer: { signed: boolean; bits: number },
  digits: string | undefined,
  indexed = false,
): string | undefined {
  if (digits === undefined) return undefined;
  const { min, max } = rangeOf(integer);
  const number = BigInt(digits);
  const isWord = integer.signed && indexed && number >= 2n ** 255n && number < 2n ** 256n;
  const value = isWord ? BigInt.asIntN(256, number) : number;
  return value >= min && value <= max ? String(value) : undefined;
}

/** A number of a fixed-point type with all its decimal places; undefined outside the type. */
export function fittingFraction(
  { min, max, places }: { min: bigint; max: bigint; places: number },
  value: unknown,
): string | undefined {
  if (typeof value !== "string" && !Number.isSafeInteger(value)) return undefined;
  try {
    const stored = BigInt(inSmallestPlace(String(value), places, ""));
    return stored >= min && stored <= max ? numberText(stored, places) : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for another length than the type has. A topic may arrive whole, with trailing zeros. */
export function fittingBytes(size: number, hex: string | undefined, indexed = false): string | undefined {
  const end = 2 + 2 * size;
  if (hex === undefined || hex.length === end) return hex;
  const isTopic = indexed && hex.length === 66 && /^0*$/.test(hex.slice(end));
  return isTopic ? hex.slice(0, end) : undefined;
}

/** What the chain stores of an indexed value of variable size. */
export function fittingHash(value: unknown): string | undefined {
  const hex = bytesText(value);
  return hex?.length === 66 ? hex : undefined;
}

/** The public workflow writes bytes inside lists and tuples as base64. */
function bytesOfBase64(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const bytes = Buffer.from(value, "base64");
  return bytes.toString("base64") === value ? `0x${bytes.toString("hex")}` : undefined;
}

/** Also reads `600.000000` and `1.2e+21`, as some services write integers. */
export function readInteger(value: unknown): string | undefined {
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  try {
    return integerDigits(String(value));
  } catch {
    return undefined;
  }
}

export function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  return value === "true" ? true : value === "false" ? false : undefined;
}

export function readAddress(value: unknown): string | undefined {
  const hex = bytesText(value);
  return hex?.length === 42 ? OxAddress.checksum(hex) : undefined;
}
