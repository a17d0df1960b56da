import type { Unit } from "./form-types.ts";

/** What amounts of the chain's own coin are counted in, largest first, and how many places of wei each has. */
export const COIN_PLACES = { ether: 18, gwei: 9, wei: 0 } as const;
export type CoinUnit = keyof typeof COIN_PLACES;

/** Without a unit an amount is in wei. */
export function coinUnit(unit: Unit | string | undefined): CoinUnit {
  return unit === "ether" || unit === "gwei" ? unit : "wei";
}
