import { isUint8Array } from "node:util/types";

/** A value as the report keeps it. */
type Plain = {
  value: unknown;
  isCut: boolean;
};

const LONGEST_TEXT = 256;
const MOST_ITEMS = 20;

/** What Node-RED puts into a message for itself. */
const OF_NODE_RED = new Set(["_msgid", "_linkSource", "_event", "req", "res"]);

/** Plain JSON of at most about `bytes`, without what is of Node-RED or by chance. Never throws. */
export function plainJson(value: unknown, bytes: number): Plain {
  const whole = textOf(value);
  if (whole === undefined) return { value: null, isCut: false };
  if (whole.length <= bytes) return { value: JSON.parse(whole), isCut: false };
  const shorter = shortened(JSON.parse(whole), 0);
  const text = JSON.stringify(shorter);
  const isShort = text.length <= bytes;
  return {
    value: isShort ? shorter : `${text.slice(0, bytes - 1)}…`,
    isCut: true,
  };
}

function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, plainValue());
  } catch {
    return JSON.stringify(asText(value));
  }
}

/** A value in a few words. Never throws: a flow may have made it so that it does. */
export function asText(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "(a value that cannot be read)";
  }
}

/** Leaves out what contains itself. */
function plainValue(): (this: unknown, key: string, value: unknown) => unknown {
  const above: Array<{ raw: unknown; shown: unknown }> = [];
  return function (key, value) {
    while (above.length > 0 && above.at(-1)?.shown !== this) above.pop();
    if (above.length === 1 && OF_NODE_RED.has(key)) return undefined;
    if (typeof value === "bigint") return value.toString();
    if (typeof value !== "object" || value === null) return value;
    // A Buffer has become something else already.
    const raw = (this as Record<string, unknown>)[key];
    if (isUint8Array(raw)) return `0x${Buffer.from(raw).toString("hex")}`;
    if (above.some((one) => one.raw === raw)) return undefined;
    const shown = shownOf(value);
    above.push({ raw, shown });
    return shown;
  };
}

function shownOf(value: object): object {
  if (value instanceof Error) {
    return { message: value.message, ...("code" in value ? { code: value.code } : {}) };
  }
  return value instanceof Map || value instanceof Set ? [...value] : value;
}

function shortened(value: unknown, depth: number): unknown {
  if (typeof value === "string")
    return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth > 6) return "…";
  if (Array.isArray(value)) {
    const kept = value.slice(0, MOST_ITEMS).map((item) => shortened(item, depth + 1));
    return value.length > MOST_ITEMS ? [...kept, "…"] : kept;
  }
  const entries = Object.entries(value);
  const kept = entries.slice(0, 2 * MOST_ITEMS).map(([key, item]) => [key, shortened(item, depth + 1)]);
  return Object.fromEntries(kept);
}
