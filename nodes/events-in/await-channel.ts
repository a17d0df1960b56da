import { setTimeout as sleep } from "node:timers/promises";
import type { Node, NodeAPI } from "node-red";
import type { ChannelRef } from "../lib/runtime/config-nodes.ts";
import { showStatus } from "../lib/runtime/status.ts";
import { type CodedError, shortText, toCodedError } from "../lib/shared/errors.ts";

const FIRST_WAIT_MS = 1000;
/** A flow may make the channel at any moment; an outage is not over sooner for being asked more often. */
const LONGEST_WAIT_MS = { missing: 4000, error: 30_000 };
/** Trying again cannot help before somebody changes the flow. */
const FINAL_CODES = new Set([
  "CONNECTION_INCOMPLETE",
  "CHANNEL_INCOMPLETE",
  "VARIABLE_MISSING",
  "INVALID_ARGUMENT",
]);

/**
 * The channel's id, as soon as there is such a channel. A flow may well create it with its first message,
 * and a service may be down when Node-RED starts: both are waited for, and told.
 */
export async function awaitChannel(
  RED: NodeAPI,
  node: Node,
  channel: ChannelRef,
  signal: AbortSignal,
): Promise<string> {
  let told: string | undefined;
  for (let attempt = 0; ; attempt += 1) {
    let waitMs = FIRST_WAIT_MS * 2 ** attempt;
    try {
      return await channel.resolve(signal);
    } catch (thrown) {
      const error = toCodedError(thrown);
      if (signal.aborted || FINAL_CODES.has(error.code)) throw error;
      const missing = error.code === "CHANNEL_NOT_FOUND";
      waitMs = Math.min(waitMs, missing ? LONGEST_WAIT_MS.missing : LONGEST_WAIT_MS.error);
      show(RED, node, error, waitMs);
      // A channel that is not there yet is no error; anything else is told once, not at each try.
      if (!missing && error.code !== told) node.error(error, {});
      told = error.code;
    }
    await sleep(waitMs, undefined, { signal });
  }
}

function show(RED: NodeAPI, node: Node, error: CodedError, waitMs: number): void {
  if (error.code === "CHANNEL_NOT_FOUND") {
    showStatus(node, "waiting", "events-in.status.waiting-for-channel");
  } else if (error.code === "KEY_REFUSED" || error.code === "ORGANIZATION_NOT_FOUND") {
    showStatus(node, "error", "events-in.status.key-refused");
  } else {
    const text = RED._("events-in.status.retrying", {
      error: shortText(error),
      seconds: Math.round(waitMs / 1000),
    });
    showStatus(node, "error", text);
  }
}
