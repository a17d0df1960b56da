import { arrayOf, numberType } from "../../abi/abi-type.ts";
import { type Abi, type AbiEvent, type AbiParameter, fittingEvents } from "../../abi/index.ts";
import { grouped } from "../../abi/list.ts";
import { snakeCase } from "../../abi/wire-values.ts";
import { ArgumentError } from "../../errors.ts";
import { aList, reading, text as textKind } from "../../options/index.ts";
import { argName, valueNames } from "../../protocol/abi-names.ts";
import { FIELD_PATH } from "../../protocol/index.ts";

/** The names and positions that lead to a field. */
export type FieldPath = readonly string[];

const MOST_SEGMENTS = 32;
const LONGEST = 1_000;

/**
 * The parts of `params.order.amounts[0]`; none for empty text, which is the value itself.
 *
 * @param at the name of the field in errors
 * @throws {ArgumentError} `INVALID_ARGUMENT`
 */
export function parseFieldPath(text: unknown, at: string): FieldPath {
  textKind(at, "at");
  if (text === "") return [];
  const isPath = typeof text === "string" && text.length <= LONGEST && FIELD_PATH.test(text);
  const path = isPath ? (text.match(/[^.[\]]+/g) ?? []) : [];
  if (path.length > 0 && path.length <= MOST_SEGMENTS) return path;
  throw new ArgumentError(
    at,
    `${at} must be the path of a field, such as params.value or params.list[0], with ${MOST_SEGMENTS} parts at most; empty for the value itself.`,
  );
}

const pathKind = aList<FieldPath>();

/**
 * The value of a field; undefined where it is missing or null. Only own properties are read. A name of an ABI is also
 * found in the form in which the service writes it, and the other way: `fundTokenId` as `fund_token_id`.
 */
export function readField(decoded: unknown, path: FieldPath): unknown {
  pathKind(path, "path");
  return reading("decoded", () => valueAt(decoded, path));
}

function valueAt(decoded: unknown, path: FieldPath): unknown {
  let value = decoded;
  for (const name of path) {
    if (typeof value !== "object" || value === null) return undefined;
    const fields = value;
    const key = [name, snakeCase(name), camelCase(name)].find((one) => Object.hasOwn(fields, one));
    if (key === undefined) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value ?? undefined;
}

/** `fund_token_id` as `fundTokenId`, `token_i_d` as `tokenID`. */
function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** How the values of a field are compared. `look`: the type is not known, so the values decide. */
export type Kind = "number" | "address" | "bool" | "bytes" | "text" | "hash" | "look";

/** `kind` for the field, or for each element of a list. `type`: the ABI's, for sentences. */
export type FieldKind = { kind: Kind; type: string };

const BY_LOOK: FieldKind = { kind: "look", type: "" };

export function isListType({ type, kind }: FieldKind): boolean {
  return type.endsWith("]") && kind !== "hash";
}

/** Tells the kind of the field in an event. */
type KindReader = (decoded: unknown) => FieldKind;

/**
 * Reads kinds by the ABI. Where several events share a name, those count that have the event's parameters; where these
 * still differ, the values decide.
 */
export function kindReader(path: FieldPath, abi: Abi = []): KindReader {
  const [root, ...rest] = path;
  if (root !== "params" || rest.length === 0) return () => BY_LOOK;
  const kindIn = ({ inputs }: AbiEvent): FieldKind => {
    const parameter = parameterAt(inputs, rest);
    return parameter === undefined ? BY_LOOK : kindOf(parameter);
  };
  const byName = grouped(
    abi.filter((item) => item.type === "event"),
    ({ name }) => name,
  );
  const agreed = new Map([...byName].map(([name, events]) => [name, onlyKind(events.map(kindIn))]));
  return (decoded) => {
    const { name, params } = (decoded ?? {}) as { name?: unknown; params?: unknown };
    if (typeof name !== "string") return BY_LOOK;
    const known = agreed.get(name);
    if (known !== undefined || typeof params !== "object" || params === null) return known ?? BY_LOOK;
    const fitting = fittingEvents(byName.get(name) ?? [], name, params as Record<string, unknown>);
    return agreement(fitting.map(kindIn)) ?? BY_LOOK;
  };
}

/** Undefined where they differ. */
function onlyKind([first, ...others]: readonly FieldKind[]): FieldKind | undefined {
  return others.every(({ kind, type }) => kind === first?.kind && type === first.type) ? first : undefined;
}

/** Types that differ only in their length or range count as one without either. */
function agreement(kinds: readonly FieldKind[]): FieldKind | undefined {
  const [first, ...others] = kinds;
  const alike = (kind: FieldKind) => kind.kind === first?.kind && isListType(kind) === isListType(first);
  if (first === undefined || !others.every(alike)) return undefined;
  return onlyKind(kinds) ?? { kind: first.kind, type: isListType(first) ? "[]" : "" };
}

function parameterAt(inputs: readonly AbiParameter[], path: FieldPath): AbiParameter | undefined {
  const [name = "", ...rest] = path;
  const names = valueNames(inputs, argName);
  const at = [name, ...(/^\d+$/.test(name) ? [argName(Number(name))] : [])]
    .map((one) => names.indexOf(one))
    .find((index) => index >= 0);
  const found = inputs[at ?? names.map(snakeCase).indexOf(name)];
  return found === undefined ? undefined : partAt(found, rest);
}

function partAt(parameter: AbiParameter, path: FieldPath): AbiParameter | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return parameter;
  const item = arrayOf(parameter)?.item;
  if (item !== undefined) return name === "length" ? undefined : partAt({ ...item, indexed: false }, rest);
  return parameterAt(parameter.components ?? [], path);
}

function kindOf(parameter: AbiParameter): FieldKind {
  const { type, indexed } = parameter;
  const isDynamic = arrayOf(parameter) !== undefined || /^(?:string|bytes|tuple)$/.test(type);
  if (indexed && isDynamic) return { kind: "hash", type };
  return { kind: scalarKind(type.replace(/(?:\[\d*\])+$/, "")), type };
}

function scalarKind(type: string): Kind {
  if (numberType(type) !== undefined) return "number";
  if (type === "address" || type === "bool") return type;
  if (type === "string") return "text";
  return /^(?:bytes\d*|function)$/.test(type) ? "bytes" : "look";
}
