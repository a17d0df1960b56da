import type { Node, NodeAPI, NodeDef } from "node-red";
import type { Abi, BlockSelection, CreateQuery, ListedFunction } from "../../src/index.ts";
import { encodeContractCall } from "../lib/runtime/calls.ts";
import { contractOf } from "../lib/runtime/config-nodes.ts";
import { oneOf, readText, requireText } from "../lib/runtime/fields.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import type { CrecMessage } from "../lib/runtime/message.ts";
import { nodeError } from "../lib/shared/errors.ts";
import type { ContractCall } from "../lib/shared/form-types.ts";

export type RunQueryDef = NodeDef & {
  channel?: string;
  /** A function picked from a contract, or raw call data. */
  kind?: "contract" | "raw";
  contract?: string;
  call?: ContractCall;
  /** `token`: integers of the result by the contract's decimals, as `1.5`. */
  resultUnit?: "" | "token";
  chainSelector?: string;
  chainSelectorType?: string;
  to?: string;
  toType?: string;
  data?: string;
  dataType?: string;
  block?: BlockSelection["type"];
  blockNumber?: string;
  blockNumberType?: string;
  /** Whose call it is to be, as the contract sees it. */
  from?: string;
  fromType?: string;
  verify?: boolean;
  /** Seconds. */
  timeout?: string | number;
};

export type Question = {
  request: CreateQuery;
  /** Of the contract asked, to say what a call reverted with. */
  abi: Abi | undefined;
  /** What the returned bytes mean to the flow. */
  read: (data: string) => unknown;
};

/**
 * What to ask, for this message.
 * @throws what is wrong with a field, before anything is sent
 */
export async function questionOf(
  RED: NodeAPI,
  node: Node,
  def: RunQueryDef,
  msg: CrecMessage,
): Promise<Question> {
  return (oneOf("Ask", def.kind, ["contract", "raw"]) === "raw" ? rawQuestion : contractQuestion)(
    RED,
    node,
    def,
    msg,
  );
}

async function contractQuestion(
  RED: NodeAPI,
  node: Node,
  def: RunQueryDef,
  msg: CrecMessage,
): Promise<Question> {
  // The contract of its own field first: an import gives config nodes new ids, and only such fields follow.
  const call = { ...def.call, ...(def.contract ? { contract: def.contract } : {}) };
  const contract = contractOf(RED, call.contract);
  const library = await loadLibrary();
  const abi = await contract.abi();
  const { decimals } = contract;
  const inUnit = oneOf("Integers", def.resultUnit, ["token"]);
  if (inUnit === "token" && decimals === undefined) {
    throw nodeError(
      "NO_DECIMALS",
      "The result is wanted in tokens, but the contract has no decimals. Open the contract and fill them in, or take the result as it is.",
    );
  }
  const { to, data, chainSelector, signature } = await encodeContractCall(RED, node, msg, call, "args");
  const outputs = outputsOf(library.listFunctions(abi), signature);
  const read = (returned: string): unknown => {
    const result = library.decodeFunctionResult({ abi, function: signature, data: returned });
    return inUnit === "token" && decimals !== undefined
      ? library.formatTokenAmounts(result, outputs, decimals)
      : result;
  };
  return { request: await requestOf(RED, node, def, msg, { chainSelector, to, data }), abi, read };
}

async function rawQuestion(RED: NodeAPI, node: Node, def: RunQueryDef, msg: CrecMessage): Promise<Question> {
  const required = (label: string, value: string | undefined, type: string | undefined) =>
    requireText(RED, node, msg, { label, value, type });
  const chainSelector = (await required("Network", def.chainSelector, def.chainSelectorType)).trim();
  const to = await required("Contract address", def.to, def.toType);
  const data = await readText(RED, node, msg, { label: "Call data", value: def.data, type: def.dataType });
  const request = await requestOf(RED, node, def, msg, { chainSelector, to, data: data ?? "0x" });
  return { request, abi: undefined, read: (returned) => returned };
}

async function requestOf(
  RED: NodeAPI,
  node: Node,
  def: RunQueryDef,
  msg: CrecMessage,
  target: { chainSelector: string; to: string; data: string },
): Promise<CreateQuery> {
  const from = await readText(RED, node, msg, { label: "From", value: def.from, type: def.fromType });
  return {
    chain_selector: target.chainSelector,
    params: {
      contract_address: target.to,
      call_data: target.data,
      block_selection: await blockOf(RED, node, def, msg),
      ...(from ? { from_address: from } : {}),
    },
  };
}

async function blockOf(
  RED: NodeAPI,
  node: Node,
  { block, blockNumber, blockNumberType }: RunQueryDef,
  msg: CrecMessage,
): Promise<BlockSelection> {
  const type = oneOf("At block", block, ["latest", "finalized", "block_number"]) ?? "latest";
  if (type !== "block_number") return { type };
  const field = { label: "Block number", value: blockNumber, type: blockNumberType };
  return { type, block_number: await requireText(RED, node, msg, field) };
}

function outputsOf(functions: readonly ListedFunction[], wanted: string): ListedFunction["outputs"] {
  return functions.find(({ signature }) => signature === wanted)?.outputs ?? [];
}
