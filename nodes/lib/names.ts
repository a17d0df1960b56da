import type { Node, NodeAPI } from "node-red";
import { nodeError } from "./errors.ts";
import { type Field, readField } from "./fields.ts";
import type { CrecMessage } from "./input.ts";

/**
 * A field that holds several names: a list, or text with commas between them. Empty where nothing was typed in;
 * a message or a variable that is to name some must do so.
 * @throws INVALID_FIELD, MISSING_VALUE
 */
export async function readNames(RED: NodeAPI, node: Node, msg: CrecMessage, field: Field): Promise<string[]> {
  const value = await readField(RED, node, msg, field);
  const given = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
  if (given.some((one) => typeof one !== "string" && typeof one !== "number")) {
    throw nodeError(
      "INVALID_FIELD",
      `"${field.label}" must be text with commas between, or a list of texts.`,
    );
  }
  const names = given.flatMap((one) => splitNames(String(one)));
  const isTyped = field.type === undefined || field.type === "str";
  if (names.length > 0 || isTyped) return names;
  throw nodeError(
    "MISSING_VALUE",
    `"${field.label}" is empty. It was looked for in ${field.type}.${field.value}; without it nothing would be told apart.`,
  );
}

/** `Transfer(address,uint256), Approval` has one comma that separates. */
export function splitNames(text: string): string[] {
  const names = [""];
  let depth = 0;
  for (const character of text) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (character === "," && depth === 0) names.push("");
    else names[names.length - 1] += character;
  }
  return names.map((name) => name.trim()).filter((name) => name !== "");
}
