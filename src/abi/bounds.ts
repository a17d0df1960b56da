import type { ArgumentError } from "../errors.ts";
import { invalid } from "./invalid.ts";

/** What an ABI may be at most. The largest in use are far below: an item has some dozen parameters. */
export const ABI_BOUNDS = {
  /** Characters of JSON; and of human-readable text, which takes longer to read. */
  jsonLength: 4_000_000,
  textLength: 400_000,
  /** Characters of one item of such text, with its comments. */
  itemLength: 20_000,
  /** Characters of all items of such text, with tuples in the place of their structs. */
  writtenLength: 1_000_000,
  items: 5_000,
  structs: 500,
  /** Parameters of one item, with those of its structs or tuples, and how deep these may be nested. */
  parameters: 250,
  depth: 16,
  /** How many dimensions an array has. */
  dimensions: 16,
} as const;

export function tooLarge(path: string, what: string): ArgumentError {
  return invalid(path, `${what} Leave out of the ABI what you do not call or watch.`);
}
