import type { OperationInput } from "./operation.ts";
import type { SignRequest } from "./signer.ts";
import { operationDigest, operationPreimage, operationTypedData } from "./typed-data.ts";

/**
 * What a signer is given to sign an operation.
 * @throws ArgumentError as `operationTypedData`.
 * @example
 * const input = { id: "1", account: wallet.address, deadline: 0, transactions: [{ to: counter, value: "0", data: "0x" }] };
 * await signer.sign(signRequestOf(input, "31337"));
 */
export function signRequestOf(operation: OperationInput, chainId: string | number | bigint): SignRequest {
  return {
    digest: operationDigest(operation, chainId),
    preimage: operationPreimage(operation, chainId),
    typedData: operationTypedData(operation, chainId),
  };
}
