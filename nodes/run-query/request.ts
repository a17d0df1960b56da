import { isDeepStrictEqual } from "node:util";
import type { Abi, BlockSelection, CreateQuery, ListedFunction } from "../../src/index.ts";
import { decimalsOfCall, type NodeChannel } from "../common/contracts/call-decimals.ts";
import { encodeContractCall } from "../common/contracts/calls.ts";
import { contractRegistry } from "../common/contracts/contract-registry.ts";
import { contractOf } from "../common/fields/config-nodes.ts";
import type { FieldReader, FormContext, MessageFields } from "../common/fields/field-reader.ts";
import { type Library, loadLibrary } from "../common/library.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import type { NODE } from "./fields.ts";

type Question = {
  request: CreateQuery;
  /** Of the contract asked, to say what a call reverted with. */
  abi: Abi | undefined;
  /** What the returned bytes mean to the flow. */
  read: (data: string) => unknown;
};

type Fields = FieldReader<typeof NODE>;

/** What the code of one run query works with. */
type Context = FormContext<typeof NODE>;

/**
 * The question for this message.
 * @throws INVALID_FIELD, MISSING_VALUE and the like, before anything is sent
 */
export function questionOf(context: Context, msg: CrecMessage, channel: NodeChannel): Promise<Question> {
  const { fields } = context;
  return fields.choice("kind") === "raw" ? rawQuestion(fields, msg) : contractQuestion(context, msg, channel);
}

async function contractQuestion(context: Context, msg: CrecMessage, channel: NodeChannel): Promise<Question> {
  const { RED, fields } = context;
  const { call: stored, contract: id } = fields.settings;
  // The contract of its own field first: an import gives config nodes new ids, and changes only such fields.
  const call = { ...stored, ...(id ? { contract: id } : {}) };
  const contract = contractOf(RED.nodes, call.contract);
  const library = await loadLibrary();
  const abi = await contract.abi();
  const isInTokens = fields.choice("resultUnit") === "token";
  const { to, data, chainSelector, signature } = await encodeContractCall(
    context,
    msg,
    call,
    "args",
    channel,
  );
  const counted = { chainSelector, to, data, chosen: contract, what: "The result should be in tokens" };
  const decimals = isInTokens ? await decimalsOfCall(contractRegistry(RED), counted, channel) : undefined;
  const read = (returned: string): unknown => {
    const result = library.decodeFunctionResult({ abi, function: signature, data: returned });
    return decimals === undefined
      ? result
      : library.formatTokenAmounts(
          result,
          outputsOf(library, { abi, function: signature, data: returned }, result),
          decimals,
          contract.amounts,
        );
  };
  return { request: await requestOf(fields, msg, { chainSelector, to, data }), abi, read };
}

async function rawQuestion(fields: Fields, msg: CrecMessage): Promise<Question> {
  const values = fields.of(msg);
  const chainSelector = (await values.required("chainSelector")).trim();
  const to = await values.required("to");
  const data = (await values.optional("data")) ?? "0x";
  const request = await requestOf(fields, msg, { chainSelector, to, data });
  return { request, abi: undefined, read: (returned) => returned };
}

async function requestOf(
  fields: Fields,
  msg: CrecMessage,
  target: { chainSelector: string; to: string; data: string },
): Promise<CreateQuery> {
  const values = fields.of(msg);
  const from = await values.optional("from");
  return {
    chain_selector: target.chainSelector,
    params: {
      contract_address: target.to,
      call_data: target.data,
      block_selection: await blockOf(fields, values),
      ...(from ? { from_address: from } : {}),
    },
  };
}

async function blockOf(fields: Fields, values: MessageFields<typeof NODE>): Promise<BlockSelection> {
  const type = fields.choice("block");
  return type === "block_number" ? { type, block_number: await values.required("blockNumber") } : { type };
}

/** The outputs that the result was read by: an ABI may have several functions with one signature. */
function outputsOf(
  { decodeFunctionResult, listFunctions }: Library,
  call: Parameters<Library["decodeFunctionResult"]>[0],
  result: unknown,
): ListedFunction["outputs"] {
  for (const item of call.abi) {
    try {
      const alone = { ...call, abi: [item] };
      const outputs = listFunctions(alone.abi)[0]?.outputs;
      if (outputs && isDeepStrictEqual(decodeFunctionResult(alone), result)) return outputs;
    } catch {
      // Another function, or outputs that do not fit.
    }
  }
  return [];
}
