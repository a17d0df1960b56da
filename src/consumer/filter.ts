import { canonicalSignature } from "../abi/index.ts";
import { ArgumentError } from "../errors.ts";
import { readSignedEvent } from "../proofs/signed-event.ts";
import {
  CONFIDENCES,
  type Confidence,
  canonicalId,
  type EventEnvelope,
  eventTypeOf,
} from "../protocol/index.ts";
import { requireListed, type WantedTypes } from "./listed-types.ts";

/** Which events are wanted. What is left out, or is empty, does not restrict; what is there must all hold. */
export type EventFilter = {
  /** As `watcher.event`. */
  types?: WantedTypes["types"];
  /** Takes `types` that this version does not list. False: they are refused. */
  unlistedTypes?: boolean | undefined;
  watcherIds?: readonly string[] | undefined;
  /** Contract events by name (`Transfer`) or signature (`Transfer(address,address,uint256)`). */
  contractEvents?: readonly string[] | undefined;
  /** The contract of a contract event; the wallet or contract of a status event. Compared without case. */
  addresses?: readonly string[] | undefined;
  /** Contract events that are less final are left out; those that do not say count as `latest`. */
  minConfidence?: Confidence | undefined;
};

/**
 * A function that tells whether an event is wanted. Events without the field in question are not wanted, except
 * that `minConfidence` only concerns contract events. A contract event that cannot be read is always wanted:
 * it must be seen to be rejected, not vanish. What no event can meet is refused: with a filter that nothing passes,
 * every event would be lost in silence.
 * @throws {ArgumentError} for a type that is not listed, an event's signature with blanks or names of parameters in it, what is no address, and
 * an unknown confidence.
 * @example
 * const isWanted = eventFilter({ contractEvents: ["Incremented"], addresses: [counter], minConfidence: "latest" });
 * isWanted(event); // → true
 */
export function eventFilter(filter: EventFilter): (event: EventEnvelope) => boolean {
  const { minConfidence } = filter;
  requireListed(filter);
  requireMeetable(filter);
  const types = asSet(filter.types);
  const watcherIds = asSet(filter.watcherIds?.map(canonicalId));
  const contractEvents = asSet(filter.contractEvents?.map(canonicalSignature));
  const addresses = asSet(filter.addresses?.map((address) => address.toLowerCase()));
  const looksInside = contractEvents ?? addresses ?? minConfidence;
  return (event) => {
    const { payload } = event;
    const type = eventTypeOf(event) ?? "";
    if (types && !types.has(type)) return false;
    if (watcherIds && !watcherIds.has(canonicalId(asText(payload.watcher_id)))) return false;
    if (looksInside === undefined) return true;
    if (type !== "watcher.event") {
      if (contractEvents) return false;
      return !addresses || addresses.has(asText(payload.address ?? payload.target).toLowerCase());
    }
    const inside = readContractEvent(event);
    if (inside === undefined) return true;
    if (contractEvents && !contractEvents.has(inside.name) && !contractEvents.has(inside.signature))
      return false;
    if (addresses && !addresses.has(inside.address)) return false;
    return minConfidence === undefined || rank(inside.confidence) >= rank(minConfidence);
  };
}

/** A name, or a signature as it is hashed: `Transfer(address,address,uint256)`. */
const NAME_OR_SIGNATURE = /^[^\s(),]+(\(\S*\))?$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

function requireMeetable({ contractEvents = [], addresses = [], minConfidence }: EventFilter): void {
  for (const [index, event] of contractEvents.entries()) {
    if (NAME_OR_SIGNATURE.test(event)) continue;
    const how = "Give one event a place, by its name or as Transfer(address,address,uint256)";
    throw new ArgumentError(`contractEvents[${index}]`, `"${event}" is no event's signature. ${how}.`);
  }
  for (const [index, address] of addresses.entries()) {
    if (ADDRESS.test(address)) continue;
    const how = "It is 0x and 40 hexadecimal digits";
    throw new ArgumentError(`addresses[${index}]`, `"${address}" is no address. ${how}.`);
  }
  if (minConfidence === undefined || CONFIDENCES.includes(minConfidence)) return;
  const how = `It is one of ${CONFIDENCES.join(", ")}`;
  throw new ArgumentError("minConfidence", `"${minConfidence}" is no confidence. ${how}.`);
}

type ContractEvent = { name: string; signature: string; address: string; confidence: string };

function readContractEvent(event: EventEnvelope): ContractEvent | undefined {
  const { content } = readSignedEvent(event);
  const chain = content?.chain_event;
  if (content === undefined || typeof chain !== "object" || chain === null) return undefined;
  const { event_signature, address, confidence } = chain as Record<string, unknown>;
  return {
    name: asText(content.name),
    signature: asText(event_signature),
    address: asText(address).toLowerCase(),
    confidence: asText(confidence ?? "latest"),
  };
}

/** A level of a newer service that this version does not know counts as the weakest. */
function rank(confidence: string): number {
  return Math.max(0, (CONFIDENCES as readonly string[]).indexOf(confidence));
}

/** What is neither text nor a number is no name: to make text of it may fail, of deep lists for one. */
function asText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function asSet(values: readonly string[] | undefined): Set<string> | undefined {
  return values === undefined || values.length === 0 ? undefined : new Set(values);
}
