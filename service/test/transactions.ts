import { eventually } from "../../test/support/eventually.ts";
import type { Api } from "./support.ts";

/** Any call of the test service's node. */
export async function rpc<T>(api: Api, method: string, params: unknown[] = []): Promise<T> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  const response = await fetch(api.ready.rpc_url, { method: "POST", headers, body });
  const answer = (await response.json()) as { result: T; error?: { message: string } };
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result;
}

/**
 * Sends a transaction from an account that is not the service's, and waits until it is in a block: the sender,
 * checksummed as in the service's events.
 */
export async function sendFrom(api: Api, transaction: { to?: string; data: string }): Promise<string> {
  const from = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
  await mined(
    api,
    await rpc<string>(api, "eth_sendTransaction", [{ from, gas: "0x7a1200", ...transaction }]),
  );
  return from;
}

/** The receipt of a transaction once it is in a block; blocks are made where nobody else does. */
export async function mined(api: Api, hash: string): Promise<{ contractAddress: string; status: string }> {
  type Receipt = { contractAddress: string; status: string };
  return eventually("the receipt", async () => {
    const receipt = await rpc<Receipt | null>(api, "eth_getTransactionReceipt", [hash]);
    if (receipt === null) await rpc(api, "evm_mine");
    return receipt;
  });
}
