import { ArgumentError, CrecError } from "../errors.ts";
import { aList, listOf, reading, text } from "../options/index.ts";
import { eventText } from "../protocol/abi-names.ts";
import type { AbiInput, EventFragment, Hex } from "../protocol/index.ts";
import {
  type Abi,
  type AbiEvent,
  type AbiFunction,
  type AbiParameter,
  canonicalSignature,
  type ReadAbi,
  selectorOf,
  signatureHash,
  signatureOf,
  type UnusableItem,
} from "./abi-type.ts";

/** A function of an ABI. */
export type ListedFunction = {
  /** Several functions may share a name. */
  name: string;
  /** Unique in the ABI, such as `transfer(address,uint256)`. */
  signature: string;
  /** The first four bytes of its call data. */
  selector: Hex;
  /** Its parameters, in order. */
  inputs: AbiParameter[];
  /** What it returns, in order. */
  outputs: AbiParameter[];
  /** `view` and `pure` functions change nothing. */
  stateMutability: AbiFunction["stateMutability"];
};

/** An event of an ABI. */
export type ListedEvent = {
  /** Several events may share a name. */
  name: string;
  /** Such as `Transfer(address,address,uint256)`. Of events with one signature, each has other parameters indexed. */
  signature: string;
  /** The hash of the signature. */
  topicHash: Hex;
  /** Whether the signature is not a topic. */
  anonymous: boolean;
  /** Its parameters, in order. */
  inputs: AbiParameter[];
};

const OF_PROXY = /^(?:upgradeTo|upgradeToAndCall|implementation|Upgraded|AdminChanged|BeaconUpgraded)$/;

const abiKind = aList<Abi>();
const namesKind = listOf(text);

const unusableOf = new WeakMap<Abi, UnusableItem[]>();

/** So that a sentence about an item that an ABI does not have can say why. */
export function noteUnusable({ abi, unusable }: ReadAbi): void {
  if (unusable.length > 0) unusableOf.set(abi, unusable);
}

/**
 * What else may be wrong where a name is missing: the item cannot be used, or the ABI is that of a proxy. Explorers show
 * a proxy with the few items that it has itself.
 */
export function missingHint(abi: Abi, name: string): string {
  const [bare] = name.split("(", 1);
  const unusable = unusableOf.get(abi)?.find((item) => item.name === bare);
  if (unusable) return ` ${unusable.message}`;
  const isLikely = abi.some((item) => "name" in item && OF_PROXY.test(String(item.name)));
  return isLikely ? " If this is the ABI of a proxy, use that of the contract behind it." : "";
}

/**
 * The functions of an ABI, in its order, each once: merged ABIs contain duplicates, and a contract has one function for
 * each signature.
 * @example
 * listFunctions(abi).map(({ signature }) => signature); // → ["increment()", "countOf(address)"]
 */
export function listFunctions(abi: Abi): ListedFunction[] {
  return reading("abi", () => functionsOf(abiKind(abi, "abi")));
}

function functionsOf(abi: Abi): ListedFunction[] {
  const functions = abi.filter((item) => item.type === "function");
  return distinct(functions, signatureOf).map(({ name, inputs, outputs, stateMutability }) => {
    const signature = signatureOf({ name, inputs });
    return { name, signature, selector: selectorOf({ name, inputs }), inputs, outputs, stateMutability };
  });
}

/** The events with which a log can be read in different ways. */
function eventsOf(abi: Abi): AbiEvent[] {
  return eventsByLog(abi.filter((item) => item.type === "event"));
}

/**
 * The events of an ABI, in its order, each once.
 * @example
 * listEvents(abi).map(({ signature }) => signature); // → ["Incremented(address,uint256,uint256)"]
 */
export function listEvents(abi: Abi): ListedEvent[] {
  const events = reading("abi", () => eventsOf(abiKind(abi, "abi")));
  return events.map(({ name, inputs, anonymous }) => {
    const signature = signatureOf({ name, inputs });
    return { name, signature, topicHash: signatureHash(signature), anonymous, inputs };
  });
}

/**
 * The events with these names or signatures, in the form with which a watcher is created. A name that several events
 * share selects all of them. Of several with one signature, the text with names selects one: `Level(int256 indexed x)`.
 *
 * @throws ArgumentError `EVENT_NOT_IN_ABI`, with the events of the ABI; `ABI_AMBIGUOUS` for a name or a signature of
 * events that differ in what is indexed.
 * @example
 * eventFragments(abi, ["Incremented"]).length; // → 1
 */
export function eventFragments(abi: Abi, names: readonly string[]): EventFragment[] {
  namesKind(names, "names");
  return reading("abi", () => selectedEvents(abiKind(abi, "abi"), names));
}

function selectedEvents(abi: Abi, names: readonly string[]): EventFragment[] {
  const events = eventsOf(abi);
  const selected = names.flatMap((name, index) => {
    const searched = canonicalSignature(name);
    const inFull = events.find((event) => squeezed(eventText(event)) === squeezed(name));
    if (inFull !== undefined) return [inFull];
    const found = events.filter((event) => event.name === searched || signatureOf(event) === searched);
    const [first] = found.filter((event, at) => found.findIndex(isLike(event)) < at);
    if (first !== undefined) {
      const alike = found.filter(isLike(first));
      throw new ArgumentError(
        `events[${index}]`,
        `The ABI has ${alike.length} events ${signatureOf(first)}; keep the contract's own, or name it with its parameters: ${alike.map(eventText).join(" or ")}.`,
        { code: "ABI_AMBIGUOUS" },
      );
    }
    if (found.length > 0) return found;
    const available = events.map(signatureOf).join(", ") || "none";
    throw new ArgumentError(
      `events[${index}]`,
      `The ABI has no event "${name}". Its events are: ${available}.${missingHint(abi, searched)}`,
      {
        code: "EVENT_NOT_IN_ABI",
      },
    );
  });
  return [...new Set(selected)].map(completeFragment);
}

function isLike(event: AbiEvent): (other: AbiEvent) => boolean {
  const signature = signatureOf(event);
  return (other) => signatureOf(other) === signature;
}

/** For comparing events that are written in full. */
function squeezed(text: string): string {
  return text.replace(/\bu?int\b/g, "$&256").replace(/\s+/g, "");
}

/**
 * An event in the form that the service requires: with `anonymous` and `inputs`, and with `internalType` and `indexed` of each input.
 */
export function completeFragment(event: EventFragment): EventFragment {
  const { anonymous, inputs } = event;
  return { ...event, anonymous: anonymous ?? false, inputs: (inputs ?? []).map(completeInput) };
}

function completeInput(input: AbiInput): AbiInput {
  return { ...input, internalType: input.internalType ?? input.type, indexed: input.indexed ?? false };
}

/**
 * The signatures of the events that have tuples. The public service describes the inputs of an event without
 * `components`: whether it accepts a watcher with such an event is not known. The local service does.
 * @example
 * eventsWithTuples(eventFragments(abi, ["Incremented"])); // → []
 */
export function eventsWithTuples(events: readonly EventFragment[]): string[] {
  return reading("events", () => withTuples(eventsKind(events, "events")));
}

const eventsKind = aList<readonly EventFragment[]>();

function withTuples(events: readonly EventFragment[]): string[] {
  return events
    .filter(({ type, inputs }) => type === "event" && inputs?.some((input) => input.type.startsWith("tuple")))
    .map(signatureOf);
}

// A merged ABI, of a proxy with its implementations say, has several items with one signature. What they are to read
// decides which of them it is, the same for forms, watchers, events, amounts, calls, results and conditions.

/** What an item makes of data. */
export type Reading<T> = {
  value: T;
  /** Whether the data is all that the item describes, and nothing else. Asked only where several items fit. */
  isExact: () => boolean;
};

/** How data is read by an item, and when two values are the same. */
type Reader<I, T> = {
  /** It throws where the data does not fit. */
  read: (item: I) => Reading<T>;
  same: (one: T, other: T) => boolean;
  /** What is read, for the error: `event`. */
  what: string;
};

/**
 * What the items make of data that is one of theirs. Where it is exactly that of some, the others do not count.
 *
 * @throws CrecError `ABI_AMBIGUOUS` where several fit and read differently; the error of the first where none fits.
 */
export function chooseReading<I extends AbiEvent | AbiFunction, T>(
  items: readonly I[],
  { read, same, what }: Reader<I, T>,
): T {
  const readings: Array<Reading<T>> = [];
  let problem: unknown;
  for (const item of items) {
    try {
      readings.push(read(item));
    } catch (error) {
      problem ??= error;
    }
  }
  const exact = readings.length > 1 ? readings.filter(({ isExact }) => isExact()) : [];
  const different: Array<Reading<T>> = [];
  for (const reading of exact.length > 0 ? exact : readings) {
    if (!different.some(({ value }) => same(value, reading.value))) different.push(reading);
  }
  const [first, ...others] = different;
  if (first === undefined) throw problem;
  if (others.length === 0) return first.value;
  throw ambiguous(items, different.length, what);
}

function ambiguous(items: ReadonlyArray<AbiEvent | AbiFunction>, count: number, what: string): CrecError {
  const [item] = items;
  const name = item ? `${item.type}s ${signatureOf(item)}` : "items";
  return new CrecError(
    "ABI_AMBIGUOUS",
    `${count} ${name} of the ABI fit this ${what} and read it differently; keep one of them in the ABI.`,
  );
}

/** The first of each key. */
export function distinct<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = keyOf(item);
    return !seen.has(key) && seen.add(key);
  });
}

/** All of each key, in their order. Node.js 20 has no `Map.groupBy`. */
export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Without repeats of what is written in the same way. */
export function distinctEvents(events: readonly AbiEvent[]): AbiEvent[] {
  return distinct(events, eventText);
}

/** The events of which each reads logs that no other one reads, or reads them otherwise. Names alone change nothing. */
function eventsByLog(events: readonly AbiEvent[]): AbiEvent[] {
  const kept = new Map<string, AbiEvent[]>();
  return distinctEvents(events).filter((event) => {
    const key = JSON.stringify([
      signatureOf(event),
      event.anonymous,
      event.inputs.map(({ indexed = false }) => indexed),
    ]);
    const alike = kept.get(key) ?? [];
    if (alike.some(({ inputs }) => !exchange(inputs, event.inputs))) return false;
    kept.set(key, [...alike, event]);
    return true;
  });
}

/** Whether a name is at another position in the other list: then it means another value. */
export function exchange(ones: readonly AbiParameter[], others: readonly AbiParameter[]): boolean {
  const places = new Map(others.map(({ name }, index) => [name, index]));
  return ones.some(({ name, components = [] }, index) => {
    const at = name === "" || others[index]?.name === name ? undefined : places.get(name);
    return at !== undefined || exchange(components, others[index]?.components ?? []);
  });
}
