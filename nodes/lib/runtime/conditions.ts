import type { Node, NodeAPI } from "node-red";
import type { ConditionDef } from "../shared/conditions.ts";
import { nodeError } from "../shared/errors.ts";
import type { CrecMessage } from "./message.ts";

/** The settings of a node that its conditions need. */
export type ConditionSettings = {
  match: "all" | "any";
  /** As the form stores them. A flow that was written by hand can have anything. */
  conditions: unknown;
  /** The id of the chosen contract node; empty for none. */
  contract?: string | undefined;
};

/** Whether the conditions hold for a message; undefined where that cannot be decided. */
export type ConditionsResult = {
  matches: boolean | undefined;
  /** Why it cannot be decided, a sentence for each row. Empty unless `matches` is undefined. */
  reasons: readonly string[];
};

/** The conditions of one node. */
export type NodeConditions = {
  /** The rows, checked: an alert describes itself by them. */
  readonly rows: readonly ConditionDef[];
  /**
   * Whether they hold for `msg.payload`; expressions are about the whole message. Values from the message or the context
   * that do not fit leave the result undecided.
   *
   * @throws INVALID_FIELD for a row that is wrong for each message, VARIABLE_MISSING, CONTRACT_MISSING, ABI_INVALID
   */
  check(msg: CrecMessage): Promise<ConditionsResult>;
};

/** The conditions of a node. What does not depend on a message is read once, with the first message. */
export function nodeConditions(RED: NodeAPI, node: Node, settings: ConditionSettings): NodeConditions {
  void [RED, node, settings];
  throw nodeError("INVALID_FIELD", "Not written yet.");
}
