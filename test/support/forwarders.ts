import * as Hex from "ox/Hex";
import type { ReadyInfo } from "../../service/src/index.ts";
import { checksumAddress } from "../../src/index.ts";
import { rpc } from "./six-decimals.ts";

/** The storage slots of ERC-1967. */
const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
const BEACON_SLOT = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50";

/** Ends with all that the call before returned, or reverts with it. `at` is where the first of these bytes is. */
const answering = (at: number) => `3d600060003e60${byte(at + 13)}573d6000fd5b3d6000f3`;
/** Copies the call data to memory. */
const COPIED = "366000600037";

/** Contracts that pass on each call, at addresses of their own. */
export const PROXY = checksumAddress(`0x${"a1".repeat(20)}`, "PROXY");
export const BEACON_PROXY = checksumAddress(`0x${"a2".repeat(20)}`, "BEACON_PROXY");
const BEACON = checksumAddress(`0x${"a3".repeat(20)}`, "BEACON");
export const WRAPPER = checksumAddress(`0x${"a4".repeat(20)}`, "WRAPPER");

/** Puts a proxy on the chain, or upgrades it: it runs the code of the implementation on its own storage. */
export async function placeProxy(ready: ReadyInfo, implementation: string): Promise<void> {
  const code = `0x${COPIED}600060003660007f${IMPLEMENTATION_SLOT.slice(2)}545af4${answering(49)}`;
  await place(ready, PROXY, code, [IMPLEMENTATION_SLOT, implementation]);
}

/** The same with a beacon, which tells the implementation. The proxy only says that it is one. */
export async function placeBeaconProxy(ready: ReadyInfo, implementation: string): Promise<void> {
  // Answers each call with its first storage slot.
  await place(ready, BEACON, "0x60005460005260206000f3", [`0x${"0".repeat(64)}`, implementation]);
  await place(ready, BEACON_PROXY, "0x00", [BEACON_SLOT, BEACON]);
}

/** Puts a contract on the chain that calls a token of its own with what it is called with. */
export async function placeWrapper(ready: ReadyInfo, token: string, address = WRAPPER): Promise<void> {
  const code = `0x${COPIED}60006000366000600073${token.slice(2)}5af1${answering(38)}`;
  await place(ready, address, code);
}

async function place(
  { rpc_url }: ReadyInfo,
  address: string,
  code: string,
  slot?: readonly [string, string],
): Promise<void> {
  await rpc(rpc_url, "anvil_setCode", address, code);
  if (slot) await rpc(rpc_url, "anvil_setStorageAt", address, slot[0], Hex.padLeft(slot[1] as Hex.Hex, 32));
  await rpc(rpc_url, "anvil_mine", "0x1");
}

function byte(value: number): string {
  return value.toString(16).padStart(2, "0");
}
