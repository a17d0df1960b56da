import type { Node, NodeAPI } from "node-red";
import { nodeError } from "../shared/errors.ts";
import { requireSet } from "../shared/variables.ts";
import type { CrecMessage } from "./message.ts";

/** A typed input as a form stores it, with the name that errors give it. */
export type TypedValue = { label: string; value: string; type: string };

/**
 * What a typed input stands for in this message.
 * @throws VARIABLE_MISSING, or INVALID_FIELD when an expression cannot be evaluated
 */
export async function evaluate(
  RED: NodeAPI,
  node: Node,
  msg: CrecMessage,
  { label, value, type }: TypedValue,
): Promise<unknown> {
  // In an expression `${NAME}` can mean something else.
  if (type !== "jsonata") requireSet(value);
  return new Promise((resolve, reject) => {
    RED.util.evaluateNodeProperty(value, type, node, msg, (error, result) => {
      if (!error) resolve(result);
      // `crec.event` of a message without `crec`: that is empty, and the node says what it needs.
      else if (type === "msg" && error instanceof TypeError) resolve(undefined);
      else {
        const why = error.message.replace(/[.\s]+$/, "");
        const words = { label, why, from: `${type} ${value}` };
        reject(nodeError("INVALID_FIELD", RED._("common.error.not-evaluated", words), error));
      }
    });
  });
}
