import type { NodeAPI } from "node-red";
import { processWide } from "../process-wide.ts";

/**
 * What shows that another copy of this flow reads the same events. `flowfuse`: the host runs several copies, and they share
 * no folder. `cursor`: another process moved the stored cursor. `operation`: another process sent the operation of an
 * event that this one has just received for the first time.
 */
export type Evidence = "flowfuse" | "cursor" | "operation";

/** What a message of events in says about where its event came from, in `msg.crec`. */
type Origin = { consumer?: unknown; channelId?: unknown };

type Reader = { consumer: string; channelId: string; note: (evidence: Evidence) => void };

const readers = processWide("readers", () => new Set<Reader>());

/** Has the evidence about what a consumer reads noted. Gives the function that ends that. */
export function onOtherCopy(reader: Reader): () => void {
  readers.add(reader);
  return () => {
    readers.delete(reader);
  };
}

/** Tells the consumer that an event came from; without its name, all consumers of the channel. */
export function noteOtherCopy({ consumer, channelId }: Origin, evidence: Evidence): void {
  for (const reader of readers) {
    const isMeant = consumer === undefined ? reader.channelId === channelId : reader.consumer === consumer;
    if (isMeant) reader.note(evidence);
  }
}

/** Clocks may differ by so much. */
const SKEW_MS = 60_000;
const startedAt = Date.now() - performance.now();

/**
 * Whether an operation that this process has not sent, and found under its key, was created while this process runs. An older
 * one may be its own, from before a restart.
 */
export function isOfOtherCopy(createdAtSeconds: number): boolean {
  return createdAtSeconds * 1000 > startedAt + SKEW_MS;
}

/** Whether FlowFuse runs several copies of this instance, which share nothing but the storage. */
export function isHighlyAvailable(RED: NodeAPI): boolean {
  const { flowforge } = RED.settings as { flowforge?: unknown };
  return isShared(flowforge) || isShared((flowforge as { projectLink?: unknown } | undefined)?.projectLink);
}

/** FlowFuse lets its own nodes share subscriptions then. It says it nowhere else. */
function isShared(settings: unknown): boolean {
  return (
    (settings as { useSharedSubscriptions?: unknown } | null | undefined)?.useSharedSubscriptions === true
  );
}
