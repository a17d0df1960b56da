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
