import { checksumAddress } from "viem";
import type { Address, Hex, ShownTransaction, WireTransaction } from "../../../../src/protocol/index.ts";
import type { Chain } from "../../chain/chain.ts";
import type { Context } from "../../context.ts";
import type { StoredOperation } from "../../store/operations.ts";
import { within } from "../../time.ts";

/** A draft does not wait for a chain that hangs. */
const ASK_MS = 2_000;

/** The storage slots of ERC-1967: of a proxy's implementation, and of the beacon that tells it. */
const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
const BEACON_SLOT = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50";
/** `implementation()` of a beacon. */
const ASK_BEACON = "0x5c60da1b";

const WORD_OF_ADDRESS = /^0x0{24}(?!0{40})([0-9a-f]{40})$/i;

/**
 * The calls of a draft, those of proxies with the implementation that they have now: a person approves what they do, and
 * they may be upgraded until the draft is finalized. Where the chain does not answer, it is left out.
 */
export function withImplementations<T extends WireTransaction>(
  context: Context,
  transactions: readonly T[],
): Promise<T[]> {
  return Promise.all(
    transactions.map(async (call) => {
      const implementation = await currentOf(context, call.to);
      return implementation === undefined ? call : { ...call, implementation };
    }),
  );
}

/** The same operation; until it is on its way, with what proxies were upgraded to since it was drafted. */
export async function withUpgrades(context: Context, operation: StoredOperation): Promise<StoredOperation> {
  if (operation.status !== "pending_signature" && operation.status !== "accepted") return operation;
  const transactions = await Promise.all(
    operation.transactions.map(async (call): Promise<ShownTransaction> => {
      if (call.implementation === undefined) return call;
      const upgraded_to = await currentOf(context, call.to);
      const isSame = upgraded_to === undefined || upgraded_to === call.implementation;
      return isSame ? call : { ...call, upgraded_to };
    }),
  );
  return { ...operation, transactions };
}

function currentOf({ chain }: Context, address: string): Promise<string | undefined> {
  return within(
    ASK_MS,
    implementationOf(chain, address).catch(() => undefined),
  );
}

/** The contract whose code a proxy of ERC-1967 runs; undefined for what is no such proxy. */
export async function implementationOf(chain: Chain, address: string): Promise<Address | undefined> {
  const inSlot = async (slot: string) =>
    addressIn(await chain.rpc<Hex>("eth_getStorageAt", [address, slot, "latest"]));
  const own = await inSlot(IMPLEMENTATION_SLOT);
  const beacon = own ? undefined : await inSlot(BEACON_SLOT);
  if (beacon === undefined) return own;
  const told = await chain.call({ to: beacon, data: ASK_BEACON });
  return "data" in told ? addressIn(told.data) : undefined;
}

function addressIn(word = "0x"): Address | undefined {
  const [, digits] = WORD_OF_ADDRESS.exec(word) ?? [];
  return digits === undefined ? undefined : checksumAddress(`0x${digits}`);
}
