import type { Operation } from "../../src/index.ts";
import type { CrecMessage } from "../lib/runtime/message.ts";
import { isOfOtherCopy, noteOtherCopy } from "../lib/runtime/other-copies.ts";

export type Sending = {
  /** Whether the operation existed before. */
  found: boolean;
  /** `msg.crec` as it arrived. */
  origin: NonNullable<CrecMessage["crec"]>;
  /** Whether its key is that of an event and this node: nothing else has it, but copies of this flow. */
  isEvent: boolean;
};

/** Operations that this process has sent: a second event about the same log finds them, too. */
const own = new Set<string>();
const MOST = 10_000;

/**
 * Notes who sent an operation. One that another process sent, of an event that was delivered here for the first time, shows
 * that a second copy of the flow reads the same channel.
 */
export function noteSender({ operation_id: id, created_at }: Operation, sending: Sending): void {
  const { found, origin, isEvent } = sending;
  if (!found) {
    own.add(id);
    for (const oldest of own) {
      if (own.size <= MOST) break;
      own.delete(oldest);
    }
    return;
  }
  const isFirst = origin.redelivered !== true && origin.attempt === undefined && origin.restored !== true;
  const isOfEvent = isEvent && origin.operationKey === undefined && origin.resumed !== true;
  if (isFirst && isOfEvent && isOfOtherCopy(created_at, own.has(id))) noteOtherCopy(origin, "operation");
}
