import type { AbiParameter } from "../../../src/index.ts";
import { nodeError } from "../shared/errors.ts";
import type { Library } from "./library.ts";

/** What holds integers, alone or in lists: what can be counted in tokens. */
export const COUNTABLE = /^u?int\d*(?:\[\d*\])*$/;
const LIST = /^(.*)\[\d*\]$/;

/**
 * Amounts given in tokens, in the contract's smallest unit: `1.5`, `"1.5"`, or a list of such.
 * @throws NO_DECIMALS, or INVALID_ARGUMENT with the path of the amount
 */
export function inSmallestUnit(
  library: Library,
  value: unknown,
  type: string,
  decimals: number | undefined,
  path: string,
): unknown {
  if (decimals === undefined) {
    throw nodeError(
      "NO_DECIMALS",
      `${path} is given in tokens, but its contract has no decimals. Open the contract and fill them in, or give the smallest unit.`,
    );
  }
  if (!COUNTABLE.test(type)) {
    throw nodeError("INVALID_ARGUMENT", `${path} is of type ${type}, which is no amount of tokens.`);
  }
  const [, item] = LIST.exec(type) ?? [];
  if (item === undefined) return library.toSmallestUnit(decimalText(value, path), decimals, path);
  const list = typeof value === "string" ? jsonOf(value) : value;
  // What is no list is refused by the encoder, in words of its own.
  if (!Array.isArray(list)) return value;
  return list.map((entry: unknown, index) =>
    inSmallestUnit(library, entry, item, decimals, `${path}[${index}]`),
  );
}

/** Every integer of what a function returned in tokens, also inside lists and tuples. */
export function inTokens(
  library: Library,
  result: unknown,
  outputs: readonly AbiParameter[],
  decimals: number,
): unknown {
  const [only, ...others] = outputs;
  if (only && others.length === 0) return convert(only, result);
  return convert({ name: "", type: "tuple", components: [...outputs] }, result);

  function convert({ type, components = [], ...parameter }: AbiParameter, value: unknown): unknown {
    const [, item] = LIST.exec(type) ?? [];
    if (item !== undefined) {
      return Array.isArray(value)
        ? value.map((entry: unknown) => convert({ ...parameter, type: item, components }, entry))
        : value;
    }
    if (type === "tuple" && typeof value === "object" && value !== null) {
      const parts = value as Record<string, unknown>;
      const named = components.map((part, index) => [part.name || String(index), part] as const);
      return Object.fromEntries(named.map(([name, part]) => [name, convert(part, parts[name])]));
    }
    return COUNTABLE.test(type) ? library.fromSmallestUnit(String(value), decimals) : value;
  }
}

function decimalText(value: unknown, path: string): string {
  if (typeof value === "string" || typeof value === "bigint") return String(value);
  if (typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value);
  const why =
    typeof value === "number"
      ? "is a number so large that it may already be rounded; give it as text"
      : `must be a decimal number such as 1.5, not ${Array.isArray(value) ? "a list" : typeof value}`;
  throw nodeError("INVALID_ARGUMENT", `${path} ${why}.`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
