import { canonicalSignature } from "../abi/index.ts";
import { ArgumentError } from "../errors.ts";
import { anyText, flag, type Kind, type Kinds, listOf, optional, request, text } from "../options/index.ts";
import { readSignedEvent, signedChain } from "../proofs/signed-event.ts";
import {
  CONFIDENCES,
  type Confidence,
  canonicalId,
  EVENT_TYPES,
  type EventEnvelope,
  type EventType,
  eventTypeOf,
  isAddress,
  type Open,
} from "../protocol/index.ts";

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

/** What filters look at. `inside` is what a contract event says of itself, undefined for other events. */
type ReadEvent = { type: string; payload: EventEnvelope["payload"]; inside?: ContractEvent };

/** A filter with a list: an event passes that has one of its values. */
type ListFilter = {
  kind: Kind<readonly string[] | undefined>;
  /** What an event has to compare. */
  of: (event: ReadEvent) => readonly string[];
  /** A value of the filter as it is compared. @default as it is given */
  form?: (value: string) => string;
  /** Whether it is about what only a contract event that can be read says. @default false */
  looksInside?: boolean;
  /** Why no event can have a value of the filter. */
  problemOf?: (value: string) => string | undefined;
};

/** A name, or a signature as it is hashed: `Transfer(address,address,uint256)`. */
const NAME_OR_SIGNATURE = /^[^\s(),]+(\(\S*\))?$/;

const LISTS = {
  types: { kind: optional(listOf(anyText())), of: ({ type }) => [type] },
  watcherIds: {
    kind: optional(listOf(text)),
    of: ({ payload }) => [canonicalId(asText(payload.watcher_id))],
    form: canonicalId,
  },
  contractEvents: {
    kind: optional(listOf(text)),
    of: ({ inside }) => (inside === undefined ? [] : [inside.name, inside.signature]),
    form: canonicalSignature,
    looksInside: true,
    problemOf: (event) => {
      if (NAME_OR_SIGNATURE.test(event)) return undefined;
      return "is not an event signature. Give each event its own entry, as Transfer or Transfer(address,address,uint256).";
    },
  },
  addresses: {
    kind: optional(listOf(text)),
    of: ({ payload, inside }) => [inside?.address ?? asText(payload.address ?? payload.target).toLowerCase()],
    form: (address) => address.toLowerCase(),
    looksInside: true,
    problemOf: (address) =>
      isAddress(address) ? undefined : "is not an address. It is 0x and 40 hexadecimal digits.",
  },
  chainSelectors: {
    kind: optional(listOf(text)),
    of: ({ payload, inside }) => [inside?.chain ?? asText(payload.chain_selector)],
    looksInside: true,
  },
} satisfies { [Name in keyof EventFilter]: ListFilter };

const LIST_KINDS = Object.fromEntries(Object.entries(LISTS).map(([name, { kind }]) => [name, kind]));

const filterOf = request<EventFilter>({
  ...(LIST_KINDS as Kinds<Pick<EventFilter, keyof typeof LISTS>>),
  unlistedTypes: optional(flag),
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
  const lists = Object.entries<ListFilter>(LISTS).flatMap(([name, list]) => {
    const values = given[name as keyof typeof LISTS] ?? [];
    requireMeetable(name, values, list);
    return values.length === 0 ? [] : [{ ...list, values: new Set(values.map(list.form ?? String)) }];
  });
  requireConfidence(minConfidence);
  const outside = lists.filter(({ looksInside }) => !looksInside);
  const inside = lists.filter(({ looksInside }) => looksInside);
  const passes = (filters: typeof lists, event: ReadEvent) =>
    filters.every(({ values, of }) => of(event).some((value) => values.has(value)));
  return (event) => {
    const read = { type: eventTypeOf(event) ?? "", payload: event.payload };
    if (!passes(outside, read)) return false;
    if (inside.length === 0 && minConfidence === undefined) return true;
    if (read.type !== "watcher.event") return passes(inside, read);
    const contractEvent = readContractEvent(event);
    // What cannot be read passes, so that its verification fails visibly.
    if (contractEvent === undefined) return true;
    if (!passes(inside, { ...read, inside: contractEvent })) return false;
    return minConfidence === undefined || rankOf(contractEvent.confidence) >= rankOf(minConfidence);
  };
}

function requireMeetable(name: string, values: readonly string[], { problemOf }: ListFilter): void {
  for (const [index, value] of values.entries()) {
    const problem = problemOf?.(value);
    if (problem !== undefined) throw new ArgumentError(`${name}[${index}]`, `"${value}" ${problem}`);
  }
}

function requireConfidence(confidence: Confidence | undefined): void {
  if (confidence === undefined || CONFIDENCES.includes(confidence)) return;
  const how = `It is one of ${CONFIDENCES.join(", ")}`;
  throw new ArgumentError("minConfidence", `"${confidence}" is not a confidence. ${how}.`);
}

/** Which types of events pass. */
export type TypeFilter = {
  /** Only events of these types, such as `watcher.event`. @default all */
  types?: ReadonlyArray<Open<EventType>> | undefined;
  /** Allows `types` that this version does not list, such as those of a newer service. @default false */
  unlistedTypes?: boolean | undefined;
};

/**
 * With a mistyped type, no event would ever pass, without any sign of it.
 * @throws {ArgumentError} for a type that is not listed, unless `unlistedTypes` allows it.
 */
export function requireKnownTypes({ types = [], unlistedTypes = false }: TypeFilter): void {
  const listed: readonly string[] = EVENT_TYPES;
  for (const [index, type] of types.entries()) {
    if (unlistedTypes || listed.includes(type)) continue;
    const how = `It is one of ${listed.join(", ")}. For a type of a newer service, set unlistedTypes`;
    throw new ArgumentError(`types[${index}]`, `"${type}" is not a known event type. ${how}.`);
  }
}

/** What a contract event says of itself. Not verified. */
export type ContractEvent = {
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
