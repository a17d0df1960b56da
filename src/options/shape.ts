import type { Clock } from "../timing/index.ts";
import { type Kind, reading, wrong } from "./kind.ts";
import { callable } from "./kinds.ts";

/** A kind for each member: one that is added to the type needs its kind here, too. */
export type Kinds<T> = { readonly [Name in keyof T]-?: Kind<T[Name]> };

/**
 * The options of a function, read once: those that are known and given. Without any, those without a default are missing.
 * @__NO_SIDE_EFFECTS__
 */
export function options<T extends object>(kinds: Kinds<T>): (given: unknown, name?: string) => T {
  return (given, name = "options") => {
    const read = readMembers(kinds, given === undefined ? {} : given, name, "");
    return read as T;
  };
}

/**
 * As `options`, with what else is given: for requests, which the service may know more of than this version.
 * @__NO_SIDE_EFFECTS__
 */
export function request<T extends object>(kinds: Kinds<T>): (given: unknown, name: string) => T {
  return (given, name) => {
    const read = readMembers(kinds, given, name, "");
    return { ...reading(name, () => ({ ...(given as T) })), ...(read as T) };
  };
}

/**
 * An object as an option, with the members that are known.
 * @__NO_SIDE_EFFECTS__
 */
export function shape<T extends object>(kinds: Kinds<T>): Kind<T> {
  return (value, path) => readMembers(kinds, value, path, `${path}.`) as T;
}

/**
 * An object that has these members, such as methods: it is used as it is.
 * @__NO_SIDE_EFFECTS__
 */
export function like<T extends object>(kinds: Partial<Kinds<T>>): Kind<T> {
  return (value, path) => {
    readMembers(kinds, value, path, `${path}.`);
    return value as T;
  };
}

/**
 * An object whose members are all of one kind.
 * @__NO_SIDE_EFFECTS__
 */
export function dictionary<T>(kind: Kind<T>): Kind<Record<string, T>> {
  return (value, path) => {
    requireObject(value, path);
    const entries = reading(path, () => Object.entries(value));
    return Object.fromEntries(entries.map(([name, one]) => [name, kind(one, `${path}[${name}]`)]));
  };
}

function readMembers(
  kinds: Partial<Record<string, Kind<unknown>>>,
  value: unknown,
  path: string,
  prefix: string,
): Record<string, unknown> {
  requireObject(value, path);
  const read: Record<string, unknown> = {};
  for (const name of Object.keys(kinds)) {
    const at = `${prefix}${name}`;
    const given = reading(at, () => (value as Record<string, unknown>)[name]);
    const member = kinds[name]?.(given, at);
    if (member !== undefined) read[name] = member;
  }
  return read;
}

function requireObject(value: unknown, path: string): asserts value is object {
  if (typeof value === "object" && value !== null && !reading(path, () => Array.isArray(value))) return;
  throw wrong(path, "an object", value);
}

export const clockKind = like<Clock>({ now: callable(), elapsed: callable(), sleep: callable() });
