import { arrayOf } from "./abi-type.ts";
import { formatTokenAmounts } from "./token-units.ts";
import type { AbiParameter } from "./types.ts";

/** Integers of 64 bits and more. Smaller ones are flags, counts and times. */
const AMOUNT = /^u?int(?:6[4-9]|[7-9]\d|\d{3})$/;

/**
 * The values of a call that are probably amounts, in tokens, by the names of their parameters. Of a tuple only the
 * parts that are amounts. Undefined where there is no amount.
 *
 * @param values by the names of the parameters, as `decodeFunctionCall` returns them
 * @param decimals the contract's
 * @example
 * const inputs = [{ name: "to", type: "address" }, { name: "amount", type: "uint256" }];
 * amountsInTokens({ to: counter, amount: "1500000" }, inputs, 6); // → { amount: "1.5" }
 */
export function amountsInTokens(
  values: unknown,
  parameters: readonly AbiParameter[],
  decimals: number,
): Record<string, unknown> | undefined {
  const given = values as Readonly<Record<string, unknown>>;
  const found = parameters.flatMap((parameter, index) => {
    const name = parameter.name || String(index);
    const amount = amountInTokens(given[name], parameter, decimals);
    return amount === undefined ? [] : [[name, amount] as const];
  });
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

/**
 * The same for one value. Undefined where it contains no amount.
 * @example
 * amountInTokens("1500000", { name: "amount", type: "uint256" }, 6); // → "1.5"
 */
export function amountInTokens(value: unknown, parameter: AbiParameter, decimals: number): unknown {
  const { type, components = [] } = parameter;
  const item = arrayOf(parameter)?.item;
  if (item !== undefined) {
    const amounts = (value as readonly unknown[]).map((one) => amountInTokens(one, item, decimals));
    return amounts.some((amount) => amount !== undefined) ? amounts : undefined;
  }
  if (type === "tuple") return amountsInTokens(value, components, decimals);
  return AMOUNT.test(type) ? formatTokenAmounts(value, [{ name: "", type }], decimals) : undefined;
}
