import { ArgumentError, CrecError } from "../errors.ts";

/**
 * What a value that a program gave must be: returns it, or throws an `ArgumentError` that names it by its path. No kind
 * throws anything else, whatever the value is, such as an object whose getters throw.
 */
export type Kind<T> = (value: unknown, path: string) => T;

/**
 * A kind by its test. `what` completes the sentence "timeoutMs must be …".
 * @__NO_SIDE_EFFECTS__
 */
export function kindOf<T>(what: string, test: (value: unknown) => boolean, shown = typeOf): Kind<T> {
  return (value, path) => {
    if (passes(test, value)) return value as T;
    throw wrong(path, what, value, shown);
  };
}

/**
 * As the kind, and undefined means that it is not given.
 * @__NO_SIDE_EFFECTS__
 */
export function optional<T>(kind: Kind<T>): Kind<T | undefined> {
  return (value, path) => (value === undefined ? undefined : kind(value, path));
}

/**
 * A kind that a check of its own decides, which throws.
 * @__NO_SIDE_EFFECTS__
 */
export function checkedBy<T>(check: (value: T, path: string) => unknown): Kind<T> {
  return (value, path) => {
    reading(path, () => check(value as T, path));
    return value as T;
  };
}

/** The error for a value of another kind. It has the type of the value only: the value may be a secret. */
export function wrong(path: string, what: string, value: unknown, shown = typeOf): ArgumentError {
  const got = value === undefined ? "missing" : shown(value);
  return new ArgumentError(path, `${path} must be ${what}, and is ${got}.`);
}

/**
 * Reads what a program gave. What that throws, such as a getter or a proxy, becomes an `ArgumentError`; errors that have
 * a code stay.
 */
export function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    // Of a hostile value even `instanceof` can throw.
    if (passes((thrown) => thrown instanceof CrecError, error)) throw error;
    const message = `${path} cannot be read: it is of another form than documented.`;
    throw new ArgumentError(path, message, { cause: error });
  }
}

/** What a value is, in words: never the value. */
function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "object") return passes(Array.isArray, value) ? "a list" : objectName(value);
  if (typeof value === "string") return value === "" ? "empty text" : "text";
  if (typeof value === "boolean") return String(value);
  return typeof value === "undefined" ? "missing" : `a ${typeof value}`;
}

/** The same, with the value of a number: for numbers only, which are no secrets. */
export function numberOrType(value: unknown): string {
  return typeof value === "number" ? String(value) : typeOf(value);
}

/** Reading a foreign value may throw: then it does not pass. */
function passes(test: (value: unknown) => boolean, value: unknown): boolean {
  try {
    return test(value);
  } catch {
    return false;
  }
}

const CLASS = /^[A-Z]\w{0,40}$/;

function objectName(value: object): string {
  try {
    const { name } = Object.getPrototypeOf(value).constructor;
    if (name !== "Object" && CLASS.test(name)) return `${/^[AEIOU]/.test(name) ? "an" : "a"} ${name}`;
  } catch {
    // It has no class that can be read.
  }
  return "an object";
}

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
