/** How a condition compares a field with its value. Forms offer them, so they are data. */
export const COMPARISONS = [
  "equals",
  "above",
  "atLeast",
  "below",
  "atMost",
  "between",
  "oneOf",
  "contains",
  "startsWith",
  "endsWith",
  "isTrue",
  "isFalse",
  "exists",
] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** Their values are numbers. */
export const NUMERIC_COMPARISONS: readonly Comparison[] = ["above", "atLeast", "below", "atMost", "between"];
export const COMPARISONS_WITHOUT_VALUE: readonly Comparison[] = ["isTrue", "isFalse", "exists"];
/** Their values can be amounts in tokens. */
export const COMPARISONS_OF_AMOUNTS: readonly Comparison[] = [
  ...NUMERIC_COMPARISONS,
  ...(["equals", "oneOf", "contains"] as const),
];

/** The path of a field: a name, then names after dots and positions in brackets. */
export const FIELD_PATH = /^[^.[\]]+(?:\.[^.[\]]+|\[\d{1,9}\])*$/;

/**
 * The result of several conditions, each true, false or undefined where it cannot be decided. One that cannot be decided
 * matters only where the others leave the result open. Without conditions the result is true. Results after the one that
 * decides are not asked for.
 */
export function combineResults(
  match: "all" | "any",
  results: Iterable<boolean | undefined>,
): boolean | undefined {
  const decisive = match === "any";
  let isEmpty = true;
  let isOpen = false;
  for (const result of results) {
    if (result === decisive) return decisive;
    isEmpty = false;
    isOpen ||= result === undefined;
  }
  return isOpen ? undefined : isEmpty || !decisive;
}
