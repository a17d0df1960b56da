import { type Abi, amountsInTokens, fittingEvents, untypedAmountsInTokens } from "../abi/index.ts";
import { aList, like, optional, reading, text, texts, whole } from "../options/index.ts";
import type { DecodedWatcherEvent } from "./decoded-event.ts";

/** What is known about the contract of an event. */
export type TokenUnits = {
  /** The contract's. */
  decimals: number;
  /** Its types decide; an event that it does not have is read by the names of the parameters alone. */
  abi?: Abi | undefined;
  /** The parameters that are amounts, where they do not have usual names such as `value` and `amount`. */
  amounts?: readonly string[] | undefined;
};

type Named = Pick<DecodedWatcherEvent, "name" | "params">;

const eventKind = like<Named>({ name: text, params: like<Named["params"]>({}) });

const unitsKind = like<TokenUnits>({
  decimals: whole(0, 77),
  abi: optional(aList()),
  amounts: optional(texts),
});

/**
 * The amounts among the parameters of a contract event, in tokens, under the names that they have in `params`. Which
 * parameters are amounts: see `amountsInTokens`. Undefined where there is none. Use it only for events of the contract
 * whose decimals these are: compare `contract` and `chainSelector` first.
 *
 * @throws {ArgumentError} `INVALID_ARGUMENT` for decimals that are not a whole number from 0 to 77.
 * @example
 * const transfer = { name: "Transfer", params: { value: "1500000" } };
 * eventTokens(transfer, { decimals: 6 }); // → { value: "1.5" }
 */
export function eventTokens(
  event: Pick<DecodedWatcherEvent, "name" | "params">,
  units: TokenUnits,
): Record<string, unknown> | undefined {
  eventKind(event, "event");
  unitsKind(units, "units");
  return reading("event", () => tokensOf(event, units));
}

function tokensOf({ name, params }: Named, { decimals, abi = [], amounts }: TokenUnits) {
  const events = fittingEvents(abi, name, params);
  if (events.length === 0) return untypedAmountsInTokens(params, decimals, amounts);
  const [first, ...others] = events.map(({ inputs }) => amountsInTokens(params, inputs, decimals, amounts));
  // Where events that fit differ in what is an amount, it is not known.
  return others.every((other) => JSON.stringify(other) === JSON.stringify(first)) ? first : undefined;
}
