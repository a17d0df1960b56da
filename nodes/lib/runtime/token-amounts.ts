import type { AbiParameter } from "../../../src/index.ts";
import type { Library } from "./library.ts";
import { inTokens } from "./token-units.ts";

/** What a person may count in tokens: smaller integers are flags, numbers of things and times. */
const AMOUNT = /^u?int(?:6[4-9]|[7-9]\d|\d{3})$/;
const LIST = /^(.*)\[\d*\]$/;

/**
 * The amounts among the values of a call in tokens, by the names of its parameters; undefined where there is none.
 * Of a tuple only the parts that are amounts.
 */
export function amountsInTokens(
  library: Library,
  values: unknown,
  parameters: readonly AbiParameter[],
  decimals: number,
): Record<string, unknown> | undefined {
  const given = values as Readonly<Record<string, unknown>>;
  const found = parameters.flatMap((parameter, index) => {
    const name = parameter.name || String(index);
    const amount = amountInTokens(library, given[name], parameter, decimals);
    return amount === undefined ? [] : [[name, amount] as const];
  });
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

/** One value, and undefined where it holds no amount. */
export function amountInTokens(
  library: Library,
  value: unknown,
  { type, components = [] }: AbiParameter,
  decimals: number,
): unknown {
  const [, item] = LIST.exec(type) ?? [];
  if (item !== undefined) {
    const amounts = (value as readonly unknown[]).map((one) =>
      amountInTokens(library, one, { name: "", type: item, components: [...components] }, decimals),
    );
    return amounts.some((amount) => amount !== undefined) ? amounts : undefined;
  }
  if (type === "tuple") return amountsInTokens(library, value, components, decimals);
  return AMOUNT.test(type) ? inTokens(library, value, [{ name: "", type }], decimals) : undefined;
}
