import type { NodeAPI } from "node-red";
import type { CrecMessage } from "../messages/message.ts";
import { messageOf, translatedError } from "../shared/errors.ts";
import type { Evaluating } from "./evaluate.ts";

/** A JSONata expression that is parsed once, for any number of messages. It rejects with the error of the expression. */
type PreparedExpression = (msg: CrecMessage) => Promise<unknown>;

/** @throws INVALID_FIELD where it is not JSONata; `label` names it */
export function prepareExpression(context: Evaluating, label: string, text: string): PreparedExpression {
  const expression = parsed(context, label, text);
  return (msg) =>
    new Promise((resolve, reject) => {
      context.RED.util.evaluateJSONataExpression(expression, msg, (error, result) => {
        if (error) reject(error);
        else resolve(result);
      });
    });
}

function parsed(
  { RED, node, t }: Evaluating,
  label: string,
  text: string,
): ReturnType<NodeAPI["util"]["prepareJSONataExpression"]> {
  try {
    return RED.util.prepareJSONataExpression(text, node);
  } catch (error) {
    const why = messageOf(error).replace(/[.\s]+$/, "");
    const words = { label, why, from: `jsonata ${text}` };
    throw translatedError("INVALID_FIELD", t("common.error.not-evaluated", words), error);
  }
}
