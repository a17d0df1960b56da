import type { ArgumentError } from "../errors.ts";
import { reading } from "../options/index.ts";
import type { Abi, AbiFunction, AbiItem, AbiParameter, NamedAbi, ReadAbi } from "./abi-type.ts";
import { canonicalType, hasManyDimensions, signatureOf } from "./abi-type.ts";
import { ABI_BOUNDS, invalid, tooLarge } from "./bounds.ts";
import type { Failure, RawAbi } from "./human-readable.ts";
import { distinct, noteUnusable } from "./list.ts";
import { isFields, pastedAbis } from "./pasted.ts";

type Fields = Record<string, unknown>;

/** What is counted: the parameters of one item, and those of all. */
type Count = { all: number; item: number };

/** How an item is called in sentences, and how its place is. */
type Place = { what: string; path: string };

const MUTABILITIES = ["pure", "view", "nonpayable", "payable"] as const;
/** Names that are in a signature: others would change what it means. */
const NAME = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

/**
 * Reads an ABI: JSON or its text, a compiler's artifact, an explorer's answer, JavaScript or TypeScript with the list as a
 * literal, Solidity source, or human-readable text such as
 * `event Transfer(address indexed from, address indexed to, uint256 value)`, one item a line. Nothing is evaluated.
 * Constructor, fallback and receive are left out: they can neither be called nor watched. One item that cannot be used
 * refuses the whole ABI: `readAbi` leaves it out instead.
 *
 * @throws ArgumentError `ABI_INVALID`, naming the line or item.
 * @example
 * const abi = parseAbi("event Transfer(address indexed from, address indexed to, uint256 value)");
 * listEvents(abi)[0]?.signature; // → "Transfer(address,address,uint256)"
 */
export function parseAbi(input: string | readonly unknown[] | object): Abi {
  const { abi, failures } = onlyOne(input);
  if (failures[0]) throw failures[0].error;
  return abi;
}

/**
 * Reads an ABI like `parseAbi`, and leaves out what cannot be used, with a sentence for each: an item with a type of a
 * library, say, or what an interface inherits from and is not in the text.
 *
 * @throws ArgumentError `ABI_INVALID` where nothing can be used, or there are several ABIs.
 * @example
 * const { abi, unusable } = readAbi(["event Moved(uint256 by)", "function phase(Lib.E e)"]);
 * [abi.length, unusable[0]?.name]; // → [1, "phase"]
 */
export function readAbi(input: string | readonly unknown[] | object): ReadAbi {
  return usable(onlyOne(input));
}

/**
 * The ABIs in a text or an object that may hold several: the output of a compiler, a list of deployments, a module with
 * several constants, or source with several contracts. Each as `readAbi` reads it, with its name.
 *
 * @throws ArgumentError `ABI_INVALID` where there is none, or nothing in them can be used.
 * @example
 * listAbis({ contracts: { Token: { abi: ["event Moved(uint256 by)"] } } })[0]?.name; // → "Token"
 */
export function listAbis(input: string | readonly unknown[] | object): NamedAbi[] {
  const all = readAll(input);
  const isOfUse = all.some(
    ({ abi, failures, missing }) => abi.length > 0 || failures.length + missing.length === 0,
  );
  return (isOfUse ? all : all.slice(0, 1)).map((one) => ({ name: one.name, ...usable(one, isOfUse) }));
}

type Checked = { name: string; abi: Abi; failures: Failure[]; missing: Failure[] };

function usable({ abi, failures, missing }: Checked, mayBeEmpty = false): ReadAbi {
  const unusable = [...failures, ...missing];
  if (abi.length === 0 && unusable[0] && !mayBeEmpty) throw unusable[0].error;
  const read = { abi, unusable: unusable.map(({ name, error }) => ({ name, message: error.message })) };
  noteUnusable(read);
  return read;
}

function onlyOne(input: unknown): Checked {
  const [only, ...others] = readAll(input);
  if (only && others.length === 0) return only;
  const names = [only, ...others].map((one, index) => one?.name || String(index + 1));
  const shown = names.slice(0, 10).join(", ") + (names.length > 10 ? ` and ${names.length - 10} more` : "");
  throw invalid(
    "abi",
    `There are several ABIs: ${shown}. Choose one of them in the form of the contract, or paste it alone.`,
  );
}

/** Each once, and none without items beside others. */
function readAll(input: unknown): Checked[] {
  const count: Count = { all: 0, item: 0 };
  const all = reading("abi", () => pastedAbis(input).map((raw) => checked(raw, count)));
  if (all.length < 2) return all;
  const filled = all.filter(({ abi, failures }) => abi.length + failures.length > 0);
  const each = distinct(filled, ({ abi, failures }) =>
    JSON.stringify([abi, failures.map(({ error }) => error.message)]),
  );
  return each.length > 0 ? each : all.slice(0, 1);
}

function checked({ name, items, lines, overrides, failures, missing }: RawAbi, count: Count): Checked {
  if (items.length > ABI_BOUNDS.items)
    throw tooLarge("abi", `The ABI has ${items.length} items; the limit is ${ABI_BOUNDS.items}.`);
  const wrong: Failure[] = [];
  const abi = items.flatMap((item, index) => {
    count.item = 0;
    try {
      return readItem(item, { index, line: lines?.[index] }, count);
    } catch (error) {
      const its = isFields(item) && typeof item.name === "string" ? item.name : "";
      wrong.push({ name: its, error: error as ArgumentError });
      return [];
    }
  });
  // Outside of the items, which are left out one by one.
  if (count.all > ABI_BOUNDS.allParameters)
    throw tooLarge(
      "abi",
      `The ABI has more than ${ABI_BOUNDS.allParameters} parameters, with those of its structs.`,
    );
  const kept = overrides ? distinct(abi, (item) => `${item.type} ${signatureOf(item)}`) : abi;
  return { name, abi: kept, failures: [...failures, ...wrong], missing };
}

function readItem(
  item: unknown,
  { index, line }: { index: number; line: number | undefined },
  count: Count,
): AbiItem[] {
  const path = `abi[${index}]`;
  if (!isFields(item)) throw invalid(path, `Item ${index} of the ABI is not an object.`);
  const type = item.type ?? "function";
  if (type !== "function" && type !== "event" && type !== "error") {
    if (typeof type === "string") return [];
    throw invalid(`${path}.type`, `${path}.type must be text.`);
  }
  const { name } = item;
  if (typeof name !== "string" || name === "")
    throw invalid(`${path}.name`, `${path}, which is ${an(type)}, has no name.`);
  const kind = `${type.charAt(0).toUpperCase()}${type.slice(1)}`;
  if (!NAME.test(name))
    throw invalid(
      `${path}.name`,
      `${path}, which is ${an(type)}, has a name that is not a word: "${name.slice(0, 80)}". Correct it.`,
    );
  const place: Place =
    line === undefined
      ? { what: `${kind} ${name.slice(0, 80)}: `, path }
      : { what: `Line ${line} of the ABI, ${type} ${name.slice(0, 80)}: `, path };
  const read = (list: unknown, key: string) => {
    return readParameters(list ?? [], { ...place, path: `${path}.${key}` }, count, {
      ofEvent: type === "event",
      depth: 0,
    });
  };
  const inputs = read(item.inputs, "inputs");
  switch (type) {
    case "event":
      return [{ type, name, anonymous: item.anonymous === true, inputs }];
    case "error":
      return [{ type, name, inputs }];
    case "function":
      return [
        { type, name, inputs, outputs: read(item.outputs, "outputs"), stateMutability: mutability(item) },
      ];
  }
}

/** Very old compilers wrote `constant` and `payable` instead. */
function mutability(item: Fields): AbiFunction["stateMutability"] {
  const known = MUTABILITIES.find((word) => word === item.stateMutability);
  return known ?? (item.constant === true ? "view" : item.payable === true ? "payable" : "nonpayable");
}

function readParameters(
  list: unknown,
  { what, path }: Place,
  count: Count,
  { ofEvent, depth }: { ofEvent: boolean; depth: number },
): AbiParameter[] {
  if (!Array.isArray(list)) throw invalid(path, `${what}${path} must be a list.`);
  if (depth > ABI_BOUNDS.depth)
    throw tooLarge(path, `${what}its tuples or structs are nested too deeply, or contain themselves.`);
  count.item += list.length;
  if (count.item > ABI_BOUNDS.parameters)
    throw tooLarge(
      path,
      `${what}it has more than ${ABI_BOUNDS.parameters} parameters, with those of its structs.`,
    );
  count.all += list.length;
  if (count.all > ABI_BOUNDS.allParameters) return [];
  return list.map((parameter: unknown, index) => {
    const at = `${path}[${index}]`;
    if (!isFields(parameter)) throw invalid(at, `${what}${at} is not an object.`);
    const { name, internalType, indexed, components } = parameter;
    const type = typeOf(parameter.type, `${at}.type`, what);
    const inner: Place = { what, path: `${at}.components` };
    if (type.startsWith("tuple") && (!Array.isArray(components) || components.length === 0))
      throw invalid(
        inner.path,
        `${what}${at} is a tuple without components, so its signature is not known. Take the ABI from the compiler.`,
      );
    return {
      name: typeof name === "string" ? name : "",
      type,
      ...(typeof internalType === "string" ? { internalType } : {}),
      ...(ofEvent && depth === 0 ? { indexed: indexed === true } : {}),
      ...(type.startsWith("tuple")
        ? { components: readParameters(components, inner, count, { ofEvent, depth: depth + 1 }) }
        : {}),
    };
  });
}

function typeOf(given: unknown, path: string, what: string): string {
  if (typeof given === "string" && hasManyDimensions(given))
    throw tooLarge(path, `${what}${path} is an array with more than ${ABI_BOUNDS.dimensions} dimensions.`);
  const type = typeof given === "string" ? canonicalType(given) : undefined;
  if (type !== undefined) return type;
  const shown = (JSON.stringify(given) ?? "missing").slice(0, 80);
  throw invalid(
    path,
    `${what}${path} is ${shown}, which is not an ABI type. Correct it, or remove the item.`,
  );
}

function an(type: string): string {
  return type === "function" ? "a function" : `an ${type}`;
}
