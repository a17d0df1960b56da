import type { TransactionInput } from "../../src/index.ts";
import type { NodeChannel } from "../common/contracts/call-decimals.ts";
import { type Snapshot, snapshotOf } from "../common/contracts/call-preview.ts";
import { amountInWei, encodeContractCall } from "../common/contracts/calls.ts";
import { contractOf } from "../common/fields/config-nodes.ts";
import {
  type Evaluating,
  evaluateOptional,
  evaluateRequired,
  isNothing,
  optionOf,
  type TypedValue,
} from "../common/fields/evaluate.ts";
import type { FieldReader, FormContext } from "../common/fields/field-reader.ts";
import { loadLibrary } from "../common/library.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { isObject } from "../common/shared/collections.ts";
import { nodeError } from "../common/shared/errors.ts";
import type { CallDef, Value } from "../common/shared/stored-values.ts";
import { COIN_UNITS, callsWithContracts } from "../common/shared/stored-values.ts";
import { nearestName } from "../common/shared/text.ts";
import type { NODE } from "./fields.ts";
import { callCountProblem } from "./fields.ts";

/** With its function and arguments, where they are known. */
export type ReadableTransaction = TransactionInput & { preview?: Snapshot };

/**
 * The transactions of the operation, for this message.
 * @throws NO_CALLS, TOO_MANY_CALLS, NETWORK_DIFFERS, and what is wrong with a value, with its path
 */
export async function transactionsOf(
  context: FormContext<typeof NODE>,
  msg: CrecMessage,
  chainSelector: string,
  channel: NodeChannel,
): Promise<ReadableTransaction[]> {
  const { fields } = context;
  const transactions: ReadableTransaction[] =
    fields.choice("source") === "message"
      ? await listed(fields, msg)
      : await Promise.all(
          callsWithContracts(fields.settings).map((call, index) =>
            transactionOf(context, msg, call, `calls[${index}]`, chainSelector, channel),
          ),
        );
  if (transactions.length === 0) {
    throw nodeError(
      "NO_CALLS",
      "The operation has no calls. Add one in the node's form, or send a list in the message.",
    );
  }
  const tooMany = callCountProblem(transactions.length);
  if (tooMany) throw nodeError("TOO_MANY_CALLS", tooMany);
  const { checksumAddress, encodeValue } = await loadLibrary();
  for (const [index, { to, value, data }] of transactions.entries()) {
    // Checked here, where the path of a value in the form or the list is known.
    checksumAddress(to, `calls[${index}].to`);
    encodeValue("uint256", value, `calls[${index}].value`);
    encodeValue("bytes", data, `calls[${index}].data`);
  }
  return transactions;
}

async function transactionOf(
  context: Evaluating,
  msg: CrecMessage,
  call: CallDef,
  path: string,
  chainSelector: string,
  channel: NodeChannel,
): Promise<ReadableTransaction> {
  const at = (name: string, { value = "", type = "str" }: Value = {}): TypedValue => ({
    ...{ label: `${path}.${name}`, value, type },
  });
  optionOf(context.t, `${path}.kind`, call.kind || "contract", ["contract", "raw"]);
  const amount =
    (await evaluateOptional(context, msg, { ...at("value", call.amount), isAmount: true })) ?? "0";
  const unit = optionOf(context.t, `${path}.value.unit`, call.amount?.unit || "wei", COIN_UNITS);
  const value = await amountInWei(amount, unit, `${path}.value`);
  if (call.kind === "raw") {
    return {
      to: await evaluateRequired(context, msg, at("to", call.to)),
      data: (await evaluateOptional(context, msg, at("data", call.data))) ?? "0x",
      value,
    };
  }
  const encoded = await encodeContractCall(context, msg, call, `${path}.args`, channel);
  if (encoded.chainSelector !== chainSelector) {
    throw nodeError(
      "NETWORK_DIFFERS",
      `${path}: the contract is on network ${encoded.chainSelector}, but the wallet is on ${chainSelector}. Choose a contract of the wallet's network.`,
    );
  }
  const abi = await contractOf(context.RED.nodes, call.contract).abi();
  const preview = await snapshotOf(abi, encoded.data, encoded.inTokens);
  return { to: encoded.to, data: encoded.data, value, ...(preview ? { preview } : {}) };
}

async function listed(fields: FieldReader<typeof NODE>, msg: CrecMessage): Promise<TransactionInput[]> {
  const list = await fields.of(msg).value("transactions");
  if (!Array.isArray(list)) throw fields.wrong("transactions", list);
  return list.map((item: unknown, index) => listedTransaction(item, `calls[${index}]`));
}

/** What an entry of a list may have: the transactions of an operation have a preview beside theirs. */
const ENTRY = ["to", "value", "data", "preview", "preview_snapshot"];
/** Other names that people give them. */
const MEANT: Readonly<Record<string, string>> = {
  amount: "value",
  address: "to",
  target: "to",
  recipient: "to",
  calldata: "data",
  input: "data",
};

/** @throws INVALID_FIELD, MISSING_VALUE with the path of what is wrong */
function listedTransaction(item: unknown, path: string): TransactionInput {
  if (!isObject(item)) {
    throw nodeError("INVALID_FIELD", `${path} must be an object with to, and with value or data.`);
  }
  const unknown = Object.keys(item).find((name) => !ENTRY.includes(name));
  if (unknown !== undefined) {
    const near = nearestName(unknown, [...ENTRY, ...Object.keys(MEANT)]);
    const meant = near === undefined ? undefined : (MEANT[near] ?? near);
    const isMissing = meant !== undefined && !Object.hasOwn(item, meant);
    const advice = isMissing
      ? `Name it ${meant}.`
      : "A call has to, value and data: correct the name, or remove it.";
    throw nodeError("INVALID_FIELD", `${path}.${unknown} is not known. ${advice}`);
  }
  const given = (name: "to" | "value" | "data"): string | undefined => {
    if (!Object.hasOwn(item, name)) return undefined;
    const value = item[name];
    if (!isNothing(value) && String(value).trim() !== "") return value as string;
    throw nodeError(
      "MISSING_VALUE",
      `${path}.${name} is there, and holds nothing. Fill it in, or leave it out.`,
    );
  };
  const [to, value, data] = [given("to"), given("value"), given("data")];
  if (to === undefined)
    throw nodeError("MISSING_VALUE", `${path}.to is missing. Fill in the address to call.`);
  if (value === undefined && data === undefined) {
    throw nodeError(
      "MISSING_VALUE",
      `${path} has neither value nor data. Fill in what to send, or the call data.`,
    );
  }
  return { to: String(to), value: value ?? "0", data: data ?? "0x" };
}
