import type { Node, NodeAPI } from "node-red";
import type { ListedFunction } from "../../../src/index.ts";
import { COIN_PLACES, COIN_UNITS } from "../shared/coin-units.ts";
import { nodeError } from "../shared/errors.ts";
import type { ContractCall, Unit, Value } from "../shared/form-types.ts";
import { contractOf } from "./config-nodes.ts";
import { oneOf, readField, requireText } from "./fields.ts";
import { loadLibrary } from "./library.ts";
import type { CrecMessage } from "./message.ts";

export type EncodedCall = { to: string; data: string; chainSelector: string; signature: string };

/**
 * The call data of a function picked in a form, its values worked out for this message.
 *
 * @param path of the values: `args`, or `calls[0].args`
 * @throws CONTRACT_MISSING, FUNCTION_NOT_IN_ABI, NO_DECIMALS, and INVALID_ARGUMENT and its kin with the path of
 * the value
 */
export async function encodeContractCall(
  RED: NodeAPI,
  node: Node,
  msg: CrecMessage,
  call: ContractCall,
  path: string,
): Promise<EncodedCall> {
  const contract = contractOf(RED, call.contract);
  const library = await loadLibrary();
  const name = await requireText(RED, node, msg, { label: "Function", value: call.function, type: "str" });
  const abi = await contract.abi();
  const given = call.args ?? [];
  const inputs = inputsOf(library.listFunctions(abi), name, given.length);
  const args = await Promise.all(
    given.map(async (stored, index) => {
      const input = inputs?.[index];
      const at = input?.name ? `${path}.${input.name}` : `${path}[${index}]`;
      const value = await readArgument(RED, node, msg, stored, at);
      if (oneOf(`${at}: unit`, stored.unit, ARGUMENT_UNITS) !== "token" || !input) return value;
      return library.parseTokenAmounts(value, input.type, contract.decimals, at);
    }),
  );
  const { data, signature } = library.encodeFunctionCall({ abi, function: name, args, path });
  const to = await addressOr(
    RED,
    node,
    msg,
    call.address,
    contract.address,
    path.replace(/args$/, "address"),
  );
  return { to, data, chainSelector: contract.chainSelector, signature };
}

/**
 * The address that a form or a message gives instead of the contract's own. Where a message is to name it and does
 * not, nothing is sent to an address that nobody meant.
 * @throws MISSING_VALUE, INVALID_ADDRESS
 */
export async function addressOr(
  RED: NodeAPI,
  node: Node,
  msg: CrecMessage,
  given: Value | undefined,
  own: string,
  label: string,
): Promise<string> {
  if ((given?.value ?? "").trim() === "") return own;
  const text = await requireText(RED, node, msg, { label, value: given?.value, type: given?.type });
  return (await loadLibrary()).checksumAddress(text, label);
}

/** Without one an integer is in its smallest. */
const ARGUMENT_UNITS = ["token"] as const;

/**
 * An amount that a call pays, in wei. Wei are left as they are: what they must look like is the encoder's to say.
 * @throws INVALID_FIELD for a unit that is none; INVALID_ARGUMENT with the path, when it is no number or too fine for its unit
 */
export async function amountInWei(value: string, given: Unit | undefined, path: string): Promise<string> {
  const { toSmallestUnit } = await loadLibrary();
  const unit = oneOf(`${path}: unit`, given, COIN_UNITS) ?? "wei";
  return unit === "wei" ? value : toSmallestUnit(value, COIN_PLACES[unit], path);
}

/** Undefined where the encoder will say that there is no such function, or which ones there are. */
function inputsOf(functions: readonly ListedFunction[], name: string, count: number) {
  const wanted = name.replace(/\s+/g, "");
  const named = functions.filter((one) => one.signature === wanted || one.name === wanted);
  const fitting = named.length === 1 ? named : named.filter(({ inputs }) => inputs.length === count);
  return fitting.length === 1 ? fitting[0]?.inputs : undefined;
}

async function readArgument(
  RED: NodeAPI,
  node: Node,
  msg: CrecMessage,
  { value, type }: Value,
  path: string,
): Promise<unknown> {
  const found = await readField(RED, node, msg, { label: path, value, type });
  if (found !== undefined && found !== null) return found;
  throw nodeError("INVALID_ARGUMENT", `${path} is missing: it was looked for in ${type} ${value}.`);
}
