import { createHash } from "node:crypto";
import type { Abi, AbiParameter, ListedEvent } from "../../../src/index.ts";
import { eventText } from "../../../src/protocol/abi-names.ts";
import type { Library } from "../library.ts";
import { isObject } from "../shared/collections.ts";

// A signed event has the parameters as the ABI of its watcher reads them. Two ABIs mean the same event of a contract if
// its first topic is the same: the name with the types. They read it alike only if the names of the parameters, also
// inside tuples, their order and the `indexed` flags are the same, too. An event with other types has another topic: no
// log is both. Nor is one without a topic, an anonymous one, compared: nothing says that two of these are the same.

/** How an ABI reads one event. */
export type EventReading = {
  /** For people, cut: `Transfer(address indexed from, address indexed to, uint256 value)`. */
  text: string;
  /** What is compared; several where the ABI has the event several times. */
  keys: ReadonlySet<string>;
};

/** By first topic. */
export type EventReadings = ReadonlyMap<string, EventReading>;

type Reader = Pick<Library, "parseAbi" | "listEvents">;

/** More than a contract has. What a service answers may be of any size. */
const MOST_EVENTS = 200;
const LONGEST_TEXT = 200;

/** How an ABI reads its events. Never throws: an event that cannot be read is left out, as are those after many others. */
export function eventReadings(abi: unknown, library: Reader): EventReadings {
  const found = new Map<string, { text: string; keys: Set<string> }>();
  const events = Array.isArray(abi) ? abi.filter((item) => isObject(item) && item.type === "event") : [];
  for (const item of events.slice(0, MOST_EVENTS)) {
    for (const event of listed(item, library)) {
      const one = found.get(event.topicHash) ?? { text: textOf(event), keys: new Set() };
      one.keys.add(keyOf(event.inputs));
      found.set(event.topicHash, one);
    }
  }
  return found;
}

/** How a watcher, or one that is to be created, reads its events. Its ABI may have more; a service has that of its watchers. */
export function watcherReadings(
  { abi, events, service }: { abi?: unknown; events?: unknown; service?: unknown },
  library: Reader & Pick<Library, "extensionAbi">,
): EventReadings {
  const own: unknown = Array.isArray(abi) && abi.length > 0 ? abi : serviceAbi(service, library);
  if (!Array.isArray(own) || !Array.isArray(events) || events.length === 0)
    return eventReadings(own, library);
  const names = new Set(events.map((name) => String(name).split("(", 1)[0]?.trim()));
  return eventReadings(
    own.filter((item: unknown) => isObject(item) && names.has(item.name as string)),
    library,
  );
}

export function isReadAlike(one: EventReading, other: EventReading): boolean {
  return isAmong(one, other) && isAmong(other, one);
}

/** Whether each way in which `one` may read the event is one of the other's. */
export function isAmong(one: EventReading, other: EventReading): boolean {
  return [...one.keys].every((key) => other.keys.has(key));
}

/** The events that both have and do not read alike. */
export function readDifferently(one: EventReadings, other: EventReadings): EventReading[] {
  return [...one].flatMap(([topic, reading]) => {
    const its = other.get(topic);
    return its === undefined || isReadAlike(reading, its) ? [] : [reading];
  });
}

/** One at a time: a broken one does not hide the others. */
function listed(item: unknown, { parseAbi, listEvents }: Reader): ListedEvent[] {
  try {
    return listEvents(parseAbi([item])).filter(({ anonymous }) => !anonymous);
  } catch {
    return [];
  }
}

/** Short, however long the names are. */
function keyOf(inputs: readonly AbiParameter[]): string {
  return createHash("sha256")
    .update(JSON.stringify(inputs.map(readingOf)))
    .digest("base64");
}

function readingOf({ name, indexed = false, components = [] }: AbiParameter): unknown {
  return [name, indexed, components.map(readingOf)];
}

function textOf({ name, inputs }: ListedEvent): string {
  const text = plain(eventText({ name, inputs }));
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT - 1)}…`;
}

/** Names are any text: some characters would change how a sentence looks. */
function plain(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, " ");
}

/** Events of the watcher services of the local service that are no extensions of the platform. */
export const LOCAL_EVENTS: Readonly<Record<string, string>> = {
  erc20: `event Transfer(address indexed from, address indexed to, uint256 value)
event Approval(address indexed owner, address indexed spender, uint256 value)`,
  sensor: `struct Reading { int256 value; uint64 takenAt; uint8 quality; bool alarm; }
event SensorReading(bytes32 indexed sensorId, address indexed reporter, int256 value, uint64 takenAt, uint8 quality, bool alarm, string unit, bytes payload)
event SensorBatch(bytes32 indexed sensorId, string indexed site, int64[] samples, Reading last)`,
};

/** The ABI by which a watcher service reads its events; undefined where that is not known. */
function serviceAbi(
  service: unknown,
  { extensionAbi, parseAbi }: Pick<Library, "extensionAbi" | "parseAbi">,
): Abi | undefined {
  const isLocal = typeof service === "string" && Object.hasOwn(LOCAL_EVENTS, service);
  return isLocal ? parseAbi(LOCAL_EVENTS[service] ?? "") : extensionAbi(service);
}
