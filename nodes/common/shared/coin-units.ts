import type { Unit } from "./form-types.ts";

/** What amounts of the chain's own coin are counted in, largest first, and how many places of wei each has. */
export const COIN_PLACES = { ether: 18, gwei: 9, wei: 0 } as const;
export const COIN_UNITS = ["ether", "gwei", "wei"] as const satisfies Array<keyof typeof COIN_PLACES>;
export type CoinUnit = (typeof COIN_UNITS)[number];

/** Without a unit an amount is in wei. */
export function coinUnit(unit: Unit | string | undefined): CoinUnit {
  return unit === "ether" || unit === "gwei" ? unit : "wei";
}
