import type { Comparison } from "../../../src/protocol/index.ts";

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
