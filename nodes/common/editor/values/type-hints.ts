import { valueNames } from "../../../../src/protocol/abi-names.ts";
import type { ParameterChoice } from "../../shared/form-types.ts";
import type { Unit, Value } from "../../shared/stored-values.ts";
import type { EditedNode, TypedInputType } from "../api.ts";

const LIST = /^(.*)\[(\d*)\]$/;
const INTEGER = /^(u?)int(\d+)$/;
/** Up to this size the limits of a range are written in digits. */
const READABLE_BITS = 64;

export function isInteger(type: string): boolean {
  return INTEGER.test(type);
}

/** A list or a tuple: typed in as JSON. */
export function isComposite(type: string): boolean {
  return LIST.test(type) || type === "tuple";
}

/** Types whose values can be amounts of tokens: integers, and lists of them. Small integers are not amounts. */
export function isCountable(type: string): boolean {
  const [, item] = LIST.exec(type) ?? [];
  if (item !== undefined) return isCountable(item);
  return Number(INTEGER.exec(type)?.[2] ?? 0) >= 64;
}

/** What a value of the type is, in words, with what the source code calls it: `a whole number from 0 to 255`. */
export function typeHint(node: EditedNode, parameter: ParameterChoice, unit?: Unit, hexOnly = false): string {
  const { internalType = "" } = parameter;
  const own = /^(?:enum|struct|contract) /.test(internalType) ? `${internalType} · ` : "";
  if (hexOnly && parameter.type === "bytes") return node._("common.type.call-data");
  return `${own}${meaning(node, parameter, unit)}`;
}

function meaning(node: EditedNode, parameter: ParameterChoice, unit: Unit | undefined): string {
  const { type } = parameter;
  const [, item, length] = LIST.exec(type) ?? [];
  const example = exampleOf(parameter);
  if (item !== undefined) {
    return length
      ? node._("common.type.exactly", { length, example })
      : node._("common.type.list", { example });
  }
  if (type === "tuple") return node._("common.type.tuple", { example });
  if (unit === "token") return node._("common.type.tokens");
  const [, unsigned, size] = INTEGER.exec(type) ?? [];
  if (size !== undefined) return node._("common.type.integer", range(unsigned === "u", Number(size)));
  const [, bytes] = /^bytes(\d+)$/.exec(type) ?? [];
  if (bytes !== undefined) {
    return node._("common.type.fixed-bytes", { count: Number(bytes), digits: String(Number(bytes) * 2) });
  }
  const known: Readonly<Record<string, string>> = {
    address: node._("common.type.address"),
    bool: node._("common.type.bool"),
    string: node._("common.type.string"),
    bytes: node._("common.type.bytes"),
  };
  return known[type] ?? node._("common.type.unknown");
}

/** How a value may look; for lists and tuples as JSON. */
function exampleOf(parameter: ParameterChoice): string {
  const value = shapeOf(parameter);
  return typeof value === "string" ? value : JSON.stringify(value);
}

function shapeOf(parameter: ParameterChoice): unknown {
  const [, item, length] = LIST.exec(parameter.type) ?? [];
  if (item !== undefined) {
    const one = shapeOf({ ...parameter, type: item });
    // A short list of fixed length in full, any other by its first items.
    return Array.from({ length: Math.min(Number(length || 1), 4) }, () => one);
  }
  if (parameter.type === "tuple") {
    const parts = parameter.components ?? [];
    return Object.fromEntries(
      valueNames(parts).map((name, index) => [name, shapeOf(parts[index] ?? parameter)]),
    );
  }
  if (parameter.type === "address") return "0x…";
  if (parameter.type === "bool") return true;
  if (parameter.type.startsWith("bytes")) return "0x";
  return isInteger(parameter.type) ? "0" : "";
}

function range(unsigned: boolean, bits: number): { least: string; most: string } {
  const size = BigInt(unsigned ? bits : bits - 1);
  if (bits > READABLE_BITS) return { least: unsigned ? "0" : `−2^${size}`, most: `2^${size} − 1` };
  const beyond = BigInt(1) << size;
  return { least: unsigned ? "0" : `−${beyond}`, most: String(beyond - BigInt(1)) };
}

/** The type of a typed input that stands for the time at which the message arrives, in Unix seconds. */
export const NOW = "now";
const EXPRESSION = "$floor($millis() / 1000)";

/** As `takenAt`, `block_time` or `timestamp`, and not `lifetime`. */
const OF_TIME = /(?:[a-z\d]At|_at|(?:^|_)(?:time|timestamp)|T(?:ime|imestamp))$/;

/** Whether a parameter is a point in time, by its name. */
export function isOfTime({ name, type }: ParameterChoice): boolean {
  return isInteger(type) && OF_TIME.test(name);
}

export function nowType(node: EditedNode): TypedInputType {
  return { value: NOW, label: node._("common.now"), icon: "fa fa-clock-o", hasValue: false };
}

/** Whether a stored value is the time: flows have it as an expression, which they can also change. */
export function isNow({ value, type }: Value): boolean {
  return type === "jsonata" && value === EXPRESSION;
}

export const STORED_NOW = { value: EXPRESSION, type: "jsonata" } as const;
