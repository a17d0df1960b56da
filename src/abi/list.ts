import { ArgumentError } from "../errors.ts";
import type { AbiInput, EventFragment, Hex } from "../protocol/index.ts";
import { canonicalSignature, selectorOf, signatureHash, signatureOf } from "./abi-type.ts";
import type { Abi, AbiEvent, AbiFunction, AbiParameter } from "./types.ts";

export type ListedFunction = {
  name: string;
  signature: string;
  selector: Hex;
  inputs: AbiParameter[];
  outputs: AbiParameter[];
  stateMutability: AbiFunction["stateMutability"];
};

export type ListedEvent = {
  name: string;
  signature: string;
  topicHash: Hex;
  anonymous: boolean;
  inputs: AbiParameter[];
};

/** Each function once: merged ABIs have some twice, and two of one signature are one to the contract. */
export function functionsOf(abi: Abi): AbiFunction[] {
  return distinct(
    abi.filter((item) => item.type === "function"),
    signatureOf,
  );
}

/** Each event once, too. What is indexed tells two of one signature apart: they are read in different ways. */
function eventsOf(abi: Abi): AbiEvent[] {
  return distinct(
    abi.filter((item) => item.type === "event"),
    (event) => JSON.stringify([signatureOf(event), event.inputs.map(({ indexed = false }) => indexed)]),
  );
}

/** The first of each key. */
function distinct<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = keyOf(item);
    return !seen.has(key) && seen.add(key);
  });
}

/**
 * The functions of an ABI, in its order, each once.
 * @example
 * listFunctions(abi).map(({ signature }) => signature); // → ["increment()", "countOf(address)"]
 */
export function listFunctions(abi: Abi): ListedFunction[] {
  return functionsOf(abi).map(({ name, inputs, outputs, stateMutability }) => {
    const signature = signatureOf({ name, inputs });
    return { name, signature, selector: selectorOf({ name, inputs }), inputs, outputs, stateMutability };
  });
}

/**
 * The events of an ABI, in its order, each once.
 * @example
 * listEvents(abi).map(({ signature }) => signature); // → ["Incremented(address,uint256,uint256)"]
 */
export function listEvents(abi: Abi): ListedEvent[] {
  return eventsOf(abi).map(({ name, inputs, anonymous }) => {
    const signature = signatureOf({ name, inputs });
    return { name, signature, topicHash: signatureHash(signature), anonymous, inputs };
  });
}

/**
 * The events of these names or signatures, as a watcher is created with them.
 * A name that several events share gives all of them.
 *
 * @throws ArgumentError `EVENT_NOT_IN_ABI`, listing what is there.
 * @example
 * eventFragments(abi, ["Incremented"]).length; // → 1
 */
export function eventFragments(abi: Abi, names: readonly string[]): EventFragment[] {
  const events = eventsOf(abi);
  const wanted = names.flatMap((name, index) => {
    const wantedName = canonicalSignature(name);
    const found = events.filter((event) => event.name === wantedName || signatureOf(event) === wantedName);
    if (found.length > 0) return found;
    const there = events.map(signatureOf).join(", ") || "none";
    throw new ArgumentError(`events[${index}]`, `The ABI has no event "${name}". Its events are: ${there}.`, {
      code: "EVENT_NOT_IN_ABI",
    });
  });
  return [...new Set(wanted)].map(completeFragment);
}

/**
 * An event as the service wants it: with `anonymous` and `inputs`, and with `internalType` and `indexed` of each input.
 */
export function completeFragment(event: EventFragment): EventFragment {
  const { anonymous, inputs } = event;
  return { ...event, anonymous: anonymous ?? false, inputs: (inputs ?? []).map(completeInput) };
}

function completeInput(input: AbiInput): AbiInput {
  return { ...input, internalType: input.internalType ?? input.type, indexed: input.indexed ?? false };
}

/**
 * The signatures of those events that have tuples. The public service's description of an event's inputs knows no
 * `components`: whether it takes a watcher with such an event is not known. The local service does.
 * @example
 * eventsWithTuples(eventFragments(abi, ["Incremented"])); // → []
 */
export function eventsWithTuples(events: readonly EventFragment[]): string[] {
  return events
    .filter(({ type, inputs }) => type === "event" && inputs?.some((input) => input.type.startsWith("tuple")))
    .map(signatureOf);
}
