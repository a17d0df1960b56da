import type { CrecClient, Operation } from "../../src/index.ts";
import { refused } from "../common/approvals/open-drafts.ts";

/**
 * What a proxy runs is not signed, but it was shown. Only the local service tells it.
 * @throws APPROVAL_REFUSED where a proxy was upgraded since
 */
export async function requireShownCode(
  client: CrecClient,
  { channelId, operation }: { channelId: string; operation: Operation },
  signal: AbortSignal,
): Promise<void> {
  const { transactions } = await client.operations.get(channelId, operation.operation_id, { signal });
  const isOther = transactions.some(({ upgraded_to: code }, index) => {
    const shown = operation.transactions[index];
    return code !== undefined && code !== (shown?.upgraded_to ?? shown?.implementation);
  });
  if (isOther)
    throw refused("a proxy that it calls runs other code than was shown. Decline it, and make a new draft");
}
