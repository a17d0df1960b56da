import type { CrecClient, Operation, Submitted } from "../../src/index.ts";
import { isOfOtherCopy, noteOtherCopy } from "../common/fleet/other-copies.ts";
import { createdOf } from "../common/messages/created.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { withDetails } from "../common/messages/message.ts";
import { identityOf, type OperationValue } from "./operation-value.ts";

type Sending = {
  /** Whether the operation existed before. */
  found: boolean;
  /** `msg.crec` as it arrived. */
  origin: NonNullable<CrecMessage["crec"]>;
  /** Whether its key is that of an event and this node: nothing else has it, but copies of this flow. */
  isEvent: boolean;
  /** Whether this process has not sent with this key before: a second event about the same log has the same. */
  isFirstTry: boolean;
};

const tried = new Set<string>();
const MOST = 10_000;

/** Whether this process sends with a key for the first time. Ask before it is sent. */
export function isFirstTry(key: string): boolean {
  if (tried.has(key)) return false;
  tried.add(key);
  for (const oldest of tried) {
    if (tried.size <= MOST) break;
    tried.delete(oldest);
  }
  return true;
}

/**
 * Notes who sent an operation. One that another process sent, of an event that was delivered here for the first time, shows
 * that a second copy of the flow reads the same channel.
 */
export function noteSender({ created_at }: Pick<Operation, "created_at">, sending: Sending): void {
  const { found, origin, isEvent, isFirstTry } = sending;
  if (!found || !isEvent || !isFirstTry) return;
  const isNew = origin.redelivered !== true && typeof origin.attempt !== "number" && origin.restored !== true;
  const isOfEvent = origin.operationKey === undefined && origin.resumed !== true;
  if (isNew && isOfEvent && isOfOtherCopy(created_at)) noteOtherCopy(origin, "operation");
}

/**
 * From here on, a Catch node gets the operation with every error. The function adds what is known once it is sent.
 * `isEvent`: whether its key is that of an event and this node.
 */
export function noting(
  msg: CrecMessage,
  value: OperationValue,
  isEvent: () => boolean,
): (submitted: Submitted, client: CrecClient) => void {
  const { channelId, walletOperationId, key } = identityOf(value);
  const origin = { ...msg.crec };
  const isFirst = key !== undefined && isFirstTry(key);
  const prepared = value.state === "unsigned" ? value.prepared : undefined;
  const signing = prepared && { digest: prepared.digest, deadline: prepared.request.deadline };
  msg.crec = withDetails(msg, { channelId, walletOperationId, ...signing });
  // What is said of an operation that the message was about before does not stay.
  delete msg.crec.usedKey;
  delete msg.crec.approval;
  if (key !== undefined) msg.crec.usedKey = key;
  return ({ operation: shown, digest, found }, client) => {
    const ids = { channelId, operationId: shown.operation_id };
    msg.crec = { ...withDetails(msg, ids), digest, ...createdOf(client, msg, ids) };
    if (prepared) msg.crec.deadline = shown.deadline;
    if (key !== undefined) msg.crec.found = found;
    noteSender(shown, { found, origin, isEvent: isEvent(), isFirstTry: isFirst });
  };
}
