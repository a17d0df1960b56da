import type { AlertInput, RaisedAlert } from "../types.ts";
import type { StepWarning } from "./arrival.ts";
import { alertIdOf } from "./ids.ts";
import type { Counted, KeyState, Mark, StepContext } from "./state.ts";

/** Characters of JSON. */
const MOST_DETAILS = 8_192;

/** An alert of an input, with its details. `id`: that of the open alert, for a reminder. */
export function alertOf(
  input: AlertInput,
  state: KeyState,
  counted: Counted,
  { id, ...context }: StepContext & { at: number; id?: string | undefined },
): { alert: RaisedAlert; warnings: StepWarning[] } {
  const trigger = input.id === undefined ? `${context.at} ${state.raised}` : `id ${input.id}`;
  const bare: RaisedAlert = {
    id: id ?? alertIdOf(context.ruleId, context.recordKey, trigger),
    key: state.key,
    at: context.at,
    ...counted,
    ...(input.log === undefined ? {} : { log: input.log }),
  };
  const details = detailsOf(input, bare);
  if (details === "unusable") return { alert: bare, warnings: ["details"] };
  return { alert: details === undefined ? bare : { ...bare, details: details.value }, warnings: [] };
}

/** What the mark of its input has of an alert. */
export function alertInMark(
  { id, log, reminder }: RaisedAlert,
  counted: Counted,
): NonNullable<Mark["alert"]> {
  return log === undefined && reminder === undefined ? counted : { ...counted, id };
}

/** As it is after a restart: JSON of a limited size. */
function detailsOf(input: AlertInput, alert: RaisedAlert): { value: unknown } | "unusable" | undefined {
  try {
    const value = input.details?.(alert);
    if (value === undefined) return undefined;
    const text = JSON.stringify(value);
    return text === undefined || text.length > MOST_DETAILS ? "unusable" : { value: JSON.parse(text) };
  } catch {
    return "unusable";
  }
}

/** Computes the details of an alert once, also if another copy wrote first and the input is counted again. */
export function withDetailsOnce(input: AlertInput): AlertInput {
  const { details } = input;
  if (details === undefined) return input;
  const known = new Map<string, unknown>();
  return {
    ...input,
    details: (alert) => {
      if (!known.has(alert.id)) known.set(alert.id, details(alert));
      return known.get(alert.id);
    },
  };
}
