import type { Node, NodeAPI } from "node-red";
import { nodeError } from "../shared/errors.ts";
import { splitNames } from "../shared/split-names.ts";
import { type Field, numberText, readField } from "./fields.ts";
import type { CrecMessage } from "./message.ts";

/**
 * A field that holds several names: a list, or text with commas between them. Empty where there are none.
 * @throws INVALID_FIELD
 */
export async function readNames(RED: NodeAPI, node: Node, msg: CrecMessage, field: Field): Promise<string[]> {
  const value = await readField(RED, node, msg, field);
  const given = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
  if (given.every((one) => typeof one === "string" || typeof one === "number")) {
    return given.flatMap((one) =>
      splitNames(typeof one === "number" ? numberText(one, `"${field.label}"`) : one),
    );
  }
  throw nodeError("INVALID_FIELD", `"${field.label}" must be text with commas between, or a list of texts.`);
}
