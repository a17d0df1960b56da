import { setTimeout as sleep } from "node:timers/promises";
import type { Node, NodeAPI } from "node-red";
import type { ReadErrorKind } from "../../../src/index.ts";
import type { ChannelRef } from "../../common/fields/config-nodes.ts";
import { loadLibrary } from "../../common/library.ts";
import { toldError } from "../../common/messages/error-texts.ts";
import { type CodedError, toCodedError } from "../../common/shared/errors.ts";
import { showStatus, statusText } from "../../common/status/status.ts";
import type { WaitsFor } from "../status/reader-state.ts";
import { retryStatus, showCountdown } from "../status/status.ts";

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
  RED: NodeAPI,
  node: Node,
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
      onWait({ error, kind });
      const waitMs = backoff.next(error);
      const stopCountdown = show(RED, node, { error, kind, waitMs });
      if (!isExpected(error) && error.code !== reported) node.error(toldError(error), {});
      reported = error.code;
      await sleep(waitMs, undefined, { signal }).finally(stopCountdown);
    }
  }
}

/** Whether the status alone reports an error: the node waits for something that is probably being created. */
export function isExpected({ code }: CodedError): boolean {
  return code === "CHANNEL_NOT_FOUND" || code === "WATCHER_NOT_FOUND";
}

function show(
  RED: NodeAPI,
  node: Node,
  { error, kind, waitMs }: { error: CodedError; kind: ReadErrorKind; waitMs: number },
): () => void {
  if (kind === "missing")
    showStatus(node, "waiting", statusText(RED._, "events-in.status.waiting-for-channel"));
  else if (kind === "refused") showStatus(node, "error", statusText(RED._, "events-in.status.key-refused"));
  else {
    const said = (seconds: number) => retryStatus(RED, error, seconds);
    return showCountdown(RED, node, { until: performance.now() + waitMs, said });
  }
  return () => undefined;
}
