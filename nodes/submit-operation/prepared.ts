import type { CrecClient, TransactionInput } from "../../src/index.ts";
import { loadLibrary } from "../common/library.ts";
import { nodeError } from "../common/shared/errors.ts";
import type { SigningClaims } from "../common/signing/claims.ts";

/** An operation as it is signed, whatever the form, the message and the clock say later. JSON. */
export type Prepared = {
  channelId: string;
  walletOperationId: string;
  /** From which its id was made. */
  key: string | undefined;
  request: {
    chain_selector: string;
    address: string;
    /** Unix seconds; 0 for none. */
    deadline: number;
    transactions: Array<{ to: string; value: string; data: string }>;
  };
  digest: string;
};

type ToPrepare = Omit<Prepared, "request" | "digest"> & {
  request: Omit<Prepared["request"], "transactions"> & { transactions: readonly TransactionInput[] };
};

const LONGEST_KEY = 80;

/**
 * Makes an operation ready for a signer that takes time. One whose key is being signed already, for an earlier message
 * or on another copy of the flow, gets the same deadline, and so the same digest.
 * @throws OPERATION_KEY_REUSED where other calls are being signed under the key
 */
export async function prepare(
  client: CrecClient,
  given: ToPrepare,
  claims: () => Promise<SigningClaims>,
  signal: AbortSignal,
): Promise<{ prepared: Prepared; isRepeated: boolean }> {
  const { operationDigest, operationTypedData } = await loadLibrary();
  const { walletOperationId: id, key, request } = given;
  const { chain_selector, address: account } = request;
  const chainId = await client.networks.chainIdOf(chain_selector, { signal });
  const { transactions } = operationTypedData({ ...request, id, account }, chainId).message;
  const digestBy = (deadline: number) => operationDigest({ id, account, deadline, transactions }, chainId);
  const mine = { deadline: request.deadline, digest: digestBy(request.deadline) };
  const claim = key === undefined ? mine : await (await claims()).claim(id, mine);
  const { deadline, digest } = claim;
  if (key !== undefined && digestBy(deadline) !== digest) throw otherCalls(key);
  const prepared = { ...given, request: { ...request, deadline, transactions }, digest };
  return { prepared, isRepeated: claim !== mine };
}

function otherCalls(key: string): Error {
  const shown = key.length <= LONGEST_KEY ? key : `${key.slice(0, LONGEST_KEY - 1)}…`;
  const message = `Key used for other calls: an operation with other calls is being signed under this key. These were not sent. Repeat it with the same calls, without values that change with time, or use a new key. Key "${shown}".`;
  return nodeError("OPERATION_KEY_REUSED", message);
}
