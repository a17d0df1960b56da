import { type AbiFunction, decodeAbiParameters, formatUnits, toFunctionSelector } from "viem";
import { artifact } from "../chain/artifacts.ts";
import { DEPLOYED_NAMES, type Deployed } from "../chain/demo-contracts.ts";
import type { TimelineEntry } from "./entry.ts";

type Amount = NonNullable<TimelineEntry["amount"]>;
type Call = NonNullable<TimelineEntry["calls"]>[number];
export type Transaction = { to: string; value: string; data: string };

/** The demo contracts that are tokens. */
const TOKENS: Readonly<Record<string, { symbol: string; decimals: number }>> = {
  DemoToken: { symbol: "DEMO", decimals: 18 },
  GuardedToken: { symbol: "GUARD", decimals: 18 },
};
/** `0x` and four bytes. */
const SELECTOR_LENGTH = 10;
const COIN = { symbol: "coins", decimals: 18 };

/** Names the demo contracts, and what is done with them. */
export class KnownContracts {
  readonly #names: ReadonlyMap<string, (typeof DEPLOYED_NAMES)[number]>;

  constructor(contracts: Deployed) {
    this.#names = new Map(DEPLOYED_NAMES.map((name) => [contracts[name].toLowerCase(), name]));
  }

  /** The name of a demo contract; of another one its address. */
  nameOf(address: string): string {
    return this.#names.get(address.toLowerCase()) ?? address;
  }

  /** `value` of a token in its smallest unit, in tokens. Undefined for other contracts and values. */
  amount(address: string, value: unknown): Amount | undefined {
    const token = TOKENS[this.nameOf(address)];
    const digits = String(value);
    return token !== undefined && /^\d+$/.test(digits) ? amountOf(BigInt(digits), token) : undefined;
  }

  /** What a transaction of an operation does. */
  call({ to, value, data }: Transaction): Call {
    const name = this.#names.get(to.toLowerCase());
    const contract = this.nameOf(to);
    const decoded = name === undefined ? undefined : decodedCall(name, data);
    const amount = decoded === undefined ? undefined : this.amount(to, decoded.value);
    const paid = BigInt(value) > 0n ? amountOf(BigInt(value), COIN) : undefined;
    return {
      contract,
      ...(decoded === undefined ? {} : { action: decoded.action }),
      ...((amount ?? paid) === undefined ? {} : { amount: amount ?? paid }),
    } as Call;
  }
}

function amountOf(value: bigint, { symbol, decimals }: { symbol: string; decimals: number }): Amount {
  return { value: formatUnits(value, decimals), symbol };
}

/** The function, and its argument `value`. Undefined where the contract does not have the function. */
function decodedCall(
  name: (typeof DEPLOYED_NAMES)[number],
  data: string,
): { action: string; value: unknown } | undefined {
  const found = functionsOf(name).get(data.slice(0, SELECTOR_LENGTH).toLowerCase());
  if (found === undefined) return undefined;
  try {
    const values: readonly unknown[] = decodeAbiParameters(found.inputs, `0x${data.slice(SELECTOR_LENGTH)}`);
    return { action: found.name, value: values[found.inputs.findIndex((input) => input.name === "value")] };
  } catch {
    // A user's call data can be anything.
    return undefined;
  }
}

const known = new Map<string, ReadonlyMap<string, AbiFunction>>();

/** The functions of a contract by selector. To compute the selectors for each call would take most of the time. */
function functionsOf(name: (typeof DEPLOYED_NAMES)[number]): ReadonlyMap<string, AbiFunction> {
  const before = known.get(name);
  if (before !== undefined) return before;
  const functions = artifact(name).abi.filter((item) => item.type === "function");
  const bySelector = new Map(functions.map((item) => [toFunctionSelector(item), item]));
  known.set(name, bySelector);
  return bySelector;
}
