import { ArgumentError } from "../errors.ts";

/** Limits of an ABI. The largest ones in use are far below: an item has about a dozen parameters. */
export const ABI_BOUNDS = {
  /** Characters of JSON. */
  jsonLength: 4_000_000,
  /** Characters of human-readable text, which takes longer to read. */
  textLength: 400_000,
  items: 5_000,
  /** Also what one contract inherits from. */
  structs: 500,
  /** Parameters of one item, with those of its structs or tuples. */
  parameters: 250,
  /** Parameters of all items: a struct may be in many. */
  allParameters: 100_000,
  /** Nesting of structs or tuples. */
  depth: 16,
  /** Dimensions of an array. */
  dimensions: 16,
} as const;

export function tooLarge(path: string, what: string): ArgumentError {
  return invalid(path, `${what} Remove from the ABI what you do not call or watch.`);
}

/** An ABI that cannot be read: `ABI_INVALID`. */
export function invalid(path: string, message: string, cause?: unknown): ArgumentError {
  return new ArgumentError(path, message, { code: "ABI_INVALID", cause });
}
