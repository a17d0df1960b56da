import * as AbiFunction from "ox/AbiFunction";
import * as Hash from "ox/Hash";
import * as Hex from "ox/Hex";
import type { ReadyInfo } from "../../service/src/index.ts";
import { checksumAddress } from "../../src/index.ts";

/** Where `placeSixDecimals` puts its token. */
export const SIX = checksumAddress(`0x${"6".repeat(40)}`, "SIX");

/** As the demo token has them: `return 18`, and the same with 6. */
const [EIGHTEEN, ONLY_SIX] = ["60128156", "60068156"];
const BALANCES_SLOT = 1n;
const BALANCE_OF = AbiFunction.from("function balanceOf(address) view returns (uint256)");

/** Puts a copy of the demo token with 6 decimals on the chain. The holder has 1,000 tokens of it. */
export async function placeSixDecimals(
  { rpc_url, contracts }: ReadyInfo,
  holder: string,
  address = SIX,
): Promise<void> {
  const code = await rpc(rpc_url, "eth_getCode", contracts.DemoToken, "latest");
  if (code.split(EIGHTEEN).length !== 2)
    throw new Error("The demo token returns its decimals otherwise now.");
  await rpc(rpc_url, "anvil_setCode", address, code.replace(EIGHTEEN, ONLY_SIX));
  const slot = Hex.concat(Hex.padLeft(holder as Hex.Hex, 32), Hex.fromNumber(BALANCES_SLOT, { size: 32 }));
  const amount = Hex.fromNumber(1_000_000_000n, { size: 32 });
  await rpc(rpc_url, "anvil_setStorageAt", address, Hash.keccak256(slot), amount);
  await rpc(rpc_url, "anvil_mine", "0x1");
}

/** What an account has of a token, as the chain says, in the smallest unit. */
export async function balanceOn({ rpc_url }: ReadyInfo, token: string, account: string): Promise<bigint> {
  const data = AbiFunction.encodeData(BALANCE_OF, [account as Hex.Hex]);
  return BigInt(await rpc(rpc_url, "eth_call", { to: token, data }, "latest"));
}

/** Asks the node of the chain. */
export async function rpc(url: string, method: string, ...params: unknown[]): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result?: string; error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
  return result ?? "";
}
