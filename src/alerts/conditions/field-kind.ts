import { arrayOf, numberType } from "../../abi/abi-type.ts";
import { grouped } from "../../abi/choose-item.ts";
import { type Abi, type AbiEvent, type AbiParameter, fittingEvents } from "../../abi/index.ts";
import { snakeCase } from "../../abi/wire-names.ts";
import { argName, valueNames } from "../../protocol/abi-names.ts";
import type { FieldPath } from "./field-path.ts";

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
