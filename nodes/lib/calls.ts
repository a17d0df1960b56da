import type { Node, NodeAPI } from "node-red";
import { contractOf } from "./config-nodes.ts";
import { readField, requireText } from "./fields.ts";
import type { ContractCall, Unit } from "./form-types.ts";
import type { CrecMessage } from "./input.ts";
import { loadLibrary } from "./library.ts";

export type EncodedCall = { to: string; data: string; chainSelector: string; signature: string };

/**
 * The call data of a function picked in a form, its values worked out for this message.
 * @throws CONTRACT_MISSING, FUNCTION_NOT_IN_ABI, and INVALID_ARGUMENT and its kin with the path of the value
 */
export async function encodeContractCall(
  RED: NodeAPI,
  node: Node,
  msg: CrecMessage,
  call: ContractCall,
  path: string,
): Promise<EncodedCall> {
  const contract = contractOf(RED, call.contract);
  const { encodeFunctionCall } = await loadLibrary();
  const name = await requireText(RED, node, msg, { label: "Function", value: call.function, type: "str" });
  const fields = (call.args ?? []).map(({ value, type }, index) => ({
    label: `${path}[${index}]`,
    value,
    type,
  }));
  const args = await Promise.all(fields.map((field) => readField(RED, node, msg, field)));
  const { data, signature } = encodeFunctionCall({ abi: await contract.abi(), function: name, args, path });
  return { to: contract.address, data, chainSelector: contract.chainSelector, signature };
}

const PLACES = { wei: 0, gwei: 9, ether: 18 } as const;

/**
 * An amount that a call pays, in wei.
 * @throws INVALID_ARGUMENT with the path, when it is no number or too fine for its unit
 */
export async function amountInWei(value: string, unit: Unit | undefined, path: string): Promise<string> {
  const { toSmallestUnit } = await loadLibrary();
  if (unit === undefined || unit === "wei" || unit === "token") return value;
  return toSmallestUnit(value, PLACES[unit], path);
}
