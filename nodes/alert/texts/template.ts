import type { RaisedAlert } from "../../../src/index.ts";
import { isObject } from "../../common/shared/collections.ts";
import { ADDRESS } from "../../common/shared/field-checks.ts";
import { addressText, type NameOf } from "./names.ts";
import { oneLine, type ReadField } from "./values.ts";

/** What a template is filled in with. */
export type Facts = {
  payload: unknown;
  alert: Pick<RaisedAlert, "key" | "count" | "suppressed" | "usual">;
  severity: string;
  /** In tokens where that is known. */
  sum: string | undefined;
  /** Only where the limit is in tokens, and the decimals are known. */
  sumTokens?: string;
  /** The length of the window, as in the form. */
  within: string;
  /** The name of the chosen contract. */
  contract: string;
  nameOf: NameOf;
  read: ReadField;
};

const LONGEST_VALUE = 120;
const FIELD = /\{\{\s*([^{}]{0,120}?)\s*\}\}/g;
/** Where a value is missing. */
const MISSING = "–";

/**
 * Replaces each `{{field}}` once: what a value contains is text, whatever it looks like. The result is one line of plain
 * text. Nothing makes HTML or Markdown of it, so an outlet that does must escape it.
 */
export function fillTemplate(template: string, facts: Facts, most: number): string {
  return oneLine(
    replaceFields(template, (path) => fieldText(path, facts)),
    most,
  );
}

/** In one pass, so that placeholders inside a value stay as they are. */
export function replaceFields(template: string, textOf: (path: string) => string): string {
  return template.replace(FIELD, (_, path: string) => textOf(path));
}

/** One field as a person reads it. */
export function fieldText(path: string, facts: Facts): string {
  const own = ownField(path, facts);
  if (own !== undefined) return own;
  return valueText(amountAt(facts, path), facts);
}

/** Fields of the alert itself, not of the event. */
function ownField(path: string, facts: Facts): string | undefined {
  const { payload, alert, severity, sum, within, contract } = facts;
  switch (path) {
    case "count":
      return String(alert.count);
    case "suppressed":
      return String(alert.suppressed);
    case "usual":
      return alert.usual === undefined ? MISSING : String(Math.round(alert.usual * 100) / 100);
    case "sum":
      return sum ?? MISSING;
    case "key":
      return keyText(facts);
    case "severity":
      return severity;
    case "within":
      return within || MISSING;
    case "contract":
      return isObject(payload) && payload.contract !== undefined
        ? valueText(payload.contract, facts)
        : contract || MISSING;
    case "value":
      return isObject(payload) && !Object.hasOwn(payload, "value")
        ? valueText(amountAt(facts, "params.value"), facts)
        : undefined;
    default:
      return undefined;
  }
}

/** An amount in tokens where the event has it, else the value as it is. */
function amountAt({ payload, read }: Facts, path: string): unknown {
  // The whole payload of a query is its only value.
  if (path === "" || (path === "value" && !isObject(payload))) return payload;
  const tokens = path.startsWith("params.") ? read(payload, path.replace("params", "tokens")) : undefined;
  return tokens ?? read(payload, path);
}

/** A value as one short line; an address with its name. */
export function valueText(value: unknown, { nameOf, payload }: Pick<Facts, "nameOf" | "payload">): string {
  if (value === undefined || value === null || value === "") return MISSING;
  if (typeof value === "string" && ADDRESS.test(value)) {
    return addressText(value, nameOf(value, chainOf(payload)));
  }
  const text = typeof value === "object" ? jsonText(value) : String(value);
  return oneLine(text, LONGEST_VALUE) || MISSING;
}

function keyText({ alert, nameOf, payload }: Facts): string {
  // A contract is named by its network and address.
  const [, chain, address = alert.key] = /^(\d+):(0x[0-9a-f]{40})$/i.exec(alert.key) ?? [];
  if (alert.key === "") return MISSING;
  if (!ADDRESS.test(address)) return oneLine(address, LONGEST_VALUE);
  return addressText(address, nameOf(address, chain ?? chainOf(payload)));
}

/** An unsigned network does not count: the same address can be another contract there. */
function chainOf(payload: unknown): string {
  if (!isObject(payload) || payload.chainSelectorUnsigned === true) return "";
  return typeof payload.chainSelector === "string" ? payload.chainSelector : "";
}

function jsonText(value: object): string {
  try {
    return JSON.stringify(value) ?? MISSING;
  } catch {
    // Too deep, or not JSON.
    return "…";
  }
}
