import type { ParameterChoice } from "../shared/form-types.ts";
import type { Value } from "../shared/stored-values.ts";
import type { EditedNode, TypedInputType } from "./api.ts";
import { isInteger } from "./type-hints.ts";

/** The type of a typed input that stands for the time at which the message arrives, in Unix seconds. */
export const NOW = "now";
const EXPRESSION = "$floor($millis() / 1000)";

/** As `takenAt`, `block_time` or `timestamp`, and not `lifetime`. */
const OF_TIME = /(?:[a-z\d]At|_at|(?:^|_)(?:time|timestamp)|T(?:ime|imestamp))$/;

/** Whether a parameter is a point in time, by its name. */
export function isOfTime({ name, type }: ParameterChoice): boolean {
  return isInteger(type) && OF_TIME.test(name);
}

export function nowType(node: EditedNode): TypedInputType {
  return { value: NOW, label: node._("common.now"), icon: "fa fa-clock-o", hasValue: false };
}

/** Whether a stored value is the time: flows have it as an expression, which they can also change. */
export function isNow({ value, type }: Value): boolean {
  return type === "jsonata" && value === EXPRESSION;
}

export const STORED_NOW = { value: EXPRESSION, type: "jsonata" } as const;
