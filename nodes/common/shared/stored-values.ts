import type { Comparison } from "../../../src/protocol/index.ts";

/**
 * What an amount is counted in. `token`: by the decimals of the contract, so that 1.5 is one and a half tokens;
 * for integer arguments. `wei` (default), `gwei` and `ether` are for amounts that a call pays.
 */
export type Unit = "token" | "wei" | "gwei" | "ether";

/** A value in a form: text, and where to look it up. Without a unit an integer is in its smallest one. */
export type Value = { value?: string; type?: string; unit?: Unit };

/** A function of a contract, with one value a parameter, as a form stores it. */
export type ContractCall = {
  contract?: string;
  /** The function's signature, so that overloads differ. */
  function?: string;
  args?: Value[];
  /** Another contract of the same kind: the call goes there instead of to the contract's own address. */
  address?: Value;
};

/** One call of an operation, as the form stores it. */
export type CallDef =
  | (ContractCall & { kind: "contract"; amount?: Value })
  | { kind: "raw"; to?: Value; data?: Value; amount?: Value };

/** The set of one oracle family, as the form of a connection stores it. */
export type FamilyDef = {
  family?: string;
  /** Addresses, separated by commas, spaces or new lines. */
  validSigners?: string;
  minRequiredSignatures?: string | number;
  /** Where they differ from those of the connection. */
  orgId?: string;
  creTenantId?: string;
};

/** One row of the conditions, as the form stores it. */
export type ConditionDef =
  | {
      kind: "field";
      /** A path in `msg.payload`, such as `params.value`; empty for the payload itself. */
      field: string;
      is: Comparison;
      /** For `oneOf` a list, or text with commas between. */
      value?: string;
      /** `str`, `msg`, `flow`, `global`, `env` or `jsonata`. */
      type?: string;
      /** The upper bound of `between`. */
      to?: string;
      toType?: string;
      /** The value is in tokens of the contract, not in the smallest unit. */
      unit?: "token";
      not?: boolean;
    }
  /** A JSONata expression about the message that is true where the condition holds. */
  | { kind: "expression"; value: string; not?: boolean };

/** What amounts of the chain's own coin are counted in, largest first, and how many places of wei each has. */
export const COIN_PLACES = { ether: 18, gwei: 9, wei: 0 } as const;
export const COIN_UNITS = ["ether", "gwei", "wei"] as const satisfies Array<keyof typeof COIN_PLACES>;
export type CoinUnit = (typeof COIN_UNITS)[number];

/** Without a unit an amount is in wei. */
export function coinUnit(unit: Unit | string | undefined): CoinUnit {
  return unit === "ether" || unit === "gwei" ? unit : "wei";
}

/** The calls of a node, each with its contract: an import gives config nodes new ids, and updates only the node's fields. */
export function callsWithContracts(node: Readonly<Record<string, unknown>>): CallDef[] {
  const calls = Array.isArray(node.calls) ? (node.calls as CallDef[]) : [];
  return calls.map((call, index) => {
    const contract = String(node[`contract${index + 1}`] || "");
    return call?.kind === "contract" && contract ? { ...call, contract } : call;
  });
}

/** What crosses between a form in the browser and the run time: stored settings, and answers to the form. */
