import { canonicalSignature } from "../abi/index.ts";
import { ArgumentError } from "../errors.ts";
import { anyText, flag, listOf, optional, request, text } from "../options/index.ts";
import {
  CONFIDENCES,
  type Confidence,
  canonicalId,
  type EventEnvelope,
  eventTypeOf,
  isAddress,
} from "../protocol/index.ts";
import { asText, rankOf, readContractEvent } from "./delivery/contract-event.ts";
import { requireKnownTypes, type TypeFilter } from "./delivery/event-types.ts";

/** Which events pass. A field that is missing or empty does not restrict; all others must match. */
export type EventFilter = {
  /** Only events of these types, such as `watcher.event`. @default all */
  types?: TypeFilter["types"];
  /** Allows `types` that this version does not list, such as those of a newer service. @default false */
  unlistedTypes?: boolean | undefined;
  /** Only events of these watchers. @default all */
  watcherIds?: readonly string[] | undefined;
  /** Contract events by name (`Transfer`) or signature (`Transfer(address,address,uint256)`). @default all */
  contractEvents?: readonly string[] | undefined;
  /** The contract of a contract event; the wallet or contract of a status event. Case does not matter. @default all */
  addresses?: readonly string[] | undefined;
  /** The network, by its chain selector: of a contract event the signed one, where it is signed. @default all */
  chainSelectors?: readonly string[] | undefined;
  /** Contract events with less confidence do not pass; those that do not state it count as `latest`. @default all */
  minConfidence?: Confidence | undefined;
};

const filterOf = request<EventFilter>({
  types: optional(listOf(anyText())),
  unlistedTypes: optional(flag),
  watcherIds: optional(listOf(text)),
  contractEvents: optional(listOf(text)),
  addresses: optional(listOf(text)),
  chainSelectors: optional(listOf(text)),
  minConfidence: optional(anyText()),
});

/**
 * Returns a function that says whether an event passes. Events without the field in question do not, except that
 * `minConfidence` only concerns contract events. A contract event that cannot be read always passes, so that its
 * verification fails visibly. A condition that no event can meet is refused: all events would be dropped silently.
 * @throws {ArgumentError} for a type that is not listed, an event signature with spaces or parameter names, a value
 * that is not an address, and an unknown confidence.
 * @example
 * const passes = eventFilter({ contractEvents: ["Incremented"], addresses: [counter], minConfidence: "latest" });
 * passes(event); // → true
 */
export function eventFilter(filter: EventFilter): (event: EventEnvelope) => boolean {
  const given = filterOf(filter, "filter");
  const { minConfidence } = given;
  requireKnownTypes(given);
  requireMeetable(given);
  const types = asSet(given.types);
  const watcherIds = asSet(given.watcherIds?.map(canonicalId));
  const contractEvents = asSet(given.contractEvents?.map(canonicalSignature));
  const addresses = asSet(given.addresses?.map((address) => address.toLowerCase()));
  const chains = asSet(given.chainSelectors);
  const looksInside = contractEvents ?? addresses ?? chains ?? minConfidence;
  return (event) => {
    const { payload } = event;
    const type = eventTypeOf(event) ?? "";
    if (types && !types.has(type)) return false;
    if (watcherIds && !watcherIds.has(canonicalId(asText(payload.watcher_id)))) return false;
    if (looksInside === undefined) return true;
    if (type !== "watcher.event") {
      if (contractEvents) return false;
      if (chains && !chains.has(asText(payload.chain_selector))) return false;
      return !addresses || addresses.has(asText(payload.address ?? payload.target).toLowerCase());
    }
    const inside = readContractEvent(event);
    if (inside === undefined) return true;
    if (contractEvents && !contractEvents.has(inside.name) && !contractEvents.has(inside.signature))
      return false;
    if (addresses && !addresses.has(inside.address)) return false;
    if (chains && !chains.has(inside.chain ?? asText(payload.chain_selector))) return false;
    return minConfidence === undefined || rankOf(inside.confidence) >= rankOf(minConfidence);
  };
}

/** A name, or a signature as it is hashed: `Transfer(address,address,uint256)`. */
const NAME_OR_SIGNATURE = /^[^\s(),]+(\(\S*\))?$/;

function requireMeetable({ contractEvents = [], addresses = [], minConfidence }: EventFilter): void {
  for (const [index, event] of contractEvents.entries()) {
    if (NAME_OR_SIGNATURE.test(event)) continue;
    const how = "Give each event its own entry, as Transfer or Transfer(address,address,uint256)";
    throw new ArgumentError(`contractEvents[${index}]`, `"${event}" is not an event signature. ${how}.`);
  }
  for (const [index, address] of addresses.entries()) {
    if (isAddress(address)) continue;
    const how = "It is 0x and 40 hexadecimal digits";
    throw new ArgumentError(`addresses[${index}]`, `"${address}" is not an address. ${how}.`);
  }
  if (minConfidence === undefined || CONFIDENCES.includes(minConfidence)) return;
  const how = `It is one of ${CONFIDENCES.join(", ")}`;
  throw new ArgumentError("minConfidence", `"${minConfidence}" is not a confidence. ${how}.`);
}

function asSet(values: readonly string[] | undefined): Set<string> | undefined {
  return values === undefined || values.length === 0 ? undefined : new Set(values);
}
