import { arrayOf, integerType } from "../../abi/abi-type.ts";
import { snakeCase } from "../../abi/event-params.ts";
import type { Abi, AbiEvent, AbiParameter } from "../../abi/index.ts";
import { hasParameters } from "../../proofs/event-tokens.ts";
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
export type KindReader = (decoded: unknown) => FieldKind;

/**
 * Reads kinds by the ABI. Where several events share a name, those count that have the event's parameters; where these
 * still differ, the values decide.
 */
export function kindReader(path: FieldPath, abi: Abi = []): KindReader {
  const [root, ...rest] = path;
  if (root !== "params" || rest.length === 0) return () => BY_LOOK;
  const byName = new Map<string, Typed[]>();
  for (const event of abi) {
    if (event.type !== "event") continue;
    const parameter = parameterAt(event.inputs, rest);
    const kind = parameter === undefined ? BY_LOOK : kindOf(parameter);
    byName.set(event.name, [...(byName.get(event.name) ?? []), { event, kind }]);
  }
  const agreed = new Map([...byName].map(([name, events]) => [name, agreement(events)]));
  return (decoded) => {
    const { name, params } = (decoded ?? {}) as { name?: unknown; params?: unknown };
    if (typeof name !== "string") return BY_LOOK;
    const known = agreed.get(name);
    if (known !== undefined || typeof params !== "object" || params === null) return known ?? BY_LOOK;
    return agreement(fittingEvents(byName.get(name) ?? [], params as Record<string, unknown>)) ?? BY_LOOK;
  };
}

type Typed = { event: AbiEvent; kind: FieldKind };

/** Those that have these parameters, and no others where there is such a one. */
function fittingEvents(events: readonly Typed[], params: Record<string, unknown>): readonly Typed[] {
  const fitting = events.filter(({ event }) => hasParameters(event, params));
  const count = Object.keys(params).length;
  const exact = fitting.filter(({ event }) => event.inputs.length === count);
  return exact.length > 0 ? exact : fitting;
}

function agreement([first, ...others]: readonly Typed[]): FieldKind | undefined {
  const alike = ({ kind }: Typed) =>
    kind.kind === first?.kind.kind && isListType(kind) === isListType(first.kind);
  return others.every(alike) ? first?.kind : undefined;
}

function parameterAt(inputs: readonly AbiParameter[], path: FieldPath): AbiParameter | undefined {
  const [name = "", ...rest] = path;
  const found = inputs.find((one, index) => isNamed(one, name, index));
  return found === undefined ? undefined : partAt(found, rest);
}

/** A parameter without a name has its position, in the form of the decoder or of the service. */
function isNamed({ name }: AbiParameter, searched: string, index: number): boolean {
  if (name === "") return searched === String(index) || searched === `arg${index}`;
  return name === searched || snakeCase(name) === searched;
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
  if (integerType(type) !== undefined) return "number";
  if (type === "address" || type === "bool") return type;
  if (type === "string") return "text";
  return /^bytes\d*$/.test(type) ? "bytes" : "look";
}
