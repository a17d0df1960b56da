import { argName } from "../protocol/abi-names.ts";
import { plainName } from "./amount-rule.ts";
import { grouped } from "./choose-item.ts";
import type { AbiParameter } from "./types.ts";

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
