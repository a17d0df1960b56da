import { randomUUID } from "node:crypto";
import type { Accepted, AlertInput } from "../../src/index.ts";

/** Each match is an alert. */
export async function eachRule(input: AlertInput): Promise<Accepted> {
  const { key, at, id = randomUUID(), matches } = input;
  if (!matches) return { passed: "no_match", outcomes: [] };
  const alert = { id, key, at, count: 1, suppressed: 0 };
  return {
    passed: undefined,
    outcomes: [{ kind: "alert", alert: { ...alert, details: input.details?.(alert) } }],
  };
}
