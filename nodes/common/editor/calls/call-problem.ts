import { fitsBytes } from "../../shared/chain.ts";
import { ADDRESS } from "../../shared/field-checks.ts";
import type { FunctionChoice, ParameterChoice } from "../../shared/form-types.ts";
import type { ContractCall, Value } from "../../shared/stored-values.ts";
import { isReference } from "../../shared/variables.ts";
import type { EditedNode } from "../api.ts";
import { typeHint } from "../values/type-hints.ts";

const LIST = /\[\d*\]$/;
const INTEGER = /^-?\d+$|^0x[0-9a-f]+$/i;
const AMOUNT = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Of the functions that forms have shown, by contract and signature: a stored call does not have them. */
const parameters = new Map<string, readonly ParameterChoice[]>();

/** So that what is wrong with a value is said by its name. */
export function noteParameters(contract: string, functions: readonly FunctionChoice[]): void {
  for (const { signature, inputs } of functions) parameters.set(`${contract} ${signature}`, inputs);
}

/**
 * What is certainly wrong with a stored call, for the mark on the node, which cannot wait for an answer. The types are
 * those of the signature. The form reports what only the library can check.
 */
export function callProblem(node: EditedNode, call: ContractCall): string | undefined {
  const { contract = "", function: signature = "", args = [], address } = call;
  if (contract === "" || !RED.nodes.node(contract)) return node._("common.error.no-contract");
  if (signature === "") return node._("common.error.choose-function");
  // A name without types was written by hand: its values cannot be checked here.
  if (signature.includes("(")) {
    const types = typesIn(signature);
    if (types.length !== args.length) return node._("common.error.arguments", { count: types.length });
    const given = types.map((type, index) => {
      const known = parameters.get(`${contract} ${signature}`)?.[index];
      const name = known?.name || node._("common.label.parameter", { number: index + 1 });
      const value = args[index] ?? {};
      return { name, value, parameter: known ?? { name, type }, isWrong: !fits(type, value) };
    });
    const wrong = given.filter(({ isWrong }) => isWrong);
    const empty = wrong.filter(({ value }) => (value.value ?? "").trim() === "").map(({ name }) => name);
    if (empty.length > 0) {
      const names = new Intl.ListFormat(node._("common.language")).format(empty);
      return node._("common.error.empty-values", { count: empty.length, names });
    }
    const [first] = wrong;
    if (first) {
      const { name, parameter, value } = first;
      const isKnown = !parameter.type.includes("(");
      const type = isKnown ? typeHint(node, parameter, value.unit) : parameter.type;
      return node._("common.error.argument", { name, type });
    }
  }
  return address?.value && !fits("address", address) ? node._("common.error.address") : undefined;
}

/** The types of a signature's parameters: `f(address,(uint256,bytes)[])` has two. */
function typesIn(signature: string): string[] {
  const inner = signature.slice(signature.indexOf("(") + 1, signature.lastIndexOf(")"));
  const types: string[] = [];
  let depth = 0;
  for (const part of inner.split(",")) {
    if (depth > 0) types.push(`${types.pop()},${part}`);
    else if (part !== "") types.push(part);
    depth += part.split("(").length - part.split(")").length;
  }
  return types;
}

function fits(type: string, { value = "", type: from = "str", unit }: Value): boolean {
  const text = value.trim();
  if (isReference(text)) return true;
  if (from !== "str" && from !== "json") return from === "bool" || text !== "";
  if (LIST.test(type)) return Array.isArray(parsed(text));
  if (type.startsWith("(")) return typeof parsed(text) === "object" && parsed(text) !== null;
  const integer = /^(u?)int(\d+)$/.exec(type);
  if (integer) return unit === "token" ? AMOUNT.test(text) : inRange(text, integer);
  const bytes = /^bytes(\d*)$/.exec(type);
  if (bytes) return fitsBytes(value, bytes[1] ?? "");
  if (type === "address") return ADDRESS.test(text);
  return type !== "bool" || /^(?:true|false)$/i.test(text);
}

function inRange(text: string, [, unsigned, size]: RegExpExecArray): boolean {
  if (!INTEGER.test(text)) return false;
  const bits = Number(size);
  const integer = BigInt(text);
  const beyond = BigInt(1) << BigInt(unsigned ? bits : bits - 1);
  return integer < beyond && integer >= (unsigned ? BigInt(0) : -beyond);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
