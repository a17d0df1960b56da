import { CrecError } from "../errors.ts";
import { repeatedNames } from "../protocol/abi-names.ts";
import type { Abi, AbiEvent, AbiParameter } from "./abi-type.ts";
import { arrayOf, fixedBytesSize, integerType, numberType, signatureHash, signatureOf } from "./abi-type.ts";
import { chooseReading, distinctEvents, grouped, type Reading } from "./list.ts";
import { readAbi } from "./parse.ts";
import { plainName } from "./units.ts";
import { bytesText } from "./values.ts";
import {
  anyBytes,
  asList,
  findKeys,
  fittingBytes,
  fittingFraction,
  fittingHash,
  fittingInteger,
  readAddress,
  readBoolean,
  readInteger,
} from "./wire-values.ts";

type Fields = Record<string, unknown>;

/** What is read of an event. */
export type EventValues = {
  /** By the ABI's names; what it does not name stays as it is. */
  params: Fields;
  /** The names under which the signed text has one value for several parameters. */
  lost: string[];
};

/** Where what is read is noted. */
type Notes = { exact: boolean; lost: string[] };

/** An ABI is parsed once for all events that are read with it. */
const eventsByTopic = new WeakMap<readonly unknown[], Map<string, AbiEvent[]>>();

/** What names the event of a log. */
type LogNames = { topic_hash?: unknown; event_signature?: unknown };

/**
 * The parameters of a signed contract event with the ABI's names and types: integers as decimal text,
 * bytes as hex, addresses checksummed. Values that the ABI does not name stay as they are. A value that may be that of
 * several parameters is left out. Undefined for an event that the ABI does not have.
 *
 * @throws ArgumentError `ABI_INVALID`; CrecError `MALFORMED_EVENT` when a value does not have its type, `ABI_AMBIGUOUS`
 * when the ABI has several events that read the values differently.
 */
export function eventValues(abi: readonly unknown[], log: LogNames, params: Fields): EventValues | undefined {
  const events = findEvents(abi, log);
  if (events.length === 0) return undefined;
  return chooseReading(events, {
    read: (event) => readEvent(event, params),
    same: (one, other) => canonical(one) === canonical(other),
    what: "event",
  });
}

function readEvent({ name, inputs }: AbiEvent, params: Fields): Reading<EventValues> {
  const notes: Notes = { exact: true, lost: [] };
  try {
    const value = { params: named(inputs, params, "params", notes), lost: notes.lost };
    return { value, isExact: () => notes.exact };
  } catch (error) {
    throw error instanceof NotOfType ? error.of(signatureOf({ name, inputs })) : error;
  }
}

/** Events of the ABI with this name that have these parameters, as a service or this library writes them: those that fit best. */
export function fittingEvents(abi: Abi, name: string, params: Fields): AbiEvent[] {
  const events = abi
    .filter((item) => item.type === "event")
    .filter((event) => event.name === name && hasAll(event, params));
  if (events.length < 2) return events;
  const ranks = events.map((event) => rankOf(event, params));
  const best = Math.min(...ranks);
  return events.filter((_, index) => ranks[index] === best);
}

function hasAll({ inputs }: AbiEvent, params: Fields): boolean {
  const { left, lost } = findKeys(inputs, params);
  return left.length + lost.length === 0;
}

/** 0: all its parameters; 1: some of them; 2: values of other types. */
function rankOf(event: AbiEvent, params: Fields): number {
  try {
    return readEvent(event, params).isExact() ? 0 : 1;
  } catch {
    return 2;
  }
}

function findEvents(
  abi: readonly unknown[],
  { topic_hash: topic, event_signature: signature }: LogNames,
): readonly AbiEvent[] {
  let events = eventsByTopic.get(abi);
  if (events === undefined) {
    const all = distinctEvents(readAbi(abi).abi.filter((item) => item.type === "event"));
    events = grouped(all, (event) => signatureHash(signatureOf(event)));
    eventsByTopic.set(abi, events);
  }
  const hash = typeof topic === "string" ? topic.toLowerCase() : undefined;
  return events.get(hash ?? (typeof signature === "string" ? signatureHash(signature) : "")) ?? [];
}

function named(
  parameters: readonly AbiParameter[],
  given: Fields,
  path: string,
  notes: Notes,
  nested = false,
): Fields {
  const { keys, left, lost } = findKeys(parameters, given);
  if (left.length + lost.length > 0 || keys.includes(undefined)) notes.exact = false;
  notes.lost.push(...lost.map((key) => (path === "params" ? key : `${path.slice("params.".length)}.${key}`)));
  const repeated = repeatedNames(parameters);
  const entries = parameters.flatMap((parameter, index): Array<[string, unknown]> => {
    const key = keys[index];
    if (key === undefined) return [];
    const name = repeated.has(parameter.name) ? key : parameter.name || key;
    return [[name, readValue(parameter, given[key], `${path}.${name}`, notes, nested)]];
  });
  return Object.fromEntries([...left.map((key) => [key, given[key]]), ...entries]);
}

/** The same text for the same values, whatever the order and the notation of names. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part !== "object" || part === null || Array.isArray(part)
      ? part
      : Object.entries(part)
          .map(([name, one]) => [plainName(name), name, one] as const)
          .sort(([one, ...its], [other, ...others]) =>
            `${one} ${its[0]}` < `${other} ${others[0]}` ? -1 : 1,
          )
          .map(([name, , one]) => [name, one]),
  );
}

/** `nested`: inside a list or a tuple, where bytes are tried as base64 first. */
function readValue(
  parameter: AbiParameter,
  value: unknown,
  path: string,
  notes: Notes,
  nested = false,
): unknown {
  const { type } = parameter;
  const array = arrayOf(parameter);
  const dynamic = array !== undefined || type === "tuple" || type === "string" || type === "bytes";
  // The chain only stores the hash of an indexed value of variable size.
  if (parameter.indexed && dynamic) return fittingHash(value) ?? throwMalformed(path, type);
  if (array !== undefined) {
    const list = asList(array, value, nested) ?? throwMalformed(path, type);
    return list.map((item: unknown, index) => readValue(array.item, item, `${path}[${index}]`, notes, true));
  }
  if (type === "tuple") return tupleOf(parameter, value, path, notes);
  const integer = integerType(type);
  if (integer !== undefined) {
    return fittingInteger(integer, readInteger(value), parameter.indexed) ?? throwMalformed(path, type);
  }
  if (type === "function" && nested) throwMalformed(path, type);
  const number = numberType(type);
  if (number !== undefined) return fittingFraction(number, value) ?? throwMalformed(path, type);
  if (type === "bytes") return anyBytes(value, nested) ?? throwMalformed(path, type);
  const size = fixedBytesSize(type);
  if (size !== undefined) {
    return fittingBytes(size, bytesText(value), parameter.indexed) ?? throwMalformed(path, type);
  }
  if (type === "bool") return readBoolean(value) ?? throwMalformed(path, type);
  if (type === "address") return readAddress(value) ?? throwMalformed(path, type);
  return typeof value === "string" ? value : throwMalformed(path, type);
}

/**
 * A tuple with the ABI's names and types, from the forms in which services write it.
 *
 * @throws CrecError `MALFORMED_EVENT` when a value does not have its type.
 */
export function readTuple(parameter: AbiParameter, value: unknown, path: string): Fields {
  return tupleOf(parameter, value, path, { exact: true, lost: [] });
}

function tupleOf({ components = [] }: AbiParameter, value: unknown, path: string, notes: Notes): Fields {
  if (typeof value !== "object" || value === null) throw new NotOfType(path, "tuple");
  // The values of a list are under their positions.
  return named(components, { ...value }, path, notes, true);
}

/** A value that does not have its type. */
class NotOfType extends CrecError {
  readonly #at: readonly [path: string, type: string];

  constructor(path: string, type: string, signature?: string) {
    super(
      "MALFORMED_EVENT",
      `The event's ${path} is not of type ${type}${signature === undefined ? "" : ` of ${signature}`}; check that the ABI belongs to this contract.`,
    );
    this.#at = [path, type];
  }

  /** The same for a person who has to find the event in the ABI. */
  of(signature: string): NotOfType {
    return new NotOfType(...this.#at, signature);
  }
}

function throwMalformed(path: string, type: string): never {
  throw new NotOfType(path, type);
}
