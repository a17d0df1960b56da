import type { CrecClient, Operation } from "../../src/index.ts";
import { refused } from "../common/approvals/open-drafts.ts";
import { nodeError } from "../common/shared/errors.ts";

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

/** The draft was not signed in time. */
export class Expired extends Error {
  readonly code = "OPERATION_EXPIRED";

  constructor(id: string) {
    super(
      `Expired: the draft was not approved before its deadline, and the service has no signature of it. Operation ${id}.`,
    );
  }
}

export function interrupted(cause: unknown): Error {
  const message =
    "Not known: a deploy has interrupted the decision. If the draft is still listed in a moment, it was not decided.";
  return nodeError("WAIT_INTERRUPTED", message, cause);
}

export function changed(): Error {
  const message =
    "Changed: the stored calls are not those that were shown. Nothing was signed. Find out who can change the state folder.";
  return nodeError("DIGEST_MISMATCH", message);
}
