import * as AbiFunction from "ox/AbiFunction";
import { executeData } from "../../service/src/chain/smart-account.ts";
import type { ReadyInfo } from "../../service/src/index.ts";
import {
  type LocalEcdsaSigner,
  type NewOperation,
  operationDigest,
  operationTypedData,
} from "../../src/index.ts";
import { normalizeOperation } from "../../src/signing/index.ts";

/** Lets a wallet execute an operation that the service knows nothing of: the chain takes it from the forwarder. */
export async function executeOnChain(
  ready: ReadyInfo,
  signer: LocalEcdsaSigner,
  { wallet_operation_id: id = "", address: account, deadline = 0, transactions }: NewOperation,
): Promise<void> {
  const rpc = async (method: string, ...params: unknown[]): Promise<string> => {
    const response = await fetch(ready.rpc_url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: string; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result ?? "";
  };
  const operation = normalizeOperation({ id, account, deadline, transactions });
  const digest = operationDigest(operation, ready.chain_id);
  const signature = await signer.sign({ digest, typedData: operationTypedData(operation, ready.chain_id) });
  const { id: wallet_operation_id, account: wallet, ...calls } = operation;
  const data = executeData({ ...calls, deadline, wallet_operation_id, address: wallet, signature });
  const forwarder = AbiFunction.from("function forwarder() view returns (address)");
  const call = { to: wallet, data: AbiFunction.encodeData(forwarder) };
  const from = `0x${(await rpc("eth_call", call, "latest")).slice(-40)}`;
  await rpc("anvil_impersonateAccount", from);
  await rpc("eth_sendTransaction", { from, to: wallet, data, gas: "0x7a1200" });
  await rpc("anvil_stopImpersonatingAccount", from);
  await rpc("anvil_mine", "0x1");
}
