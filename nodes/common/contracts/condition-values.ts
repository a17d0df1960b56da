import type { Comparison } from "../../../src/protocol/index.ts";
import type { Translate } from "../context.ts";
import { type Evaluating, evaluate, exactText, type TypedValue } from "../fields/evaluate.ts";
import { prepareExpression } from "../fields/prepared-expression.ts";
import { errorText } from "../messages/error-texts.ts";
import type { CrecMessage } from "../messages/message.ts";
import { splitNames } from "../shared/text.ts";

/** The values of a row for a message, or a sentence that says why they are missing. */
type RowValues = string[] | { reason: string };

/** A typed value of a row. */
export type RowValueReader = {
  /** Whether it depends on the message or the context. */
  varies: boolean;
  read(msg: CrecMessage): Promise<RowValues>;
};

/** These do not depend on the message, and are read once. */
const FIXED: readonly string[] = ["str", "num", "bool", "env"];

/** @throws INVALID_FIELD for an expression that is not JSONata */
export function rowValueReader(context: Evaluating, typed: TypedValue, is: Comparison): RowValueReader {
  const { label, type, value } = typed;
  const valueFor =
    type === "jsonata"
      ? prepareExpression(context, label, value)
      : (msg: CrecMessage) => evaluate(context, msg, typed);
  const read = async (msg: CrecMessage): Promise<RowValues> => {
    const found = await valueFor(msg);
    const list = is === "oneOf" ? listOf(found) : [found];
    const texts = list?.map((one) => textOf(context.t, label, one));
    if (texts?.every((text) => text !== undefined)) return texts;
    return { reason: context.t("common.error.condition-value", { label, from: `${type} ${value}` }) };
  };
  if (FIXED.includes(type)) return { varies: false, read };
  // The next message may have what this one lacks.
  return {
    varies: true,
    read: (msg) => read(msg).catch((error: unknown) => ({ reason: errorText(error) })),
  };
}

/** A list, or text with commas between; undefined if it is missing. */
function listOf(found: unknown): readonly unknown[] | undefined {
  if (found === undefined || found === null || found === "") return undefined;
  if (typeof found === "string") return splitNames(found);
  return Array.isArray(found) ? found : [found];
}

/** An entry of a list of contacts stands for its address. @throws INVALID_FIELD for a number that may be rounded */
function textOf(t: Translate, label: string, found: unknown): string | undefined {
  if (typeof found === "string") return found;
  if (typeof found === "number") return exactText(t, label, found);
  if (typeof found === "bigint" || typeof found === "boolean") return String(found);
  const { address } = (found ?? {}) as { address?: unknown };
  return typeof address === "string" ? address : undefined;
}
