import type { Lease } from "../../../src/index.ts";
import type { CrecMessage } from "../messages/message.ts";
import { override } from "../messages/message.ts";
import { processWide } from "../process-wide.ts";

type HeldLease = Pick<Lease, "epoch" | "confirm">;

const leases = processWide("held-leases", () => new Map<string, HeldLease>());

/** The lease that a message's event was handed over with. */
type LeaseOfMessage = { key: string; epoch: number };

/** Under which a consumer's cursor of a channel is leased. */
export function leaseKey(consumer: string, channelId: string): string {
  return `${consumer}@${channelId}`;
}

/** Makes a lease known to the nodes that work on its events. Gives the function that forgets it. */
export function noteLease(key: string, lease: HeldLease): () => void {
  leases.set(key, lease);
  return () => {
    if (leases.get(key) === lease) leases.delete(key);
  };
}

/** Undefined for an event that was handed over without a lease, or is not waited for. */
export function leaseOfMessage(msg: CrecMessage): LeaseOfMessage | undefined {
  const [consumer, channelId] = [override(msg, "consumer"), override(msg, "channelId")];
  const epoch = msg.crec?.epoch;
  if (consumer === undefined || channelId === undefined || typeof epoch !== "number") return undefined;
  // The engine would refuse it as a wrong call, and close the connection that the leases need. No lease has 0.
  if (!Number.isSafeInteger(epoch)) return { key: leaseKey(consumer, channelId), epoch: 0 };
  return { key: leaseKey(consumer, channelId), epoch };
}

/** Whether this process still has a lease. Where that is not certain, the engine is asked. */
export async function isHeld({ key, epoch }: LeaseOfMessage): Promise<boolean> {
  const lease = leases.get(key);
  if (lease?.epoch !== epoch) return false;
  return lease.confirm().then(
    () => true,
    () => false,
  );
}
