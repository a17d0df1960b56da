import type { Node, NodeAPI, NodeDef } from "node-red";
import type { TransactionInput } from "../../src/index.ts";
import { type Snapshot, snapshotOf } from "../lib/runtime/call-preview.ts";
import { amountInWei, encodeContractCall } from "../lib/runtime/calls.ts";
import { contractOf } from "../lib/runtime/config-nodes.ts";
import { oneOf, readField, readText, requireText } from "../lib/runtime/fields.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import type { CrecMessage } from "../lib/runtime/message.ts";
import { nodeError } from "../lib/shared/errors.ts";
import type { CallDef, Value } from "../lib/shared/form-types.ts";
import { MOST_CALLS } from "../lib/shared/most-calls.ts";

export type SubmitOperationDef = NodeDef & {
  channel?: string;
  wallet?: string;
  /** `send`: signed here, and carried out. `draft`: somebody signs it later, or nobody does. */
  mode?: "send" | "draft";
  /** `form`: the calls below. `message`: a list of raw transactions, found where `transactions` says. */
  source?: "form" | "message";
  calls?: CallDef[];
  /** `contract1` and on: the contract of each call, where Node-RED keeps track of it. */
  [contract: `contract${number}`]: string | undefined;
  transactions?: string;
  transactionsType?: string;
  /** A status of the ladder. */
  waitFor?: string;
  /** Seconds to wait for it. */
  timeout?: string | number;
  /** Minutes until the operation may no longer be carried out; 0 for no deadline. */
  deadline?: string | number;
  /** Go on telling higher rungs by the second port after the target was reached. */
  follow?: boolean;
};

/** With what its bytes mean, where that is known. */
export type ReadableTransaction = TransactionInput & { preview?: Snapshot };

/**
 * The transactions of the operation, for this message.
 * @throws NO_CALLS, TOO_MANY_CALLS, NETWORK_DIFFERS, and what is wrong with a value, with its path
 */
export async function transactionsOf(
  RED: NodeAPI,
  node: Node,
  def: SubmitOperationDef,
  msg: CrecMessage,
  chainSelector: string,
): Promise<ReadableTransaction[]> {
  const source = oneOf("Calls", def.source, ["form", "message"]) ?? "form";
  const transactions: ReadableTransaction[] =
    source === "message"
      ? await listed(RED, node, def, msg)
      : await Promise.all(
          callsOf(def).map((call, index) =>
            transactionOf(RED, node, msg, call, `calls[${index}]`, chainSelector),
          ),
        );
  if (transactions.length === 0) {
    throw nodeError(
      "NO_CALLS",
      "The operation has no calls. Add one in the node's form, or give a list by message.",
    );
  }
  if (transactions.length > MOST_CALLS) {
    const message = `An operation holds at most ${MOST_CALLS} calls, and this one has ${transactions.length}. Split it.`;
    throw nodeError("TOO_MANY_CALLS", message);
  }
  const amount = source === "message" ? "value" : "amount";
  const { checksumAddress, encodeValue } = await loadLibrary();
  for (const [index, { to, value, data }] of transactions.entries()) {
    // Here, where it is known what a value is called in the form or the list.
    checksumAddress(to, `calls[${index}].to`);
    encodeValue("uint256", value, `calls[${index}].${amount}`);
    encodeValue("bytes", data, `calls[${index}].data`);
  }
  return transactions;
}

/** Each with its contract: an import gives config nodes new ids, and only the fields of the node follow. */
function callsOf(def: SubmitOperationDef): CallDef[] {
  return (def.calls ?? []).map((call, index) => {
    const contract = def[`contract${index + 1}`] || (call.kind === "contract" ? call.contract : "");
    return call.kind === "contract" && contract ? { ...call, contract } : call;
  });
}

async function transactionOf(
  RED: NodeAPI,
  node: Node,
  msg: CrecMessage,
  call: CallDef,
  path: string,
  chainSelector: string,
): Promise<ReadableTransaction> {
  const label = (name: string) => ({ label: `${path}.${name}` });
  oneOf(`${path}: call`, call.kind, ["contract", "raw"]);
  const amount = (await readText(RED, node, msg, { ...label("amount"), ...field(call.amount) })) ?? "0";
  const value = await amountInWei(amount, call.amount?.unit, `${path}.amount`);
  if (call.kind === "raw") {
    return {
      to: await requireText(RED, node, msg, { ...label("to"), ...field(call.to) }),
      data: (await readText(RED, node, msg, { ...label("data"), ...field(call.data) })) ?? "0x",
      value,
    };
  }
  const encoded = await encodeContractCall(RED, node, msg, call, `${path}.args`);
  if (encoded.chainSelector !== chainSelector) {
    throw nodeError(
      "NETWORK_DIFFERS",
      `${path}: the contract is on network ${encoded.chainSelector}, but the wallet on ${chainSelector}. Choose a contract of the wallet's network.`,
    );
  }
  const preview = await snapshotOf(await contractOf(RED, call.contract).abi(), encoded.data);
  return { to: encoded.to, data: encoded.data, value, ...(preview ? { preview } : {}) };
}

async function listed(
  RED: NodeAPI,
  node: Node,
  def: SubmitOperationDef,
  msg: CrecMessage,
): Promise<TransactionInput[]> {
  const list = await readField(RED, node, msg, {
    label: "Transactions",
    value: def.transactions,
    type: def.transactionsType,
  });
  if (!Array.isArray(list)) {
    throw nodeError(
      "INVALID_FIELD",
      '"Transactions" must be a list of {to, value, data}, but it came to something else.',
    );
  }
  return list.map((item: Partial<TransactionInput>) => ({
    to: String(item?.to ?? ""),
    value: item?.value ?? "0",
    data: item?.data ?? "0x",
  }));
}

function field({ value, type }: Value = {}): { value: string | undefined; type: string | undefined } {
  return { value, type };
}
