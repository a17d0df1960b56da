import { override } from "../lib/runtime/details.ts";
import { eventIn } from "../lib/runtime/event-message.ts";
import type { Library } from "../lib/runtime/library.ts";
import type { CrecMessage } from "../lib/runtime/message.ts";
import type { Claims } from "../lib/runtime/signing/claims.ts";
import { nodeError } from "../lib/shared/errors.ts";

/** A log, and its parameters as the ABI of a watcher reads them. */
export type Reading = {
  /** See `eventKeyOf`. */
  log: string;
  /** See `paramsDigest`. */
  digest: string;
};

/** For so long another reading of a log is refused. */
const REMEMBERED_S = 7 * 86_400;

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
 * after a crash in between, another reading must not find the operation as its own.
 */
export async function isFirstReading(
  claims: Claims,
  walletOperationId: string,
  { digest }: Reading,
): Promise<boolean> {
  const deadline = Math.floor(Date.now() / 1000) + REMEMBERED_S;
  const first = await claims.claim(`reading-${walletOperationId}`, { digest, deadline });
  return first.digest === digest;
}

export function contradicting(log: string): Error {
  const message = `Contradicts an earlier event: this node has acted on the same log with other parameters, so nothing was sent. Two watchers read it with different ABIs. Choose the right one under Accepted watchers, in events in or verify event. Log ${log}.`;
  return nodeError("CONTRADICTING_EVENT", message);
}
