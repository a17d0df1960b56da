import { KNOWN_CHAINS } from "../../../src/protocol/index.ts";

const CATALOG = "@crec-nodes/node-red-crec/monitor:monitor.";

type Values = Readonly<Record<string, unknown>>;

/** A text of the plugin's catalog. */
export function word(key: string, values: Values = {}): string {
  return RED._(CATALOG + key, values);
}

/** The word for a value of a fixed set; the value itself where a newer service sends one that has no word. */
export function wordOf(group: string, value: string): string {
  return wordOr(`${group}.${value}`, {}, value.replaceAll("_", " "));
}

/** A text of the catalog, or another one where the catalog has none. */
export function wordOr(key: string, values: Values, otherwise: string): string {
  const found = word(key, values);
  return found === CATALOG + key || found === `monitor.${key}` ? otherwise : found;
}

/** `a · b`, without those that are empty. */
export function joined(parts: ReadonlyArray<string | undefined>): string {
  return parts.filter((part) => part !== undefined && part !== "").join(" · ");
}

/** With the separators of the reader's language. */
export function numberText(value: number): string {
  return value.toLocaleString();
}

const LONG = 20;

/** The start and the end of an id or an address. */
export function shortId(id: string): string {
  return id.length <= LONG ? id : `${id.slice(0, 8)}…${id.slice(-4)}`;
}

/** The name of a network; its chain selector where it is not known here. */
export function networkName(chainSelector: string | undefined): string | undefined {
  if (chainSelector === undefined) return undefined;
  const known = KNOWN_CHAINS.find((chain) => chain.chainSelector === chainSelector);
  return known?.name ?? word("line.chain", { selector: chainSelector });
}

const UNITS: ReadonlyArray<readonly [name: string, seconds: number]> = [
  ["days", 86_400],
  ["hours", 3_600],
  ["minutes", 60],
  ["seconds", 1],
];

/** `5 s`, `3 min`, `2 h`, `4 d`: of a duration in milliseconds, the largest unit of which there is one. */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [name, size] = UNITS.find(([, one]) => seconds >= one) ?? (["seconds", 1] as const);
  return word(`age.${name}`, { count: Math.floor(seconds / size) });
}
