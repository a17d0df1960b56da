import { type Hex, pad, toEventSelector, toHex } from "viem";
import { type Api, TRANSFER } from "./support.ts";
import { rpc, sendFrom } from "./transactions.ts";

/** Contracts that emit as many transfers as the first word of the call says. */
export const EMITTERS: readonly [Hex, Hex] = [
  "0x00000000000000000000000000000000000e0001",
  "0x00000000000000000000000000000000000e0002",
];
const EMITTER_CODE = [
  // n = calldata; while (n != 0) { mem[0] = n; log3(mem[0..32], Transfer, caller, n); n -= 1 }
  "0x6000355b8015603c5780600052803",
  `37f${toEventSelector("Transfer(address,address,uint256)").slice(2)}`,
  "60206000a360019003600356",
  "5b00",
].join("");

/** Puts the emitters on the chain, with a watcher of the channel on each; active when it resolves. */
export async function watchEmitters(api: Api, node: Api, channelId: string): Promise<void> {
  for (const [index, address] of EMITTERS.entries()) {
    await rpc(node, "anvil_setCode", [address, EMITTER_CODE]);
    await watchEmitter(api, channelId, `emitter ${index}`, address);
  }
}

/** A watcher on one of them, active when it resolves. */
export async function watchEmitter(api: Api, channelId: string, name: string, address: Hex): Promise<void> {
  const { watcher_id } = await api.ok<{ watcher_id: string }>("POST", `/channels/${channelId}/watchers`, {
    ...{ name, chain_selector: api.ready.chain_selector, address },
    ...{ events: ["Transfer"], abi: [TRANSFER] },
  });
  await api.until(`/channels/${channelId}/watchers/${watcher_id}`, "active");
}

/** Has one emit so many, in a block of its own. */
export async function emit(node: Api, to: Hex, count: number): Promise<void> {
  await sendFrom(node, { to, data: pad(toHex(count)) });
}
