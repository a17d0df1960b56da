import { isObject } from "../../shared/is-object.ts";
import type { CallPreview } from "../call-preview.ts";
import type { ShownCall } from "./types.ts";

/** What the sidebar shows of a text, and of a list: it cuts what is longer. */
const LONGEST = 500;
const MOST = 20;

/** Amounts in tokens take the place of those in the smallest unit. */
export function shownCalls(calls: readonly CallPreview[]): ShownCall[] {
  return calls.map(({ args, tokens, value, ...call }) => {
    const inTokens = (isObject(tokens) ? tokens : {}) as Record<string, unknown>;
    const values = Object.entries(args ?? {}).flatMap(([name, raw]) => {
      const amount = inTokens[name];
      if (typeof amount === "string") return [{ name, text: amount, isTokens: true as const }];
      const shown = { name, text: textOf(raw) };
      return amount === undefined
        ? [shown]
        : [shown, { name, text: textOf(amount), isTokens: true as const }];
    });
    return { ...call, values };
  });
}

/** Nobody may approve what is cut. */
export function isShownWhole(calls: readonly ShownCall[]): boolean {
  const isShort = (text = "") => text.length <= LONGEST;
  return (
    calls.length <= MOST &&
    calls.every(
      (call) =>
        call.values.length <= MOST &&
        call.values.every(({ name, text }) => isShort(name) && isShort(text)) &&
        [call.contract, call.function, call.data].every(isShort),
    )
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
