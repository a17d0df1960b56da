import {
  COMPARISONS,
  COMPARISONS_WITHOUT_VALUE,
  type Comparison,
  NUMERIC_COMPARISONS,
} from "../../../../src/protocol/index.ts";
import type { EditedNode } from "../api.ts";
import type { FieldKind } from "./fields.ts";

/** A comparison, or its opposite. */
export type Judgement = { is: Comparison; not: boolean };

/** An exclamation mark stands for the opposite. The first of each kind is chosen in a new row. */
const FITTING: Readonly<Record<FieldKind, readonly string[]>> = {
  number: ["atLeast", "above", "atMost", "below", "between", "!between", "equals", "!equals"],
  address: ["oneOf", "!oneOf", "equals", "!equals"],
  bool: ["isTrue", "isFalse"],
  text: [
    ...["equals", "!equals", "oneOf", "!oneOf", "contains", "!contains"],
    ...["startsWith", "!startsWith", "endsWith", "!endsWith"],
  ],
  hash: ["equals", "!equals", "oneOf", "!oneOf"],
  list: ["contains", "!contains"],
  any: [
    ...["equals", "!equals", "atLeast", "above", "atMost", "below", "between", "!between"],
    ...["oneOf", "!oneOf", "contains", "!contains", "startsWith", "!startsWith", "endsWith", "!endsWith"],
    ...["isTrue", "isFalse"],
  ],
};
const OF_ALL = ["exists", "!exists"];

/** Those that fit a field, as the options of a choice, with one that is stored although it does not fit. */
export function fillComparisons(
  node: EditedNode,
  select: JQuery,
  kind: FieldKind,
  stored: Judgement | undefined,
): void {
  const offered = [...FITTING[kind], ...OF_ALL];
  const chosen = stored ? keyOf(stored) : (offered[0] ?? "");
  select.empty();
  for (const key of offered.includes(chosen) ? offered : [...offered, chosen])
    select.append(
      $("<option>")
        .val(key)
        .text(comparisonText(node, judgementOf(key))),
    );
  select.val(chosen);
}

export function fits(kind: FieldKind, judgement: Judgement): boolean {
  return [...FITTING[kind], ...OF_ALL].includes(keyOf(judgement));
}

/** As in `value is at least 100`. */
export function comparisonText(node: EditedNode, { is, not }: Judgement): string {
  // A flow written by hand may name an unknown one.
  if (!COMPARISONS.includes(is)) return String(is);
  return not ? node._(`common.condition.not.${is}`) : node._(`common.condition.is.${is}`);
}

export function judgementOf(key: string): Judgement {
  return { is: key.replace(/^!/, "") as Comparison, not: key.startsWith("!") };
}

export function needsValue(is: Comparison): boolean {
  return !COMPARISONS_WITHOUT_VALUE.includes(is);
}

/** Whether it compares numbers only. */
export function isNumeric(is: Comparison): boolean {
  return NUMERIC_COMPARISONS.includes(is);
}

function keyOf({ is, not }: Judgement): string {
  return not ? `!${is}` : is;
}
