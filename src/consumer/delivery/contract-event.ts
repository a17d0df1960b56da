import { readSignedEvent, signedChain } from "../../proofs/signed-event.ts";
import { CONFIDENCES, type EventEnvelope } from "../../protocol/index.ts";

/** What a contract event says of itself. Not verified. */
type ContractEvent = {
  name: string;
  signature: string;
  /** In lower case. */
  address: string;
  /** `latest` where it is not stated. */
  confidence: string;
  /** The chain selector of its network. Undefined where it is not signed. */
  chain: string | undefined;
};

/** Undefined for an event that cannot be read. */
export function readContractEvent(event: EventEnvelope): ContractEvent | undefined {
  const { content } = readSignedEvent(event);
  const chain = content?.chain_event;
  if (content === undefined || typeof chain !== "object" || chain === null) return undefined;
  const { event_signature, address, confidence } = chain as Record<string, unknown>;
  return {
    name: asText(content.name),
    signature: asText(event_signature),
    address: asText(address).toLowerCase(),
    confidence: asText(confidence ?? "latest"),
    chain: signedChain(content).selector,
  };
}

/** A level that this version does not know counts as the weakest. */
export function rankOf(confidence: string): number {
  return Math.max(0, (CONFIDENCES as readonly string[]).indexOf(confidence));
}

/** Empty for values other than text and numbers: converting them may fail, for example deep lists. */
export function asText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
