import { checksumAddress } from "viem";
import type { Address, Hex } from "../../../src/protocol/index.ts";
import type { Chain } from "./chain.ts";

/** The storage slots of ERC-1967: of a proxy's implementation, and of the beacon that tells it. */
const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
const BEACON_SLOT = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50";
/** `implementation()` of a beacon. */
const ASK_BEACON = "0x5c60da1b";

const WORD_OF_ADDRESS = /^0x0{24}(?!0{40})([0-9a-f]{40})$/i;

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
