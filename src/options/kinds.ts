import { type Clock, LONGEST_TIMER_MS } from "../timing/index.ts";
import { type Kind, kindOf, like, numberOrType, reading, wrong } from "./kind.ts";

/**
 * What any value is: for values that are passed on, or that have a check of their own.
 * @__NO_SIDE_EFFECTS__
 */
export function anything<T>(): Kind<T> {
  return (value) => value as T;
}

export const flag: Kind<boolean> = kindOf("true or false", (value) => typeof value === "boolean");

export const text: Kind<string> = kindOf("text", isText);

/**
 * Text by its type, such as a status that a newer service may add.
 * @__NO_SIDE_EFFECTS__
 */
export function anyText<T extends string>(): Kind<T> {
  return text as Kind<T>;
}

/** Text that is a name or a path. */
export const name: Kind<string> = kindOf(
  "text that is not empty",
  (value) => typeof value === "string" && value !== "",
);

const callback = kindOf("a function", (value) => typeof value === "function");

/**
 * A function, by its type.
 * @__NO_SIDE_EFFECTS__
 */
export function callable<T>(): Kind<T> {
  return callback as Kind<T>;
}

/** Also one of another realm or of a polyfill, which is no instance of the global class. */
export const signal: Kind<AbortSignal> = kindOf(
  "an AbortSignal, such as the signal of an AbortController",
  (value) => {
    const { aborted, addEventListener, removeEventListener } = value as Partial<AbortSignal>;
    return (
      typeof aborted === "boolean" &&
      typeof addEventListener === "function" &&
      typeof removeEventListener === "function"
    );
  },
);

/** A time for a timer, cut to what one can hold. */
export const milliseconds: Kind<number> = (value, path) =>
  Math.min(finiteTime(value, path), LONGEST_TIMER_MS);

const finiteTime = aNumber(
  "a number of milliseconds above 0",
  (value) => Number.isFinite(value) && value > 0,
);

/** `Infinity` is no limit. */
export const duration: Kind<number> = aNumber("a number of milliseconds, 0 or more", (value) => value >= 0);

/** As `duration`, and not for ever. */
export const finiteDuration: Kind<number> = aNumber(
  "a number of milliseconds, 0 or more",
  (value) => Number.isFinite(value) && value >= 0,
);

/** As `duration`, and not 0. */
export const someTime: Kind<number> = aNumber("a number of milliseconds above 0", (value) => value > 0);

export const finite: Kind<number> = aNumber("a number", Number.isFinite);

export const positiveWhole: Kind<number> = aNumber(
  "a whole number above 0",
  (value) => Number.isSafeInteger(value) && value > 0,
);

/**
 * A whole number from `least` to `most`.
 * @__NO_SIDE_EFFECTS__
 */
export function whole(least: number, most = Number.MAX_SAFE_INTEGER): Kind<number> {
  const bounds = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
  return aNumber(
    `a whole number ${bounds}`,
    (value) => Number.isSafeInteger(value) && value >= least && value <= most,
  );
}

/**
 * A number by its test.
 * @__NO_SIDE_EFFECTS__
 */
export function aNumber(what: string, test: (value: number) => boolean): Kind<number> {
  return kindOf(what, (value) => typeof value === "number" && test(value), numberOrType);
}

/**
 * One of these texts.
 * @__NO_SIDE_EFFECTS__
 */
export function oneOf<T extends string>(...values: readonly T[]): Kind<T> {
  const quoted = values.map((value) => JSON.stringify(value));
  const what = `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
  return kindOf(what, (value) => values.some((one) => one === value));
}

/**
 * A list, each of whose items is of a kind. Returns a copy.
 * @__NO_SIDE_EFFECTS__
 */
export function listOf<T>(item: Kind<T>): Kind<T[]> {
  return (value, path) =>
    reading(path, () => [...list(value, path)]).map((one, index) => item(one, `${path}[${index}]`));
}

/** Texts, of a list that may be long and is given for each event: it is neither copied, nor is its wrong item named. */
export const texts: Kind<readonly string[]> = kindOf(
  "a list of texts",
  (value) => Array.isArray(value) && value.every(isText),
);

const list = kindOf<readonly unknown[]>("a list", Array.isArray);

/**
 * A list as it is, by its type: its items are looked at where they are used.
 * @__NO_SIDE_EFFECTS__
 */
export function aList<T extends readonly unknown[]>(): Kind<T> {
  return list as Kind<T>;
}

/**
 * Either of two kinds, by what tells them apart.
 * @__NO_SIDE_EFFECTS__
 */
export function either<A, B>(
  isFirst: (value: unknown) => boolean,
  first: Kind<A>,
  other: Kind<B>,
): Kind<A | B> {
  return (value, path) => (reading(path, () => isFirst(value)) ? first(value, path) : other(value, path));
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** An object that can be written as JSON. */
export const jsonObject: Kind<Record<string, unknown>> = (value, path) => {
  if (typeof value === "object" && value !== null && isJson(value)) return value as Record<string, unknown>;
  throw wrong(path, "an object that can be written as JSON: without a bigint, and without itself", value);
};

function isJson(value: object): boolean {
  try {
    return !Array.isArray(value) && JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

export const clockKind: Kind<Clock> = like<Clock>({
  now: callable(),
  elapsed: callable(),
  sleep: callable(),
});
