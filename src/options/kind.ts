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
