import { integerType } from "./abi-type.ts";

/**
 * Names that standards and usual tokens give to amounts of the contract's own token: ERC-20, ERC-777, ERC-4626, WETH,
 * Compound. Amounts of other tokens are not among them: `assets` of a vault, `amount0In` of a pair.
 */
const USUAL_AMOUNTS = [
  "value",
  "values",
  "amount",
  "amounts",
  "wad",
  "tokens",
  "shares",
  "balance",
  "balances",
  "allowance",
  "needed",
  "supply",
  "totalSupply",
  "rawAmount",
  "addedValue",
  "subtractedValue",
] as const;

/** A parameter as far as it is known: the type is not where only the values are there. */
type Named = { name: string; type?: string };

/** Whether a parameter is an amount; `among` are the names of all parameters beside it. */
export type IsAmount = (parameter: Named, among: readonly string[]) => boolean;

/** What tells apart tokens that have no amounts: an amount next to it is a count of that one. */
const TOKEN_IDS = new Set(["id", "ids", "tokenid", "tokenids"]);
/** Smaller integers are flags, counts and times. */
const LEAST_BITS = 64;

const USUAL: ReadonlySet<string> = new Set(USUAL_AMOUNTS.map(plainName));

/**
 * The one rule for what is an amount of tokens.
 *
 * @param names what a person says are the amounts, of integers of any size; without, an integer of 64 bits or more is
 * an amount if it has one of the usual names and is not next to a token id
 */
export function amountRule(names: readonly string[] = []): IsAmount {
  if (names.length > 0) {
    const named = new Set(names.map(plainName));
    return ({ name, type }) => named.has(plainName(name)) && (type === undefined || isInteger(type, 1));
  }
  const holdsTokenId = remembered((among) => among.some((other) => TOKEN_IDS.has(plainName(other))));
  return ({ name, type }, among) =>
    USUAL.has(plainName(name)) && (type === undefined || isInteger(type, LEAST_BITS)) && !holdsTokenId(among);
}

/** Checked once for each list: a check for each of its parameters would take too long for a large one. */
function remembered(find: (among: readonly string[]) => boolean): (among: readonly string[]) => boolean {
  const found = new WeakMap<readonly string[], boolean>();
  return (among) => {
    const known = found.get(among) ?? find(among);
    found.set(among, known);
    return known;
  };
}

/** A name whatever its notation: `tokenId`, `_tokenId` and `token_id` are one. */
export function plainName(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

function isInteger(type: string, least: number): boolean {
  return (integerType(type)?.bits ?? 0) >= least;
}
