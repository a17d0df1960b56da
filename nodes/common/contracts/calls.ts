import type { ListedFunction } from "../../../src/index.ts";
import { contractOf } from "../fields/config-nodes.ts";
import {
  type Evaluating,
  evaluate,
  evaluateRequired,
  isNothing,
  optionOf,
  type TypedValue,
} from "../fields/evaluate.ts";
import { loadLibrary } from "../library.ts";
import type { CrecMessage } from "../messages/message.ts";
import { nodeError } from "../shared/errors.ts";
import type { ContractCall, Value } from "../shared/stored-values.ts";
import { COIN_PLACES, type CoinUnit } from "../shared/stored-values.ts";
import { decimalsOfCall, type NodeChannel } from "./call-decimals.ts";
import { contractRegistry } from "./contract-registry.ts";

type EncodedCall = {
  to: string;
  data: string;
  chainSelector: string;
  signature: string;
  /** The positions of the values that the form took in tokens. */
  inTokens: number[];
};

/**
 * The call data of a function chosen in a form, with its values evaluated for this message.
 *
 * @param path of the values: `args`, or `calls[0].args`
 * @param channel where decimals are asked that no contract node has
 * @throws CONTRACT_MISSING, FUNCTION_NOT_IN_ABI, NO_DECIMALS; INVALID_ARGUMENT, INVALID_FIELD or MISSING_VALUE with
 * the path of the value
 */
export async function encodeContractCall(
  context: Evaluating,
  msg: CrecMessage,
  call: ContractCall,
  path: string,
  channel: NodeChannel,
): Promise<EncodedCall> {
  const contract = contractOf(context.RED.nodes, call.contract);
  const library = await loadLibrary();
  const name = await evaluateRequired(context, msg, typed(context.t("common.label.function"), call.function));
  const abi = await contract.abi();
  const given = call.args ?? [];
  const listed = listedAs(library.listFunctions(abi), name, given.length);
  const { chainSelector } = contract;
  const label = path.replace(/args$/, "address");
  const to = await addressOr(context, msg, call.address, contract.address, label);
  const read = await Promise.all(
    given.map(async (stored, index) => {
      const input = listed?.inputs[index];
      const at = input?.name ? `${path}.${input.name}` : `${path}[${index}]`;
      return { stored, input, at, ...(await readArgument(context, msg, stored, at, input?.type)) };
    }),
  );
  requireAll(path, read);
  const args = await Promise.all(
    read.map(async ({ stored, input, at, value }) => {
      if (stored.unit) optionOf(context.t, `${at}.unit`, stored.unit, ARGUMENT_UNITS);
      if (!listed || !input) return value;
      if (!stored.unit) return library.textToBytes(value, input, at);
      const what = `${at} is given in tokens`;
      const counted = { chainSelector, to, data: listed.selector, chosen: contract, what };
      return library.parseTokenAmounts(
        value,
        input.type,
        await decimalsOfCall(contractRegistry(context.RED), counted, channel),
        at,
      );
    }),
  );
  const { data, signature } = library.encodeFunctionCall({ abi, function: name, args, path });
  const inTokens = given.flatMap(({ unit }, index) => (unit ? [index] : []));
  return { to, data, chainSelector, signature, inTokens };
}

/**
 * The address that a form or a message gives instead of the contract's own. When a message should give it and does
 * not, that is an error: the contract's own address is not meant.
 * @throws MISSING_VALUE, INVALID_ADDRESS
 */
async function addressOr(
  context: Evaluating,
  msg: CrecMessage,
  given: Value | undefined,
  own: string,
  label: string,
): Promise<string> {
  if ((given?.value ?? "").trim() === "") return own;
  const text = await evaluateRequired(context, msg, typed(label, given?.value, given?.type));
  return (await loadLibrary()).checksumAddress(text, label);
}

/** An integer without a unit is in the smallest one. */
const ARGUMENT_UNITS = ["token"] as const;

/**
 * The value that a call sends along, in wei. An amount in wei is returned unchanged; the encoder checks it.
 * @throws INVALID_ARGUMENT with the path, when it is not a number or has more decimal places than its unit
 */
export async function amountInWei(value: string, unit: CoinUnit, path: string): Promise<string> {
  const { toSmallestUnit } = await loadLibrary();
  return unit === "wei" ? value : toSmallestUnit(value, COIN_PLACES[unit], path);
}

/** `undefined` where the function is unknown or ambiguous; the encoder reports that. */
function listedAs(
  functions: readonly ListedFunction[],
  name: string,
  count: number,
): ListedFunction | undefined {
  const compact = name.replace(/\s+/g, "");
  const named = functions.filter((one) => one.signature === compact || one.name === compact);
  const fitting = named.length === 1 ? named : named.filter(({ inputs }) => inputs.length === count);
  return fitting.length === 1 ? fitting[0] : undefined;
}

type Read = {
  value: unknown;
  /** What is wrong where there is none. */
  missing?: string;
};

/** `input`: the parameter, where the function is known. */
type Given = Read & { at: string; input: { name: string } | undefined };

async function readArgument(
  context: Evaluating,
  msg: CrecMessage,
  stored: Value,
  path: string,
  type: string | undefined,
): Promise<Read> {
  const typedValue = typed(path, stored.value, stored.type);
  const value = await evaluate(context, msg, typedValue);
  const isBlank = typeof value === "string" && value.trim() === "" && type !== "string";
  return isNothing(value) || isBlank ? { value, missing: nothingIn(typedValue, value, type) } : { value };
}

/** All values that are missing, at once. @throws INVALID_ARGUMENT */
function requireAll(path: string, values: readonly Given[]): void {
  const [first, ...others] = values.filter(({ missing }) => missing !== undefined);
  if (!first) return;
  if (others.length === 0) throw nodeError("INVALID_ARGUMENT", `${first.at} ${first.missing}.`);
  const names = values.flatMap(({ missing, input }, index) =>
    missing === undefined ? [] : input?.name || `value ${index + 1}`,
  );
  const call = path.replace(/\.?args$/, "");
  const listed = new Intl.ListFormat("en").format(names);
  const where = call === "" ? "" : ` in ${call}`;
  throw nodeError(
    "INVALID_ARGUMENT",
    `${listed} are empty${where}. Fill them in, in the form or the message.`,
  );
}

function nothingIn({ type, value }: TypedValue, found: unknown, parameter: string | undefined): string {
  if (Number.isNaN(found)) return `is not a number: ${type}.${value} is NaN`;
  const is = typeof found === "string" ? "is empty" : "is missing";
  if (value.trim() !== "") return `${is}: there is nothing in ${type}.${value}`;
  return parameter === "bytes" ? "is empty: enter 0x for no bytes" : "is empty: fill it in";
}

function typed(label: string, value = "", type = "str"): TypedValue {
  return { label, value, type };
}
