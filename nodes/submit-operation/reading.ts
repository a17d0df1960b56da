import type { Library } from "../common/library.ts";
import { eventIn } from "../common/messages/event-message.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { override } from "../common/messages/message.ts";
import { processWide } from "../common/process-wide.ts";
import { setNewest } from "../common/shared/collections.ts";
import { nodeError } from "../common/shared/errors.ts";
import type { SigningClaim, SigningClaims } from "../common/signing/claims.ts";

/** A log, and its parameters as the ABI of a watcher reads them. */
export type Reading = {
  /** See `eventKeyOf`. */
  log: string;
  /** See `paramsDigest`. */
  digest: string;
};

/** For so long another reading of a log is refused. */
const REMEMBERED_S = 7 * 86_400;
/** The claims of this process, for when the files or the shared state cannot be asked. */
const inMemory = processWide("first-readings", () => new Map<string, SigningClaim>());
const MOST_IN_MEMORY = 10_000;

/** Of the event that a message is about; undefined where its proof was not checked, or it has no signed parameters. */
export function readingOf(
  msg: CrecMessage,
  { eventKeyOf, paramsDigest }: Pick<Library, "eventKeyOf" | "paramsDigest">,
): Reading | undefined {
  const [dedupeKey, event] = [override(msg, "dedupeKey"), eventIn(msg)];
  if (dedupeKey === undefined || event === undefined) return undefined;
  const digest = paramsDigest(event);
  return digest === undefined ? undefined : { log: eventKeyOf(dedupeKey), digest };
}

/**
 * Whether the operation of a log belongs to this reading of it. The first one that asks has it, before anything is sent:
 * after a crash in between, another reading must not find the operation as its own. Where no claim can be stored, the
 * first one of this process has it, and that is stored as soon as it can be.
 */
export async function isFirstReading(
  open: () => Promise<SigningClaims>,
  walletOperationId: string,
  { digest }: Reading,
  failed: (error: unknown) => void,
): Promise<boolean> {
  const now = Math.floor(Date.now() / 1000);
  const before = inMemory.get(walletOperationId);
  const mine = before && before.deadline > now ? before : { digest, deadline: now + REMEMBERED_S };
  const remember = (claim: SigningClaim) => setNewest(inMemory, walletOperationId, claim, MOST_IN_MEMORY);
  // Before it is stored: two that come together must not both be first.
  remember(mine);
  try {
    const stored = await (await open()).claim(`reading-${walletOperationId}`, mine);
    remember(stored);
    return stored.digest === digest;
  } catch (error) {
    failed(error);
    return mine.digest === digest;
  }
}

export function contradicting(log: string): Error {
  const message = `Contradicts an earlier event: this node has acted on the same log with other parameters, so nothing was sent. Two watchers read it with different ABIs. Choose the right one under Accepted watchers, in events in or verify event. Log ${log}.`;
  return nodeError("CONTRADICTING_EVENT", message);
}
