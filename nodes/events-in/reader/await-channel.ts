import { setTimeout as sleep } from "node:timers/promises";
import type { ChannelRef } from "../../common/fields/config-nodes.ts";
import { loadLibrary } from "../../common/library.ts";
import { toldError } from "../../common/messages/error-texts.ts";
import { type CodedError, toCodedError } from "../../common/shared/errors.ts";
import type { EventsInContext } from "../context.ts";
import type { WaitsFor } from "../status/reader-state.ts";
import { showState } from "../status/status.ts";

/** The flow is incomplete or wrong: only a change of it helps. */
const CONFIGURATION_CODES = new Set([
  "CONNECTION_INCOMPLETE",
  "CHANNEL_INCOMPLETE",
  "VARIABLE_MISSING",
  "INVALID_ARGUMENT",
]);

/**
 * The channel's id, as soon as the channel exists. A flow may create it with its first message, and a service may be
 * down when Node-RED starts: the node waits for both, and reports errors; `onWait` gets what it waits for.
 */
export async function awaitChannel(
  context: EventsInContext,
  channel: ChannelRef,
  signal: AbortSignal,
  onWait: (waitsFor: WaitsFor | undefined) => void,
): Promise<string> {
  const { ReadBackoff, readErrorKindOf } = await loadLibrary();
  const backoff = new ReadBackoff();
  let reported: string | undefined;
  for (;;) {
    try {
      const id = await channel.resolve(signal);
      onWait(undefined);
      return id;
    } catch (thrown) {
      const error = toCodedError(thrown);
      const kind = readErrorKindOf(error);
      if (signal.aborted || kind === "final" || CONFIGURATION_CODES.has(error.code)) throw error;
      const waitMs = backoff.next(error);
      const waitsFor = { error, kind, waitMs };
      onWait(waitsFor);
      const stopCountdown = showState(context, { kind: "waits", waitsFor });
      if (!isExpected(error) && error.code !== reported) context.node.error(toldError(error), {});
      reported = error.code;
      await sleep(waitMs, undefined, { signal }).finally(stopCountdown);
    }
  }
}

/** Whether the status alone reports an error: the node waits for something that is probably being created. */
export function isExpected({ code }: CodedError): boolean {
  return code === "CHANNEL_NOT_FOUND" || code === "WATCHER_NOT_FOUND";
}
