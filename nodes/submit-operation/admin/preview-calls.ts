import { setImmediate as nextTurn } from "node:timers/promises";
import type { NodeAPI } from "node-red";
import type { AbiParameter } from "../../../src/index.ts";
import { valueNames } from "../../../src/protocol/abi-names.ts";
import type { NodeRedContext } from "../../common/context.ts";
import { isDiffering, noDecimals, toldUnits } from "../../common/contracts/call-decimals.ts";
import { amountInWei } from "../../common/contracts/calls.ts";
import {
  type ContractRegistry,
  contractRegistry,
  unitsAt,
} from "../../common/contracts/contract-registry.ts";
import type { ChannelNode } from "../../common/fields/config-nodes.ts";
import { type Library, loadLibrary } from "../../common/library.ts";
import { errorText } from "../../common/messages/error-texts.ts";
import { isTokenCall } from "../../common/shared/chain.ts";
import { nodeError, translatedError } from "../../common/shared/errors.ts";
import type { CallDef, ContractCall, Value } from "../../common/shared/stored-values.ts";
import { COIN_PLACES, coinUnit } from "../../common/shared/stored-values.ts";
import { isReference } from "../../common/shared/variables.ts";
import { callCountProblem } from "../fields.ts";
import type {
  ContractText,
  DecimalsQuestion,
  PreviewedCall,
  PreviewedValue,
  PreviewRequest,
} from "../preview-types.ts";
import { type Contract, type Contracts, resolvedOnce } from "./preview-contracts.ts";

/** One value of a form: known, or a reference to where a message or the environment provides it. */
type Read = { known: true; value: unknown } | { known: false; text: string };

/** The calls of a form in readable form, each value decoded from the bytes that would be signed. */
export async function previewCalls(
  context: NodeRedContext,
  request: PreviewRequest,
): Promise<PreviewedCall[]> {
  const { calls = [], contracts: texts = {}, wallet } = request;
  const contracts = await resolvedOnce(context);
  const scene = {
    registry: contractRegistry(context.RED),
    ...{ contracts, texts, chainSelector: wallet?.chainSelector },
    service: serviceOf(context.RED.nodes, request.channel),
  };
  const previewed: PreviewedCall[] = [];
  for (const call of calls) {
    // Lets other requests run between two ABIs.
    await nextTurn();
    previewed.push(call.kind === "raw" ? await rawCall(call) : await contractCall(scene, call));
  }
  return previewed;
}

/** The base URL of the service of a deployed channel. */
function serviceOf(nodes: NodeAPI["nodes"], id = ""): string | undefined {
  const channel = (nodes.getNode(id) as Partial<ChannelNode> | null)?.channel;
  return channel && !channel.problem ? channel.connection().baseUrl : undefined;
}

/** The list of raw transactions in the form; `undefined` when only a message provides it. */
export async function listedCalls(
  context: NodeRedContext,
  request: PreviewRequest,
): Promise<PreviewedCall[] | undefined> {
  const { transactions = "", transactionsType } = request;
  if (transactionsType !== "json" || isReference(transactions)) return undefined;
  const list: unknown = fromJson(transactions, context.t("submit-operation.label.transactions"));
  if (!Array.isArray(list)) {
    throw translatedError("INVALID_FIELD", context.t("submit-operation.error.transactions"));
  }
  const tooMany = callCountProblem(list.length);
  if (tooMany) throw nodeError("TOO_MANY_CALLS", tooMany);
  return Promise.all(
    list.map((item: Record<string, unknown> | null) => {
      const text = (name: string) => ({ value: textOf(item?.[name] ?? "") });
      return rawCall({ kind: "raw", to: text("to"), data: text("data"), amount: text("value") });
    }),
  );
}

/** Whether all values of a call are known and valid, so that it can be signed. */
export function isWhole({ problem, to, data, amount }: PreviewedCall): boolean {
  const values = [to, data, amount];
  return !problem && values.every((value) => value && !value.later && !value.problem);
}

async function rawCall(call: Extract<CallDef, { kind: "raw" }>): Promise<PreviewedCall> {
  const library = await loadLibrary();
  const bytes = { name: "", type: "bytes" };
  return {
    to: await shown(call.to, (value) => ({ text: library.checksumAddress(String(value ?? ""), "address") })),
    data: await shown(call.data, (value) => ({
      text: textOf(readBack(library, bytes, value || "0x", "call data")),
    })),
    amount: await amountOf(library, call.amount),
  };
}

type Scene = {
  registry: ContractRegistry;
  contracts: Contracts;
  texts: Record<string, ContractText>;
  /** Of the wallet. */
  chainSelector: string | undefined;
  /** Whose tokens have told their decimals before. */
  service: string | undefined;
};

async function contractCall(
  { registry, contracts, texts, chainSelector, service }: Scene,
  call: Extract<CallDef, { kind: "contract" }>,
): Promise<PreviewedCall> {
  const library = await loadLibrary();
  const id = call.contract ?? "";
  const text = Object.hasOwn(texts, id) ? texts[id] : undefined;
  const amount = await amountOf(library, call.amount);
  const signature = call.function ?? "";
  try {
    if (!text) throw nodeError("CONTRACT_MISSING", "No contract is chosen. Choose one.");
    const contract = await contracts(id, text);
    const base = { contract: contract.name || contract.address, signature };
    const to = await shown(
      call.address?.value?.trim() ? call.address : { value: contract.address },
      (value) => ({
        text: library.checksumAddress(String(value), "address"),
      }),
    );
    if (!signature) throw nodeError("FUNCTION_MISSING", "No function is chosen. Choose one.");
    const { args, data, payable, asks } = await encoded({ registry, library, contract, service, to }, call);
    const problem =
      chainSelector && !isReference(chainSelector) && contract.chainSelector !== chainSelector
        ? `The contract is on network ${contract.chainSelector}, but the wallet is on ${chainSelector}. Choose a contract of the wallet's network.`
        : undefined;
    if (!payable && amount.text !== "0" && !amount.later && !amount.problem) {
      amount.problem = `${signature} is not payable, so the contract would refuse the call. Leave the value empty.`;
    }
    return {
      ...{ ...base, to, args, ...(data ? { data } : {}), amount },
      ...{ ...(asks ? { asks } : {}), ...(problem ? { problem } : {}) },
    };
  } catch (thrown) {
    return {
      ...(text ? { contract: text.name || (text.address ?? "") } : {}),
      ...(signature ? { signature } : {}),
      to: { text: text?.address ?? "" },
      amount,
      problem: errorText(thrown),
    };
  }
}

/** Each value with what is wrong with it; the bytes once all values are known. */
async function encoded(
  {
    registry,
    library,
    contract,
    service,
    to,
  }: Pick<Scene, "registry" | "service"> & { library: Library; contract: Contract; to: PreviewedValue },
  call: ContractCall,
): Promise<{
  args: NonNullable<PreviewedCall["args"]>;
  data?: PreviewedValue;
  payable: boolean;
  asks?: DecimalsQuestion;
}> {
  const { abi, functions, amounts, chainSelector } = contract;
  const listed = functions.get(call.function ?? "");
  if (!listed) {
    // Its error lists the functions that there are.
    library.encodeFunctionCall({ abi, function: call.function ?? "" });
    throw nodeError("FUNCTION_NOT_IN_ABI", `The ABI has no function "${call.function}". Choose one it has.`);
  }
  // Those of the address that is called, which only a message may name.
  const isKnown = !to.later && !to.problem;
  const called = { chainSelector, to: to.text, data: listed.selector };
  const units = isKnown
    ? (unitsAt(registry, chainSelector, to.text, contract) ?? toldUnits(registry, called, service))
    : undefined;
  const decimals = units?.decimals;
  let asks: DecimalsQuestion | undefined;
  const values: unknown[] = [];
  const args = [];
  const names = valueNames(listed.inputs);
  for (const [index, input] of listed.inputs.entries()) {
    const stored = call.args?.[index];
    const at = names[index] ?? "";
    const value = await shown(stored, (typed) => {
      const byToken = stored?.unit === "token";
      if (byToken && decimals === undefined) {
        const isAsked = isKnown && isTokenCall(listed.selector) && !isDiffering(registry, called);
        if (isAsked) asks = { chainSelector, address: to.text, data: listed.selector };
        if (isAsked || !isKnown) return { text: textOf(typed), later: true };
        throw noDecimals(registry, { ...called, what: `${at} is given in tokens` });
      }
      const whole = byToken
        ? library.parseTokenAmounts(typed, input.type, decimals, at)
        : library.textToBytes(typed, input, at);
      values[index] = whole;
      const read = readBack(library, input, whole, at);
      if (whole !== typed && typeof typed === "string" && input.type.startsWith("bytes")) {
        return { text: textOf(read), typed };
      }
      if (decimals === undefined) return { text: textOf(read) };
      if (byToken)
        return { text: textOf(library.formatTokenAmounts(read, [input], decimals)), smallest: textOf(read) };
      const tokens = library.amountsInTokens({ [at]: read }, listed.inputs, decimals, amounts)?.[at];
      const larger = { text: textOf(tokens), unit: "token" } as const;
      return { text: textOf(read), ...(tokens === undefined ? {} : { larger }) };
    });
    const unit = stored?.unit === "token" ? { unit: stored.unit } : {};
    args.push({ name: at, type: input.type, ...value, ...unit });
  }
  const payable = listed.stateMutability === "payable";
  if (args.some(({ later, problem }) => later || problem))
    return { args, payable, ...(asks ? { asks } : {}) };
  const { data } = library.encodeFunctionCall({ abi, function: listed.signature, args: values });
  return { args, data: { text: data }, payable };
}

async function amountOf(library: Library, stored: Value | undefined): Promise<PreviewedValue> {
  const unit = coinUnit(stored?.unit);
  const value = await shown(stored, async (typed) => {
    const given = await amountInWei(String(typed ?? "").trim() || "0", unit, "value");
    const wei = textOf(readBack(library, { name: "", type: "uint256" }, given, "value"));
    const text = library.fromSmallestUnit(wei, COIN_PLACES[unit]);
    const ether = library.fromSmallestUnit(wei, COIN_PLACES.ether);
    return {
      text,
      ...(unit === "wei" ? {} : { smallest: wei }),
      ...(unit === "ether" || wei === "0" ? {} : { larger: { text: ether, unit: "ether" } }),
    };
  });
  return { ...value, unit };
}

/** A known value, as `read` shows it; otherwise where a message or the environment provides it. */
async function shown(
  stored: Value | undefined,
  read: (value: unknown) => PreviewedValue | Promise<PreviewedValue>,
): Promise<PreviewedValue> {
  try {
    const found = readValue(stored);
    return found.known ? await read(found.value) : { text: found.text, later: true };
  } catch (thrown) {
    return { text: stored?.value ?? "", problem: errorText(thrown) };
  }
}

/** Reads only the form: a preview must not read environment variables or the context of a flow. */
function readValue({ value = "", type = "str" }: Value = {}): Read {
  switch (type) {
    case "str":
      return isReference(value) ? { known: false, text: value } : { known: true, value };
    case "json":
      return { known: true, value: fromJson(value, "The value") };
    case "num":
    case "bool":
      return { known: true, value };
    case "env":
      return { known: false, text: `\${${value}}` };
    case "msg":
    case "flow":
    case "global":
      return { known: false, text: `${type}.${value.replace(/^#:\(.*?\)::/, "")}` };
    default:
      return { known: false, text: value };
  }
}

function fromJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw nodeError("INVALID_FIELD", `${name} is not JSON yet. A list looks like ["a", "b"].`, cause);
  }
}

/** Encodes and decodes the value, so that what is shown is what the bytes contain. */
function readBack(library: Library, parameter: AbiParameter, value: unknown, path: string): unknown {
  const [decoded] = library.decodeValues([parameter], library.encodeValue(parameter, value, path));
  return decoded;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
