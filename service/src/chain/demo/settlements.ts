import { randomBytes } from "node:crypto";
import { decodeEventLog, toHex, zeroAddress, zeroHash } from "viem";
import type { Address, Hex } from "../../../../src/protocol/index.ts";
import type { Context } from "../../context.ts";
import { artifact } from "./contracts.ts";
import { callContract, type Mined, TransactionRefused } from "./transactions.ts";

/** `hash`: of an earlier settlement; the newest that was opened here unless given. */
export type DvpCall =
  | { action: "open"; expiresIn: number; executor?: Address }
  | { action: "accept" | "settle" | "cancel"; hash?: Hex };

/** `id`: of an earlier request; the newest that was made here unless given. Amounts are in the smallest unit. */
export type DtaCall =
  | { action: "subscribe" | "redeem"; amount: bigint }
  | { action: "process" | "complete" | "fail" | "cancel"; id?: Hex };

type Demo = "DemoDvp" | "DemoDta";
type Args = readonly unknown[];
/** The parameters of the first event that a call emitted. */
type Called = Mined & { params: Readonly<Record<string, unknown>> };

/**
 * Calls the demo contract for delivery versus payment. The service's account owns it, and is each party of a settlement.
 *
 * @throws TransactionRefused when the contract or the chain refuses the call, or nothing was opened yet.
 */
export async function callDvp(context: Context, call: DvpCall): Promise<Called> {
  if (call.action === "open")
    return await begin(context, "DemoDvp", "proposeSettlement", [settlement(context, call)]);
  const hash = call.hash ?? newest(context, "DemoDvp", "open a settlement");
  const functions = { accept: "acceptSettlement", settle: "executeSettlement", cancel: "cancel" } as const;
  return await send(context, "DemoDvp", functions[call.action], [hash]);
}

/**
 * Calls the demo contract of a digital transfer agent. The service's account owns it, and is distributor and
 * administrator of the fund.
 *
 * @throws TransactionRefused as `callDvp`.
 */
export async function callDta(context: Context, call: DtaCall): Promise<Called> {
  if ("amount" in call) {
    const functionName = call.action === "subscribe" ? "requestSubscription" : "requestRedemption";
    const reference = toHex(randomBytes(32));
    const fund = toHex("demo fund", { size: 32 });
    return await begin(context, "DemoDta", functionName, [
      context.relayer.address,
      fund,
      call.amount,
      reference,
    ]);
  }
  const id = call.id ?? newest(context, "DemoDta", "subscribe or redeem");
  const done = "completeRequestProcessing";
  if (call.action === "complete") return await send(context, "DemoDta", done, [id, true, "0x", false]);
  if (call.action === "fail")
    return await send(context, "DemoDta", done, [id, false, toHex("failed"), false]);
  const functionName = call.action === "process" ? "processDistributorRequest" : "cancelDistributorRequest";
  return await send(context, "DemoDta", functionName, [id]);
}

async function begin(context: Context, name: Demo, functionName: string, args: Args): Promise<Called> {
  const called = await send(context, name, functionName, args);
  const { settlementHash, requestId } = called.params;
  context.store.settings.set(key(context, name), settlementHash ?? requestId);
  return called;
}

function newest(context: Context, name: Demo, first: string): Hex {
  const known = context.store.settings.get<Hex>(key(context, name));
  if (known === undefined) throw new TransactionRefused(`there is nothing to act on yet: ${first} first`);
  return known;
}

/** A chain that was replaced has another contract. */
function key({ contracts }: Context, name: Demo): string {
  return `newest:${contracts[name]}`;
}

async function send(context: Context, name: Demo, functionName: string, args: Args): Promise<Called> {
  const mined = await callContract(context, name, functionName, args);
  const [log] = (await context.chain.receipt(mined.hash))?.logs ?? [];
  if (log === undefined) throw new TransactionRefused("its block was replaced");
  const { abi } = artifact(name);
  const { args: params } = decodeEventLog({ abi, data: log.data, topics: log.topics as [Hex, ...Hex[]] });
  return { ...mined, params: params as unknown as Record<string, unknown> };
}

/** Without tokens, so that nobody has to approve anything first. */
function settlement(
  { relayer, chain }: Context,
  { expiresIn, executor = relayer.address }: Extract<DvpCall, { action: "open" }>,
): object {
  const selector = BigInt(chain.network.chain_selector);
  return {
    settlementId: BigInt(toHex(randomBytes(6))),
    partyInfo: {
      buyerSourceAddress: relayer.address,
      buyerDestinationAddress: relayer.address,
      sellerSourceAddress: relayer.address,
      sellerDestinationAddress: relayer.address,
      executorAddress: executor,
    },
    tokenInfo: {
      paymentTokenSourceAddress: zeroAddress,
      paymentTokenDestinationAddress: zeroAddress,
      assetTokenSourceAddress: zeroAddress,
      assetTokenDestinationAddress: zeroAddress,
      paymentTokenAmount: 500_000_000n,
      assetTokenAmount: 10n ** 18n,
      paymentCurrency: 0,
      paymentLockType: 1,
      assetLockType: 1,
    },
    deliveryInfo: {
      paymentSourceChainSelector: selector,
      paymentDestinationChainSelector: selector,
      assetSourceChainSelector: selector,
      assetDestinationChainSelector: selector,
    },
    secretHash: zeroHash,
    executeAfter: 0,
    expiration: expiresIn === 0 ? 0 : Math.floor(Date.now() / 1000) + expiresIn,
    ccipCallbackGasLimit: 0,
    data: "0x",
  };
}
