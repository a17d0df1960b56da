import type { CallPreview } from "../contracts/call-preview.ts";
import { isObject } from "../shared/collections.ts";
import type { ShownCall } from "./types.ts";

/** What the sidebar shows of a text, and of a list: it cuts what is longer. */
const LONGEST = 500;
const MOST = 20;
/** What shows nothing, breaks the line, or turns the direction of the text around it. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Amounts in tokens take the place of those in the smallest unit. */
export function shownCalls(calls: readonly CallPreview[]): ShownCall[] {
  return calls.map(({ args, tokens, value, ...call }) => {
    const inTokens = new Map<string, unknown>(Object.entries(isObject(tokens) ? tokens : {}));
    const values = Object.entries(args ?? {}).flatMap(([given, raw]) => {
      const [name, amount] = [visible(given), inTokens.get(given)];
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

/** The text with all of its characters: a person approves them. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
}

function textOf(value: unknown): string {
  return visible(typeof value === "string" ? value : JSON.stringify(value));
}
