import { encodeFunctionData } from "viem";
import {
  type LocalEcdsaSigner,
  operationDigest,
  operationTypedData,
  randomWalletOperationId,
} from "../../src/signing/index.ts";
import { artifact, type ContractName } from "../src/chain/demo/contracts.ts";
import type { Api } from "./support.ts";

/** A call of a demo contract, as one transaction of an operation. */
export function callOf(
  { ready }: Api,
  contract: ContractName,
  functionName: string,
  args: unknown[] = [],
  value = "0",
) {
  const data = encodeFunctionData({ abi: artifact(contract).abi, functionName, args });
  return { to: ready.contracts[contract] ?? "", value, data };
}

/** A signed operation to post: without a deadline and with a new id, unless `change` has them. */
export async function signedOperation(
  { ready }: Api,
  signer: LocalEcdsaSigner,
  address: string,
  transactions: object[],
  change: object = {},
): Promise<object> {
  const operation = {
    ...{ chain_selector: ready.chain_selector, address, transactions },
    ...{ wallet_operation_id: randomWalletOperationId(), deadline: 0 },
    ...change,
  };
  return { ...operation, signature: (await signatureOf({ ready }, signer, operation)).signature };
}

/** The digest of an operation, and its signature. */
export async function signatureOf(
  { ready }: Pick<Api, "ready">,
  signer: LocalEcdsaSigner,
  operation: { wallet_operation_id: string; address: string },
) {
  const input = { ...operation, id: operation.wallet_operation_id, account: operation.address } as never;
  const digest = operationDigest(input, ready.chain_id);
  const typedData = operationTypedData(input, ready.chain_id);
  return { digest, signature: await signer.sign({ digest, typedData }) };
}
